"""Finds the best policies that do not look, and writes their scores to benchmarks/kage/blind.json.

    .venv/bin/python benchmarks/kage_blind.py [--levels 512] [--again]

The catalogue agent `blind` searches three times: by score, by distance and by success. The best policy of
each search then plays fresh levels. Every appearance of the 34 pairs and the dose-response sets plays the
first of them too, to show that a blind policy scores the same in all. No pictures are drawn, so a CPU does
it in minutes. What the file holds already is not made again, unless `--again` is given.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from kage_pages.appearances import appearances

from assay.agents import blind
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import episode_key, root_of, step_key, stream
from assay.envs.platformer.measures import MEASURES
from assay.native import build_native
from assay.stats.bounded_mean import Range
from assay.stats.resampling import bootstrap_t

PATH = Path(__file__).parent / "kage" / "blind.json"
CHOSEN_BY = (blind.SCORE, "x", "success")  # the best by x is the best by distance and progress too
KEPT = ("passed_distance", "progress", "success", "success_once", "jump_count")
TWO_VALUED = ("success", "success_once")
SEED, STEPS = 16, 500  # every episode of the platformer has as many steps
COMPARED = 64  # levels that every appearance plays

Played = dict[str, np.ndarray]  # the return and the measures, (levels,) each


@partial(jax.jit, static_argnames="levels")
def play(task: Task, policy: blind.Policy, seed: jax.Array, levels: int) -> dict[str, jax.Array]:
    """One episode per level, without pictures."""

    def episode(number: jax.Array) -> dict[str, jax.Array]:
        key = episode_key(seed, number)

        def one_step(playing: Any, t: jax.Array) -> tuple[Any, None]:
            world, memory, paid = playing
            action, memory = blind.act(task, policy, memory, stream(step_key(key, t), "agent"), None)
            out = loop.advance(task, step_key(key, t), world, action)
            return (out.state, memory, paid + out.reward), None

        first = loop.start(task, step_key(key, 0)), blind.start_memory(task, policy), jnp.float32(0)
        world, _, paid = jax.lax.scan(one_step, first, jnp.arange(1, STEPS + 1))[0]
        kept = {each.name: jnp.float32(each.of(world.state)) for each in MEASURES if each.name in KEPT}
        return {"return": paid, **kept}

    return jax.vmap(episode)(jnp.arange(levels))


def summarise(played: Played) -> dict[str, list[float]]:
    """By measure: the mean over levels with its 95% interval."""
    rows = {}
    for name, values in played.items():
        known = Range(0.0, 1.0, two_valued=True) if name in TWO_VALUED else None
        interval = bootstrap_t(np.asarray(values, float), rng=np.random.default_rng(SEED), known=known)
        rows[name] = [float(f"{number:.6g}") for number in interval]
    return rows


def find_best(task: Task, by: str, levels: int) -> dict[str, Any]:
    """One search, and what its policy scores on other levels than those of the search."""
    config = blind.Config(choose=by)
    search = partial(blind.train, config=config)
    trained = jax.jit(search)(stream(root_of(SEED), f"search by {by}"), task)
    policy = trained.params
    played = play(task, policy, stream(root_of(SEED), "blind levels"), levels)
    words = {name: int(number) for name, number in policy._asdict().items()}
    print(by, words, {name: round(float(values.mean()), 3) for name, values in played.items()}, flush=True)
    return {"policy": words, "levels": levels, "measures": summarise(jax.device_get(played))}


def appearances_unlike_plain(policies: list[blind.Policy]) -> tuple[int, list[str]]:
    """The number of appearances played, and those in which any number of any level is another than plain."""
    texts = list(dict.fromkeys(text for each in appearances().values() for text in each.tasks))
    every = jax.tree.map(lambda *leaves: jnp.stack(leaves), *policies)
    seed = stream(root_of(SEED), "blind levels")

    def outcomes(text: str) -> Played:
        of_one = jax.vmap(play, in_axes=(None, 0, None, None))
        played: Played = jax.device_get(of_one(build_native(text).task, every, seed, COMPARED))
        return played

    plain, unlike = outcomes(texts[0]), []
    for text in texts[1:]:
        other = outcomes(text)
        if not all(np.array_equal(plain[name], other[name]) for name in plain):
            unlike.append(text)
        print("differs" if text in unlike else "equal", text, flush=True)
    return len(texts), unlike


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", type=int, default=512)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--out", type=Path, default=PATH)
    asked = parser.parse_args()
    record = json.loads(asked.out.read_text()) if asked.out.exists() and not asked.again else {}
    best = record.setdefault("best", {})
    for by in CHOSEN_BY:
        if by not in best:
            best[by] = find_best(build_native("platformer/run+observation=state").task, by, asked.levels)
            asked.out.write_text(json.dumps(record, indent=1) + "\n")
    if "appearances" not in record:
        policies = [blind.Policy(**best[by]["policy"]) for by in CHOSEN_BY]
        count, unlike = appearances_unlike_plain([jax.tree.map(jnp.int32, each) for each in policies])
        record |= {"appearances": count, "compared_levels": COMPARED, "unlike": unlike}
        asked.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
