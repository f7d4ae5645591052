"""What a varied game costs: steps per CPU-second beside the bare env, HackAtari and Gymnasium's wrappers.

    python benchmarks/atari.py [--hackatari PYTHON] [--wrappers PYTHON] [--game Pong --variation lazy_enemy]

PYTHON is the interpreter of a venv with `hackatari` (which wants other versions of everything) and one with
gymnasium, ale-py 0.12.1 and opencv. Every way is a process of its own. They take turns of 100 steps, single
envs all on one core, so that what else the machine does meets all of them alike. A ratio is the median over
the turns, with the interval that holds 95% of the medians of resampled turns. Random actions drawn
beforehand, resets counted. Lanes are eight, and timed by the clock; `apart` plays them in two processes that
do not wait for each other, and so says what a second core of this machine is worth just then.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

TURNS, STEPS, LANES = 60, 100, 8


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


class Alone:
    """One env, played on for some steps at a time."""

    lanes, clock = 1, staticmethod(time.process_time)

    def __init__(self, env):
        self.env, count, chosen = env, int(env.action_space.n), random.Random(0)
        self.actions = [chosen.randrange(count) for _ in range(STEPS)]
        env.reset(seed=0)

    def play(self) -> None:
        for action in self.actions:
            _, _, terminated, truncated, _ = self.env.step(action)
            if terminated or truncated:
                self.env.reset()


class Together:
    """Lanes in some processes."""

    clock = staticmethod(time.perf_counter)

    def __init__(self, task: str, workers: int, lanes: int = LANES):
        import assay

        self.env, self.lanes = assay.make_vec(task, lanes, workers=workers), lanes
        self.env.reset(seed=0)
        self.env.action_space.seed(0)
        self.actions = [self.env.action_space.sample() for _ in range(STEPS)]

    def play(self) -> None:
        for action in self.actions:
            self.env.step(action)


class Apart:
    """Half of the lanes in each of two processes that do not wait for each other: what the machine allows."""

    lanes, clock = LANES, staticmethod(time.perf_counter)

    def __init__(self, game: str, variation: str):
        self.halves = [Child(sys.executable, "half", game, variation) for _ in range(2)]

    def play(self) -> None:
        for half in self.halves:
            half.ask()
        for half in self.halves:
            half.answer()


def serve(way: str, game: str, variation: str) -> None:
    """A line from the parent is a turn; the answer is its steps per second."""
    if way == "apart":
        player = Apart(game, variation)
    elif way == "half":
        player = Together(f"atari/{game}+{variation}", 0, LANES // 2)
    elif way.startswith("lanes"):
        player = Together(f"atari/{game}+{variation}", int(way[-1]))
    else:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # cores differ in what else they do
        player = Alone(WAYS[way](game, variation))
    player.play()
    print(json.dumps("ready"), flush=True)
    for _ in sys.stdin:
        begun = player.clock()
        player.play()
        print(json.dumps(player.lanes * STEPS / (player.clock() - begun)), flush=True)


class Child:
    def __init__(self, python: str, way: str, game: str, variation: str):
        command = [python, __file__, "--way", way, "--game", game, "--variation", variation]
        self.way = way
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer()

    def answer(self):
        for line in self.process.stdout:  # others print greetings
            try:
                return json.loads(line)
            except ValueError:
                continue
        sys.exit(f"{self.way} ended with {self.process.wait()}; its words are above.")

    def ask(self) -> None:
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def turn(self) -> float:
        self.ask()
        return self.answer()

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def ratio(ours: list[float], theirs: list[float]) -> str:
    """The median of the turns' ratios, with its interval."""
    each, chosen = [a / b for a, b in zip(ours, theirs)], random.Random(0)
    medians = sorted(statistics.median(chosen.choices(each, k=len(each))) for _ in range(2000))
    return f"{statistics.median(each):.3f} [{medians[50]:.3f}, {medians[1949]:.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hackatari"), parser.add_argument("--wrappers"), parser.add_argument("--way")
    parser.add_argument("--game", default="Pong"), parser.add_argument("--variation", default="lazy_enemy")
    parser.add_argument("--turns", type=int, default=TURNS)
    asked = parser.parse_args()
    if asked.way:
        return serve(asked.way, asked.game, asked.variation)
    pythons = {"hackatari": asked.hackatari, "wrappers_84": asked.wrappers}
    ways = [way for way in (*WAYS, "lanes0", "apart", "lanes1", "lanes2") if pythons.get(way, "here")]
    load = os.getloadavg()[0]
    children = [Child(pythons.get(way) or sys.executable, way, asked.game, asked.variation) for way in ways]
    speeds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(asked.turns):
        for child in children:
            speeds[child.way].append(child.turn())
    for child in children:
        child.end()
    print(f"{asked.game}, {asked.variation}, {asked.turns} turns of {STEPS} steps, load {load:.2f} before")
    pairs = {"ours": ("bare",), "ours_varied": ("bare", "hackatari"), "ours_84": ("wrappers_84",),
             "ours_ram": ("bare_ram",), "apart": ("lanes0",), "lanes2": ("lanes1", "apart")}  # fmt: skip
    for way, found in speeds.items():
        beside = [f"{ratio(found, speeds[each])} of {each}" for each in pairs.get(way, ()) if each in speeds]
        print(f"{way:14} {statistics.median(found):8.0f}   {', '.join(beside)}".rstrip())
    return None


if __name__ == "__main__":
    main()
