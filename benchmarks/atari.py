"""What a varied game costs: steps per CPU-second beside the bare env, HackAtari and Gymnasium's wrappers.

    python benchmarks/atari.py [--hackatari PYTHON] [--wrappers PYTHON] [--game Pong --variation lazy_enemy]

PYTHON is the interpreter of a venv with `hackatari` (which wants other versions of everything) and one with
gymnasium, ale-py 0.12.1 and opencv. Every way runs in a process of its own, in turn, five rounds; the best
counts. Random actions drawn beforehand, resets counted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

ROUNDS, STEPS = 5, 3000


def bare(game, variation):
    import ale_py
    import gymnasium

    gymnasium.register_envs(ale_py)
    return gymnasium.make(f"ALE/{game}-v5")


def bare_ram(game, variation):
    import ale_py
    import gymnasium

    gymnasium.register_envs(ale_py)
    return gymnasium.make(f"ALE/{game}-v5", obs_type="ram")


def ours(game, variation):
    import assay

    return assay.make(f"atari/{game}")


def ours_varied(game, variation):
    import assay

    return assay.make(f"atari/{game}+{variation}")


def ours_ram(game, variation):
    import assay

    return assay.make(f"atari/{game}+{variation}+observation=ram")


def ours_84(game, variation):
    import assay

    return assay.make(f"atari/{game}+{variation}+observation=gray84+channels=first")


def wrappers_84(game, variation):
    import ale_py
    import gymnasium
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    gymnasium.register_envs(ale_py)
    env = gymnasium.make(f"ALE/{game}-v5", frameskip=1)
    return FrameStackObservation(AtariPreprocessing(env, noop_max=0, frame_skip=4, screen_size=84), 4)


def hackatari(game, variation):
    from hackatari.core import HackAtari

    return HackAtari(game, modifs=[variation], obs_mode="ori", render_mode=None)


WAYS = {
    each.__name__: each
    for each in (bare, ours, ours_varied, hackatari, wrappers_84, ours_84, bare_ram, ours_ram)
}


def measured(way: str, game: str, variation: str) -> float:
    """Steps per CPU-second of one way."""
    import random

    env = WAYS[way](game, variation)
    chosen, count = random.Random(0), int(env.action_space.n)
    actions = [chosen.randrange(count) for _ in range(STEPS)]
    env.reset(seed=0)
    for action in actions[:100]:
        if any(env.step(action)[2:4]):
            env.reset()
    env.reset()
    begun = time.process_time()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return STEPS / (time.process_time() - begun)


def lanes(game: str, variation: str, workers: int) -> float:
    """Steps per second of eight lanes."""
    import assay

    env = assay.make_vec(f"atari/{game}+{variation}", 8, workers=workers)
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(300)]
    for action in actions[:20]:
        env.step(action)
    begun = time.perf_counter()
    for action in actions:
        env.step(action)
    found = 8 * len(actions) / (time.perf_counter() - begun)
    env.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hackatari"), parser.add_argument("--wrappers"), parser.add_argument("--way")
    parser.add_argument("--game", default="Pong"), parser.add_argument("--variation", default="lazy_enemy")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    if asked.way:
        number = (
            lanes(asked.game, asked.variation, int(asked.way[-1])) if asked.way.startswith("lanes") else None
        )
        return print(json.dumps(number or measured(asked.way, asked.game, asked.variation)))
    pythons = {"hackatari": asked.hackatari, "wrappers_84": asked.wrappers}
    ways = [way for way in (*WAYS, "lanes1", "lanes2") if pythons.get(way, "here")]
    best = dict.fromkeys(ways, 0.0)
    for _ in range(asked.rounds):
        for way in ways:
            command = [pythons.get(way) or sys.executable, __file__, "--way", way, "--game", asked.game,
                       "--variation", asked.variation]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{way}: {done.stderr.strip().splitlines()[-1]}")
            best[way] = max(best[way], float(done.stdout.strip().splitlines()[-1]))
    print(f"{asked.game}, {asked.variation}, {STEPS} steps, best of {asked.rounds}")
    beside = {"ours": "bare", "ours_varied": "bare", "hackatari": "bare", "ours_84": "wrappers_84",
              "ours_ram": "bare_ram", "lanes2": "lanes1"}  # fmt: skip
    for way, found in best.items():
        other = best.get(beside.get(way, ""), 0)
        print(f"{way:14} {found:8.0f}" + (f"   {found / other:.2f} of {beside[way]}" if other else ""))
    if best.get("hackatari"):
        print(f"ours_varied is {best['ours_varied'] / best['hackatari']:.2f} of hackatari")


if __name__ == "__main__":
    main()
