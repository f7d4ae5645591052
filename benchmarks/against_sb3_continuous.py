"""SAC and TD3 of assay beside Stable-Baselines3's, at equal settings, on toy/continuous and Pendulum.

    python benchmarks/against_sb3_continuous.py              # trains what is missing; stopped, it goes on
    python benchmarks/against_sb3_continuous.py --only sac:gym/Pendulum-v1
    python benchmarks/against_sb3_continuous.py --tables     # of what there is, for benchmarks/README.md

Needs Stable-Baselines3. Every training is on one core. Both sides are evaluated at half the steps and at the
end, on the same episodes: their networks are read into ours, so one program plays both. CPU-seconds count
training alone, steps of the env included; compiling or warming up is measured apart. Results are in
benchmarks/sb3/continuous.json, one entry for each seed.

`agrees`: the 95% interval (Welch) of the difference of means lies within 15% of the distance between
Stable-Baselines3's mean and random play. `disagrees`: it lies beyond. Else `not decided`; too few
seeds, or seeds that all score the same, decide nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from beside_sb3 import SHARE, judge, load_results, random_score, save_results

from assay.agents import sac, td3
from assay.bench.dqn import machine
from assay.core.keys import root_of, seed_words, stream
from assay.interop.gymnasium import make
from assay.interop.play import play_side_by_side
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.runs.hosted_training import policy_of, train_on_hosted
from assay.runs.program import build_alone, stack_tasks

RESULTS = Path(__file__).parent / "sb3" / "continuous.json"
SEEDS, EPISODES, EVALUATION, RANDOM_UNITS = 10, 20, 99, 10
TOY, PENDULUM = "toy/continuous", "gym/Pendulum-v1"
# On the toy task MDP Playground's settings, but an earlier start, to be short; L2 is left out, since theirs
# has none. On Pendulum what is usual there, in a smaller network.
SHORT = {"steps": 6000, "report_every": 3000, "learning_starts": 1000, "random_steps": 1000}
USUAL = {**SHORT, "hidden": (64, 64), "batch": 128, "tau": 0.005, "actor_rate": 1e-3, "critic_rate": 1e-3}
CELLS: dict[str, Any] = {
    f"sac:{TOY}": sac.Config(**SHORT),
    f"td3:{TOY}": td3.Config(**SHORT, l2=0.0),
    f"sac:{PENDULUM}": sac.Config(**USUAL, entropy_rate=1e-3),
    f"td3:{PENDULUM}": td3.Config(**USUAL, n_step=1, target_noise=0.2, target_noise_clip=0.5, l2=0.0),
}
MODULES = {"sac": sac, "td3": td3}


class Trained(NamedTuple):
    scores: list[float]  # at half the steps, and at the end
    cpu_s: float


def score_of(name: str, text: str, config: Any, params: Any) -> float:
    """The mean score of the policy without noise; every policy plays the same episodes."""
    if text == TOY:
        task = stack_tasks([build_alone(text)])
        setup = EvaluationSetup(MODULES[name].AGENT.act_of(config))
        return float(evaluate(task, params, seed_words(EVALUATION), setup, EPISODES).score.mean())
    env = make(text)
    policy = policy_of(MODULES[name].AGENT, config, params)(env)
    env.close()
    played = play_side_by_side(policy, partial(make, text), name, EVALUATION, EPISODES)
    return float(np.mean([each.score for each in played]))


def ours_together(name: str, text: str, config: Any) -> tuple[dict[str, Trained], float]:
    """All seeds by one program, on a native task; and the CPU-seconds of compiling it."""
    module, begun = MODULES[name], time.process_time()
    keys = jnp.stack([stream(root_of(seed), "train") for seed in range(SEEDS)])
    tasks = stack_tasks([build_native(text).task] * SEEDS)
    train = jax.vmap(lambda key, task: module.train(key, task, config).checkpoints)
    compiled = jax.jit(train).lower(keys, tasks).compile()
    between = time.process_time()
    checkpoints = jax.block_until_ready(compiled(keys, tasks))
    spent = time.process_time() - between
    trained = {}
    for seed in range(SEEDS):
        policies = [jax.tree.map(lambda leaf, i=i, seed=seed: leaf[seed, i], checkpoints) for i in range(2)]
        scores = [score_of(name, text, config, params) for params in policies]
        trained[str(seed)] = Trained(scores, spent / SEEDS)
    return trained, between - begun


def ours_hosted(name: str, text: str, config: Any, seed: int) -> Trained:
    """One seed on a hosted task; the first seed of a process compiles too, so one goes before it."""
    module = MODULES[name]
    begun = time.process_time()
    trained = train_on_hosted(module.AGENT, name, text, seed, config)
    spent = time.process_time() - begun
    policies = [jax.tree.map(lambda leaf, i=i: leaf[i], trained.checkpoints) for i in range(2)]
    return Trained([score_of(name, text, config, params) for params in policies], spent)


def theirs(name: str, text: str, config: Any, seed: int) -> Trained:
    model, scores, spent = their_model(name, text, config, seed), [], 0.0
    for half in range(2):
        begun = time.process_time()
        model.learn(config.steps // 2, reset_num_timesteps=half == 0)
        spent += time.process_time() - begun
        scores.append(score_of(name, text, config, as_our_params(name, model)))
    return Trained(scores, spent)


def their_model(name: str, text: str, config: Any, seed: int) -> Any:
    """Stable-Baselines3's agent with our settings."""
    import torch
    from stable_baselines3 import SAC, TD3
    from stable_baselines3.common.noise import NormalActionNoise

    env = make(text)
    count = env.action_space.shape[0]
    own: dict[str, Any] = {"ent_coef": f"auto_{config.alpha}"} if name == "sac" else {
        "action_noise": NormalActionNoise(np.zeros(count), np.full(count, config.noise_scale)),
        "policy_delay": config.policy_delay,
        "target_policy_noise": config.target_noise,
        "target_noise_clip": config.target_noise_clip,
    }  # fmt: skip
    model = (SAC if name == "sac" else TD3)(
        "MlpPolicy",
        env,
        learning_rate=config.critic_rate,
        buffer_size=min(config.replay, config.steps),
        learning_starts=config.learning_starts,
        batch_size=config.batch,
        tau=config.tau,
        gamma=config.discount,
        train_freq=config.steps_per_update,
        gradient_steps=config.updates,
        n_steps=config.n_step,
        policy_kwargs={
            "net_arch": list(config.hidden),
            "activation_fn": {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[config.activation],
            "optimizer_kwargs": {"eps": config.adam_epsilon},
        },
        seed=seed,
        device="cpu",
        **own,
    )
    # They would begin with torch's own weights: Xavier-uniform and no biases, as ours.
    heads = [model.actor.mu, model.actor.log_std] if name == "sac" else []
    for module in (model.actor, model.critic):
        for layer in module.modules():
            if isinstance(layer, torch.nn.Linear):
                outputs = layer.out_features * (
                    2 if layer in heads else 1
                )  # both heads are one layer of ours
                edge = sqrt(6 / (layer.in_features + outputs))
                torch.nn.init.uniform_(layer.weight, -edge, edge)
                torch.nn.init.zeros_(layer.bias)
    model.critic_target.load_state_dict(model.critic.state_dict())
    if name == "td3":
        model.actor_target.load_state_dict(model.actor.state_dict())
    return model


def as_our_params(name: str, model: Any) -> list:
    import torch

    def as_layer(*layers: Any) -> tuple:
        weights, biases = ([getattr(layer, part).detach().numpy() for layer in layers]
                           for part in ("weight", "bias"))  # fmt: skip
        return jnp.asarray(np.concatenate(weights).T), jnp.asarray(np.concatenate(biases))

    body = model.actor.latent_pi if name == "sac" else model.actor.mu
    layers = [as_layer(layer) for layer in body if isinstance(layer, torch.nn.Linear)]
    return [*layers, as_layer(model.actor.mu, model.actor.log_std)] if name == "sac" else layers


def fill(cell: str) -> None:
    """Trains what is missing of a cell, and saves after each training."""
    name, text = cell.split(":", 1)
    config, results = CELLS[cell], load_results(RESULTS)
    settings = json.loads(json.dumps(asdict(config)))
    entry = results["cells"].setdefault(cell, {"settings": settings, "ours": {}, "theirs": {}})
    if entry["settings"] != settings:
        raise SystemExit(f"{RESULTS} has {cell} with other settings; delete that entry first.")
    results["machine"] = machine()
    if text not in results["random"]:
        results["random"][text] = [random_score(text, 1000 + unit, EPISODES) for unit in range(RANDOM_UNITS)]
    if text == TOY and not entry["ours"]:
        trained, compiling = ours_together(name, text, config)
        entry["ours"] = {seed: each._asdict() for seed, each in trained.items()}
        entry["compile_s"] = compiling
    save_results(RESULTS, results)
    for side, train in (("ours", ours_hosted), ("theirs", theirs)):
        missing = [seed for seed in range(SEEDS) if str(seed) not in entry[side]]
        if missing and side == "ours":
            begun = time.process_time()
            train(name, text, config, missing[0])
            entry["compile_s"] = time.process_time() - begun
        for seed in missing:
            each = train(name, text, config, seed)
            entry[side][str(seed)] = each._asdict()
            save_results(RESULTS, results)
            print(f"{cell} {side} seed {seed}: {each.scores} in {each.cpu_s:.1f} CPU-seconds", flush=True)
        if (
            missing and side == "ours"
        ):  # the first also compiled; the rest of it is a training like the others
            entry["compile_s"] -= float(np.mean([each["cpu_s"] for each in entry[side].values()]))
            save_results(RESULTS, results)


def print_tables() -> None:
    results = load_results(RESULTS)
    print("| agent, task | steps | ours | Stable-Baselines3 | random | difference, 95% | within 15% is | |")
    print("|---|---|---|---|---|---|---|---|")
    for cell, entry in results["cells"].items():
        name, text = cell.split(":", 1)
        random = results["random"][text]
        for half in range(2):
            sides = [[each["scores"][half] for each in entry[side].values()] for side in ("ours", "theirs")]
            if min(map(len, sides)) < 2:
                continue
            found = judge(*sides, random, SEEDS)
            steps = entry["settings"]["steps"] // (2 - half)
            told = [f"{np.mean(each):.2f} (sd {np.std(each, ddof=1):.2f})" for each in sides]
            print(f"| {name}, `{text}` | {steps:,} | {told[0]} | {told[1]} | {np.mean(random):.2f} | "
                  f"{found.difference:+.2f} [{found.low:+.2f}, {found.high:+.2f}] | "
                  f"{SHARE * found.distance:.2f} | {found.word} |")  # fmt: skip
    print("\n| agent, task | seeds | ours, CPU-s a seed | theirs | ratio | compiling ours, CPU-s |")
    print("|---|---|---|---|---|---|")
    for cell, entry in results["cells"].items():
        if not (entry["ours"] and entry["theirs"]):
            continue
        spent = [np.mean([each["cpu_s"] for each in entry[side].values()]) for side in ("ours", "theirs")]
        seeds = ", ".join(str(len(entry[side])) for side in ("ours", "theirs"))
        name, text = cell.split(":", 1)
        print(f"| {name}, `{text}` | {seeds} | {spent[0]:.2f} | {spent[1]:.1f} | {spent[1] / spent[0]:.1f} | "
              f"{entry['compile_s']:.1f} |")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(CELLS), help="one cell")
    parser.add_argument("--tables", action="store_true", help="print what there is and train nothing")
    asked = parser.parse_args()
    if not asked.tables:
        import torch

        torch.set_num_threads(1)
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        for cell in [asked.only] if asked.only else CELLS:
            fill(cell)
    print_tables()


if __name__ == "__main__":
    main()
