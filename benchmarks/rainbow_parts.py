"""Rainbow's parts, each by itself and all together, beside DQN: what they learn on toys, and what they cost.

    python benchmarks/rainbow_parts.py             # trains what is missing; stopped, it goes on
    python benchmarks/rainbow_parts.py --table     # of what there is, for docs/agents/rainbow.md

Every seed has an MDP of its own, the same for all agents, so that they are compared seed by seed. `learning`
is the mean score of the episodes while learning, `end` that of 20 episodes of the last policy. Intervals are
of means over seeds (studentised bootstrap), of differences from DQN in pairs. CPU-seconds are those of
training alone, compiled. Results are in benchmarks/rainbow/parts.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents import dqn, dqn_config, rainbow
from assay.core.keys import root_of, seed_words, stream
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.runs.program import build_alone, stack_tasks
from assay.stats.resampling import bootstrap_t

RESULTS = Path(__file__).parent / "rainbow" / "parts.json"
SEEDS, EPISODES, EVALUATION = 20, 20, 99
TASKS = "toy/discrete", "toy/discrete+delay=4", "toy/discrete+sequence_length=3"
# Parts have DQN's settings else, and Rainbow its own (MDP Playground's).
AGENTS: dict[str, dqn_config.Config] = {
    "dqn": dqn_config.Config(),
    "double": dqn_config.Config(double=True),
    "dueling": dqn_config.Config(dueling=True),
    "prioritised": dqn_config.Config(prioritised=True, priority=0.75),
    "n_step=4": dqn_config.Config(n_step=4),
    "noisy": dqn_config.Config(noisy=True),
    "atoms=10": dqn_config.Config(atoms=10),
    "munchausen=0.9": dqn_config.Config(munchausen=0.9),
    "dqn, Rainbow's rate and target": dqn_config.Config(
        learning_rate=1e-3, learning_starts=500, target_every=80
    ),
    "rainbow": rainbow.Config(),
}


def train(text: str, config: dqn_config.Config) -> dict[str, Any]:
    """All seeds in one program: per seed the score while learning and at the end; CPU-seconds of one seed."""
    texts = [f"{text}+mdp_seed={seed}" for seed in range(SEEDS)]
    tasks = stack_tasks([build_native(each).task for each in texts])
    keys = jnp.stack([stream(root_of(seed), "train") for seed in range(SEEDS)])
    compiled = jax.jit(jax.vmap(lambda key, task: dqn.train(key, task, config))).lower(keys, tasks).compile()
    begun = time.process_time()
    found = jax.block_until_ready(compiled(keys, tasks))
    spent = time.process_time() - begun
    setup, end = EvaluationSetup(dqn.AGENT.act_of(config)), []
    for seed, each in enumerate(texts):
        params = jax.tree.map(lambda leaf, seed=seed: leaf[seed], found.params)
        played = evaluate(stack_tasks([build_alone(each)]), params, seed_words(EVALUATION), setup, EPISODES)
        end.append(round(float(played.score.mean()), 4))
    curve = np.nanmean(np.asarray(found.reports.score), axis=1)
    return {
        "learning": [round(float(each), 4) for each in curve], "end": end,
        "cpu_s": round(spent / SEEDS, 3), "jax": jax.__version__,
    }  # fmt: skip


def interval(values: np.ndarray) -> str:
    found = bootstrap_t(values, rng=np.random.default_rng(0))
    return f"{found.value:.1f} [{found.low:.1f}, {found.high:.1f}]"


def table(results: dict[str, Any]) -> Iterator[str]:
    for text in TASKS:
        rows = results.get(text, {})
        yield f"`{text}`:\n\n| agent | learning | beside DQN | end | beside DQN | CPU-s a seed |"
        yield "|---|---|---|---|---|---|"
        for name in filter(rows.__contains__, AGENTS):
            cells = []
            for measure in ("learning", "end"):
                own, plain = (np.array(rows[each][measure]) for each in (name, "dqn"))
                cells += [interval(own), "" if name == "dqn" else interval(own - plain)]
            yield f"| {name} | {' | '.join(cells)} | {rows[name]['cpu_s']:.2f} |"
        yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", action="store_true", help="print what there is, and train nothing")
    asked = parser.parse_args()
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for text in () if asked.table else TASKS:
        for name, config in AGENTS.items():
            if name not in results.setdefault(text, {}):
                results[text][name] = train(text, config)
                RESULTS.parent.mkdir(exist_ok=True)
                aside = RESULTS.with_suffix(".part")
                aside.write_text(json.dumps(results) + "\n")
                aside.replace(RESULTS)
                print(text, name, f"{results[text][name]['cpu_s']} s a seed", flush=True)
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
