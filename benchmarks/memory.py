"""What memory buys back: DQN and PPO without, with a stack, with a core, where rewards wait or state hides.

    python benchmarks/memory.py                     # trains what is missing; stopped, it goes on
    python benchmarks/memory.py --seeds 20 --only dqn
    python benchmarks/memory.py --table             # of what there is
    python benchmarks/memory_page.py                # docs/results/memory.md and its figure

Every seed has an MDP of its own, the same for all agents; a cue is the same for all. `end` is the mean score
of 40 episodes of the last policy, `learning` that of the episodes while learning, `beliefs` the exact optimum
of a player who remembers everything that was seen and done. Results are in benchmarks/memory/results.json. It
needs jax, numpy and PyYAML alone.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import assay
from assay.agents import dqn, ppo
from assay.core.keys import root_of, seed_words, stream
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.runs.program import build_alone, stack_tasks
from assay.stats.resampling import bootstrap_t

RESULTS = Path(__file__).parent / "memory" / "results.json"
SEEDS, EPISODES, EVALUATION = 10, 40, 99
PLAIN = "toy/discrete"
NONE, STACK, GRU = MEMORIES = ("none", "stack", "gru")


def cue(corridor: int) -> str:
    """A task whose start shows a cue, and which asks for it behind a corridor where all looks alike.

    Even states are those after the cue 0, odd ones those after the cue 1. Both look like the even one, but
    for the starts. At the end of the corridor the action that is the cue pays 1: without a memory, a half.
    """
    end = 4 + 2 * corridor
    ways, prizes = [], []
    for state in range(end + 1):
        following = {0: 4, 2: 5}.get(state, min(state + 2, end))
        ways.append([following] * 2)
        asked = end - 2 <= state < end
        prizes.append([float(asked and action == state % 2) for action in range(2)])
    starts = [0.5 if state in (0, 2) else 0.0 for state in range(end + 1)]
    settings = {
        "transition_function": ways, "reward_function": prizes, "init_state_dist": starts,
        "terminal_states": [end], "action_space_size": 2, "aliased": 2,
    }  # fmt: skip
    return str(assay.task(PLAIN, settings))


# Heading, and the tasks by the level that it varies.
TASKS: dict[str, dict[str, str]] = {
    "delay": {str(level): f"{PLAIN}+delay={level}" for level in (2, 4, 8)},
    "sequence_length": {str(level): f"{PLAIN}+sequence_length={level}" for level in (2, 3)},
    "aliased": {str(level): f"{PLAIN}+aliased={level}" for level in (2, 4)},
    "hidden_mode": {str(level): f"{PLAIN}+hidden_mode={level}" for level in (0.02, 0.1)},
    "cue": {str(corridor): cue(corridor) for corridor in (1, 4, 8)},
}
DQN = dqn.Config(
    hidden=(64, 64), learning_rate=1e-3, target_every=400, stack_of=4, memory_width=64, sequence=16, burn_in=8
)
PPO = ppo.Config(
    steps=51_200, report_every=10_240, envs=8, rollout=128, learning_rate=1e-3, discount=0.99, epochs=10,
    minibatches=8, entropy_weight=0.01, stack_of=4, memory_width=64, greedy=True,
)  # fmt: skip
# Batches of DQN's core are sequences: so many that it learns from as many steps as the others in an update.
AGENTS = {
    **{f"dqn {memory}": replace(DQN, memory=memory) for memory in (NONE, STACK)},
    f"dqn {GRU}": replace(DQN, memory=GRU, batch=8),
    **{f"ppo {memory}": replace(PPO, memory=memory) for memory in MEMORIES},
}


@cache
def program(config: Any) -> Any:
    """Training by one program for all tasks of a structure: seeds one after another, as `assay run` does."""
    agent = dqn if config.name == "dqn" else ppo

    def train(key: jax.Array, task: Any) -> Any:
        found = agent.train(key, task, config)
        return found.params, found.reports.score

    return jax.jit(jax.vmap(train))


def train(text: str, config: Any, seeds: range) -> dict[str, Any]:
    """The scores of these seeds, and the CPU-seconds of training each; compiling is in those of the first."""
    agent = (dqn if config.name == "dqn" else ppo).AGENT
    setup = EvaluationSetup(agent.act_of(config), start_memory=agent.start_memory)
    width = 1 if jax.default_backend() == "cpu" else len(seeds)
    found: dict[str, Any] = {"end": [], "learning": [], "cpu_s": []}
    for first in range(seeds.start, seeds.stop, width):
        numbers = range(first, first + width)
        tasks = stack_tasks([build_native(on_seed(text, seed)).task for seed in numbers])
        keys = jnp.stack([stream(root_of(seed), "train") for seed in numbers])
        begun = time.process_time()
        params, scores = jax.block_until_ready(program(config)(keys, tasks))
        found["cpu_s"] += [round((time.process_time() - begun) / width, 2)] * width
        found["learning"] += [round(float(each), 4) for each in np.nanmean(np.asarray(scores), axis=1)]
        for lane, seed in enumerate(numbers):
            own = jax.tree.map(lambda leaf, lane=lane: leaf[lane], params)
            task = stack_tasks([build_alone(on_seed(text, seed))])
            played = evaluate(task, own, seed_words(EVALUATION), setup, EPISODES)
            found["end"].append(round(float(played.score.mean()), 4))
    return found


def on_seed(text: str, seed: int) -> str:
    return text if "transition_function" in text else f"{text}+mdp_seed={seed}"


def optima(text: str, seeds: range) -> dict[str, Any]:
    """Seed by seed what the best player expects who remembers everything, and who sees nothing at all.

    The score is that of the plain reward, so a delay does not lower its optimum.
    """
    text = text.partition("+delay")[0]
    found: dict[str, Any] = {"beliefs": [], "blind": []}
    for seed in seeds:
        best = assay.chance(on_seed(text, seed)).best
        value = assay.optimum(on_seed(text, seed)).value if best is None else best.beliefs.value
        blind = None if best is None else best.blind.value
        for name, each in (("beliefs", value), ("blind", blind)):
            found[name].append(None if each is None else round(float(each), 4))
    return found


def extend(before: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Results with those of more seeds behind them."""
    return {name: [*before.get(name, ()), *each] for name, each in more.items()}


def shares(results: dict[str, Any], text: str, name: str, measure: str = "end") -> np.ndarray:
    """The score of each seed as a share of its optimum."""
    own, best = results[text][name][measure], results[text]["optimum"]["beliefs"]
    return np.array(own) / np.array(best[: len(own)])


def interval(values: np.ndarray) -> str:
    if np.ptp(values) == 0:
        return f"{values[0]:.2f}"
    found = bootstrap_t(values, rng=np.random.default_rng(0))
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def table(results: dict[str, Any]) -> Iterator[str]:
    yield f"| task | {' | '.join(AGENTS)} |"
    yield "|---" * (len(AGENTS) + 1) + "|"
    for heading, tasks in TASKS.items():
        for level, text in tasks.items():
            cells = [
                interval(shares(results, text, name)) if name in results.get(text, {}) else ""
                for name in AGENTS
            ]
            yield f"| {heading}={level} | {' | '.join(cells)} |"


def write(results: dict[str, Any]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    aside = RESULTS.with_suffix(".part")
    aside.write_text(json.dumps(results) + "\n")
    aside.replace(RESULTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", action="store_true", help="print what there is, and train nothing")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--only", default="", help="agents whose name begins so")
    asked = parser.parse_args()
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for text in () if asked.table else [text for tasks in TASKS.values() for text in tasks.values()]:
        of_task = results.setdefault(text, {})
        known = range(len(of_task.get("optimum", {}).get("beliefs", ())), asked.seeds)
        of_task["optimum"] = extend(of_task.get("optimum", {}), optima(text, known))
        for name, config in AGENTS.items():
            missing = range(len(of_task.get(name, {}).get("end", ())), asked.seeds)
            if name.startswith(asked.only) and missing:
                of_task[name] = extend(of_task.get(name, {}), train(text, config, missing))
                write(results)
                told = interval(shares(results, text, name))
                print(text[:60], name, told, of_task[name]["cpu_s"][-1], flush=True)
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
