"""PPO and A2C of assay beside Stable-Baselines3's, at equal settings, on toy/discrete and CartPole.

    python benchmarks/against_sb3_on_policy.py              # trains what is missing; stopped, it goes on
    python benchmarks/against_sb3_on_policy.py --only ppo:gym/CartPole-v1 --seeds 5
    python benchmarks/against_sb3_on_policy.py --tables     # of what there is

Needs Stable-Baselines3. Both sides are evaluated at half the steps and at the end, greedily and on the same
episodes: their networks are read into ours, so one program plays both. CPU-seconds count training alone,
steps of the env included; compiling is measured apart. Results are in benchmarks/sb3/on_policy.json, one
entry for each seed.

`agrees`: the 95% interval (Welch) of the difference of means lies within 15% of the distance between
Stable-Baselines3's mean and random play. `disagrees`: it lies beyond. Else `not decided`; too few
seeds, or seeds that all score the same, decide nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from beside_sb3 import judge, load_results, random_score, save_results

from assay.agents import a2c, ppo
from assay.agents.encoder import Layer
from assay.agents.policy_network import Policy, act_with
from assay.core.keys import root_of, seed_words, stream
from assay.interop.gymnasium import make
from assay.interop.play import play_side_by_side
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.runs.hosted_training import policy_of, train_on_hosted
from assay.runs.program import build_alone, stack_tasks

RESULTS = Path(__file__).parent / "sb3" / "on_policy.json"
SEEDS, EPISODES, EVALUATION, RANDOM_UNITS = 20, 20, 99, 10
TOY, CARTPOLE = "toy/discrete", "gym/CartPole-v1"
# Their error of the value is not halved, so its weight, 0.5 there, is 1 here.
EQUAL: dict[str, Any] = {
    "envs": 8, "separate": True, "width": 64, "layers": 2, "value_weight": 1.0, "entropy_weight": 0.0,
    "discount": 0.99, "most_gradient": 0.5, "adam_epsilon": 1e-5, "greedy": True,
}  # fmt: skip
SETTINGS = {
    "ppo": ppo.Config(**EQUAL, steps=40_960, report_every=20_480, rollout=128, epochs=10, minibatches=16,
                      learning_rate=3e-4, trace=0.95, clip=0.2, clip_value=False),
    "a2c": a2c.Config(**EQUAL, steps=40_000, report_every=20_000, rollout=5, learning_rate=1e-3, trace=1.0),
}  # fmt: skip
CELLS = [f"{name}:{text}" for name in SETTINGS for text in (TOY, CARTPOLE)]
MODULES = {"ppo": ppo, "a2c": a2c}


class Trained(NamedTuple):
    scores: list[float]  # at half the steps, and at the end
    cpu_s: float


def score_of(name: str, text: str, params: Policy) -> float:
    """The mean score of the greedy policy; every policy plays the same episodes."""
    if text == TOY:
        setup = EvaluationSetup(act_with(True))
        tasks = stack_tasks([build_alone(text)])
        return float(evaluate(tasks, params, seed_words(EVALUATION), setup, EPISODES).score.mean())
    env = make(text)
    policy = policy_of(MODULES[name].AGENT, SETTINGS[name], params)(env)
    env.close()
    played = play_side_by_side(policy, partial(make, text), name, EVALUATION, EPISODES)
    return float(np.mean([each.score for each in played]))


@cache
def compiled(name: str, text: str) -> tuple[Callable[..., Any], float]:
    """The program that trains one seed, and the CPU-seconds of compiling it."""
    begun, task = time.process_time(), build_native(text).task
    program = jax.jit(lambda key: MODULES[name].train(key, task, SETTINGS[name]).checkpoints)
    made = program.lower(root_of(0)).compile()
    return made, time.process_time() - begun


def ours(name: str, text: str, seed: int) -> Trained:
    """One seed; on a hosted task a process compiles with its first seed, so that one goes first."""
    if text == TOY:
        train, _ = compiled(name, text)
        begun = time.process_time()
        checkpoints = jax.block_until_ready(train(stream(root_of(seed), "train")))
    else:
        begun = time.process_time()
        agent = MODULES[name].AGENT
        checkpoints = train_on_hosted(agent, name, text, seed, SETTINGS[name], workers=0).checkpoints
    spent = time.process_time() - begun
    policies = [jax.tree.map(lambda leaf, i=i: leaf[i], checkpoints) for i in range(2)]
    return Trained([score_of(name, text, each) for each in policies], spent)


def theirs(name: str, text: str, seed: int) -> Trained:
    model, scores, spent = their_model(name, text, seed), [], 0.0
    for half in range(2):
        begun = time.process_time()
        model.learn(SETTINGS[name].steps // 2, reset_num_timesteps=half == 0)
        spent += time.process_time() - begun
        scores.append(score_of(name, text, as_our_policy(model)))
    return Trained(scores, spent)


def their_model(name: str, text: str, seed: int) -> Any:
    """Stable-Baselines3's agent with our settings; its first weights are drawn as ours are."""
    from stable_baselines3 import A2C, PPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    config = SETTINGS[name]
    own: dict[str, Any] = {"use_rms_prop": False}
    if isinstance(config, ppo.Config):
        size = config.batch // config.minibatches
        own = {"batch_size": size, "n_epochs": config.epochs, "clip_range": config.clip}
    return (PPO if name == "ppo" else A2C)(
        "MlpPolicy",
        DummyVecEnv([partial(make, text)] * config.envs),
        learning_rate=config.learning_rate,
        n_steps=config.rollout,
        gamma=config.discount,
        gae_lambda=config.trace,
        ent_coef=config.entropy_weight,
        vf_coef=config.value_weight / 2,
        max_grad_norm=config.most_gradient,
        policy_kwargs={
            "net_arch": [config.width] * config.layers,
            "optimizer_kwargs": {"eps": config.adam_epsilon},
        },
        seed=seed,
        device="cpu",
        **own,
    )


def as_our_policy(model: Any) -> Policy:
    def as_layer(layer: Any) -> Layer:
        return Layer(*(jnp.asarray(part.detach().numpy().T) for part in (layer.weight, layer.bias)))

    def full_layers(body: Any) -> list[Layer]:
        return [as_layer(layer) for layer in body if hasattr(layer, "weight")]

    policy = model.policy
    return Policy(
        full_layers(policy.mlp_extractor.policy_net), as_layer(policy.action_net),
        as_layer(policy.value_net), full_layers(policy.mlp_extractor.value_net),
    )  # fmt: skip


def fill(cell: str, seeds: int) -> None:
    """Trains what is missing of a cell, and saves after each training."""
    name, text = cell.split(":", 1)
    results, settings = load_results(RESULTS), json.loads(json.dumps(asdict(SETTINGS[name])))
    entry = results["cells"].setdefault(cell, {"settings": settings, "ours": {}, "theirs": {}})
    if entry["settings"] != settings:
        raise SystemExit(f"{RESULTS} has {cell} with other settings; delete that entry first.")
    if text not in results["random"]:
        results["random"][text] = [random_score(text, 1000 + unit, EPISODES) for unit in range(RANDOM_UNITS)]
    for side, train in (("ours", ours), ("theirs", theirs)):
        missing = [seed for seed in range(seeds) if str(seed) not in entry[side]]
        if missing and side == "ours" and text == TOY:
            entry["compile_s"] = compiled(name, text)[1]
        elif missing and side == "ours":
            first, again = (train(name, text, missing[0]).cpu_s for _ in range(2))
            entry["compile_s"] = first - again
        for seed in missing:
            each = train(name, text, seed)
            entry[side][str(seed)] = each._asdict()
            save_results(RESULTS, results)
            print(f"{cell} {side} seed {seed}: {each.scores} in {each.cpu_s:.1f} CPU-seconds", flush=True)


def print_tables() -> None:
    results = load_results(RESULTS)
    print("| agent, task | seeds | steps | ours | Stable-Baselines3 | random | difference, 95% | |")
    print("|---|---|---|---|---|---|---|---|")
    for cell, entry in results["cells"].items():
        name, text = cell.split(":", 1)
        for half in range(2):
            sides = [[each["scores"][half] for each in entry[side].values()] for side in ("ours", "theirs")]
            if min(map(len, sides)) < 2:
                continue
            found = judge(*sides, results["random"][text], SEEDS)
            told = [f"{np.mean(each):.1f} (sd {np.std(each, ddof=1):.1f})" for each in sides]
            steps = entry["settings"]["steps"] // (2 - half)
            print(f"| {name}, `{text}` | {', '.join(str(len(each)) for each in sides)} | {steps:,} | "
                  f"{told[0]} | {told[1]} | {np.mean(results['random'][text]):.1f} | {found.difference:+.1f} "
                  f"[{found.low:+.1f}, {found.high:+.1f}] | {found.word} |")  # fmt: skip
    print("\n| agent, task | ours, CPU-s a seed | theirs | ratio | compiling ours, CPU-s |")
    print("|---|---|---|---|---|")
    for cell, entry in results["cells"].items():
        if entry["ours"] and entry["theirs"]:
            name, text = cell.split(":", 1)
            mine, other = (
                np.mean([each["cpu_s"] for each in entry[side].values()]) for side in ("ours", "theirs")
            )
            print(f"| {name}, `{text}` | {mine:.2f} | {other:.1f} | {other / mine:.1f} | "
                  f"{entry.get('compile_s', 0):.1f} |")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=CELLS, help="one cell")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each side")
    parser.add_argument("--tables", action="store_true", help="print what there is and train nothing")
    asked = parser.parse_args()
    if not asked.tables:
        import torch

        torch.set_num_threads(1)
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        for cell in [asked.only] if asked.only else CELLS:
            fill(cell, asked.seeds)
    print_tables()


if __name__ == "__main__":
    main()
