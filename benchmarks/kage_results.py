"""Trains PPO on every training appearance of KAGE-Bench and evaluates it on all that were paired with it.

    .venv/bin/python benchmarks/kage_results.py [--seeds 1,2,3] [--only plain] [--seconds 540]

The 34 pairs and the three dose-response sets have seven training appearances, so seven trainings serve one
seed. Each training leaves one small file in benchmarks/kage/; those that are there are not made again. The
script stops in time, leaves a checkpoint in the folder of `--checkpoints`, and goes on from it when it is
called again. `kage_tables.py` makes the page of them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from kage_pages.appearances import NAMES, appearances
from kage_pages.checks import EVALUATE_EVERY

from assay.agents import on_policy, policy_network, ppo
from assay.agents.encoder import prepare
from assay.core import step as loop
from assay.core.env import Task, World, holder
from assay.core.keys import episode_key, root_of, step_key, stream
from assay.envs.platformer.measures import MEASURES
from assay.native import build_native
from assay.runs.checkpoint import load_checkpoint, save_checkpoint
from assay.runs.program import signature, stack_tasks
from assay.suites import kage

FOLDER = Path(__file__).parent / "kage"
EPISODES, STEPS = 128, 500  # of an evaluation; every episode of the platformer lasts as long
LEARNERS: dict[str, dict[str, Any]] = {"ppo": {}, "augmented": {"shift": 4, "jitter": 0.4}}
PLAIN = "platformer/run"
TOGETHER = 8  # appearances whose frames go through the network together
KEPT = ("passed_distance", "progress", "success", "success_once", "jump_count")


def build(text: str) -> Task:
    return build_native(text).task


@holder
class Policy:
    params: Any


class Scores(NamedTuple):
    """The outcome of every episode, (appearances, episodes) each."""

    paid: Any
    measures: Any  # by name


class Stack(NamedTuple):
    """Tasks that differ in numbers alone, as one with a leading axis; they run as one program."""

    tasks: Task
    places: tuple[int, ...]  # of each among all tasks of the evaluation


def stack_alike(tasks: Sequence[Task]) -> list[Stack]:
    """The tasks in stacks, in the order of the first of each."""
    alike: dict[Any, list[int]] = {}
    for place, task in enumerate(tasks):
        alike.setdefault(signature(task), []).append(place)
    return [Stack(stack_tasks([tasks[i] for i in places]), tuple(places)) for places in alike.values()]


def evaluate(stacks: Sequence[Task], held: Policy, seed: jax.Array) -> list[Scores]:
    """By stack. All appearances play the same levels; one pass of the network acts for all of them.

    The appearances differ in what is seen alone, which their certificates prove: one program moves all of
    them, and each has one that draws.
    """
    space = loop.spaces(jax.tree.map(lambda leaf: leaf[0], stacks[0]))["observation"]
    keys = jax.vmap(partial(episode_key, seed))(jnp.arange(EPISODES))
    counts = [len(jax.tree.leaves(stack)[0]) for stack in stacks]
    plain, every = build(PLAIN), (sum(counts), EPISODES)

    def for_all(function: Any, keys: jax.Array, *each: list) -> list:
        """The function over every stack, its tasks and their lanes."""
        lanes = [jnp.broadcast_to(keys, (count, EPISODES)) for count in counts]
        return [loop.for_every_lane(2, function)(*of_stack) for of_stack in zip(stacks, lanes, *each)]

    def in_stacks(leaves: Any) -> list:
        """(appearances, ...) as a list by stack."""
        parts = [slice(end - count, end) for count, end in zip(counts, np.cumsum(counts))]
        return [jax.tree.map(itemgetter(part), leaves) for part in parts]

    def step(carry: Any, t: jax.Array) -> tuple[Any, None]:
        seen, worlds, moving, paid = carry
        now = jax.vmap(lambda key: step_key(key, t))(keys)
        frames = [each.reshape(-1, *space.shape) for each in seen]
        prepared = jnp.concatenate([prepare(space, each) for each in frames])
        logits = policy_network.judge(space, held.params, prepared, "bfloat16")[0].reshape(*every, -1)
        chances = jax.vmap(lambda key: jax.random.gumbel(stream(key, "agent"), logits.shape[-1:]))(now)
        actions = jnp.argmax(logits + chances, -1).astype(jnp.int32)
        move = jax.vmap(jax.vmap(partial(loop.advance, plain)))
        out = move(jnp.broadcast_to(now, every), moving, actions)
        seen, worlds = zip(*for_all(see, now, list(worlds), in_stacks(out.state.state)))
        return (list(seen), list(worlds), out.state, paid + out.reward), None

    begin = jax.vmap(lambda key: step_key(key, 0))(keys)
    seen, worlds = zip(*for_all(loop.reset, begin))
    moving = jax.vmap(jax.vmap(partial(loop.start, plain)))(jnp.broadcast_to(begin, every))
    first = list(seen), list(worlds), moving, jnp.zeros(every)
    _, _, moving, paid = jax.lax.scan(step, first, jnp.arange(1, STEPS + 1))[0]
    measures = {
        each.name: jax.vmap(jax.vmap(each.of))(moving.state).astype(jnp.float32)
        for each in MEASURES
        if each.name in KEPT
    }
    return in_stacks(Scores(paid, measures))


def see(task: Task, key: jax.Array, world: World, state: Any) -> tuple[Any, World]:
    """What an appearance shows of the state that one step led to."""
    moved = replace(world, state=state, time=world.time + 1, life=world.life + 1)
    staged = replace(moved, scene=loop.stage_pictures(task, key, moved, world.scene))
    return loop.look(task, key, staged)


class Programs(NamedTuple):
    """The compiled parts of the trainings on one appearance."""

    start: Any
    advance: Any  # a number of iterations
    evaluate: list[Any]
    stacks: list[list[Stack]]  # of each program of `evaluate`


def compile_programs(train: Task, tasks: list[Task], config: ppo.Config) -> Programs:
    """All at once, each in a thread of its own: compiling takes as long as a part of a training."""
    key = root_of(0)

    def advance(key: jax.Array, task: Task, learner: on_policy.Learner, count: jax.Array) -> Any:
        return on_policy.report(config, ppo.PIECES.advance(key, task, config, learner, count))

    begin = jax.jit(lambda key, task: on_policy.start(key, task, config))
    shapes = jax.eval_shape(begin, key, train)
    groups = share_out(stack_alike(tasks))
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(lambda: begin.lower(key, train).compile())
        going = pool.submit(
            lambda: jax.jit(advance, donate_argnums=2).lower(key, train, shapes, jnp.int32(1)).compile()
        )
        judged = [
            pool.submit(
                lambda group=group: (
                    jax.jit(evaluate).lower(tasks_of(group), Policy(shapes.policy), key).compile()
                )
            )
            for group in groups
        ]
        return Programs(first.result(), going.result(), [each.result() for each in judged], groups)


def share_out(stacks: list[Stack]) -> list[list[Stack]]:
    """Groups of about TOGETHER tasks; each is a program, and they are compiled at the same time."""
    groups: list[list[Stack]] = [[]]
    for stack in stacks:
        if sum(len(each.places) for each in groups[-1]) >= TOGETHER:
            groups.append([])
        groups[-1].append(stack)
    return groups


def tasks_of(group: list[Stack]) -> list[Task]:
    return [stack.tasks for stack in group]


def evaluate_all(programs: Programs, policy: policy_network.Policy, seed: jax.Array) -> Scores:
    """The scores in the order of the tasks."""
    found = [
        program(tasks_of(group), Policy(policy), seed)
        for program, group in zip(programs.evaluate, programs.stacks)
    ]
    parts = [scores for group in found for scores in group]
    places = np.concatenate([stack.places for group in programs.stacks for stack in group])
    in_order: Scores = jax.tree.map(
        lambda *leaves: np.concatenate(list(map(np.asarray, leaves)))[np.argsort(places)], *parts
    )
    return in_order


def summarise(scores: Scores) -> dict[str, list[list[float]]]:
    """By measure: mean and standard deviation over the episodes of each appearance."""
    columns = {"return": scores.paid} | {name: scores.measures[name] for name in KEPT}
    return {
        name: [[float(f"{row.mean():.6g}"), float(f"{row.std(ddof=1):.6g}")] for row in column]
        for name, column in columns.items()
    }


def train_one(
    name: str, texts: tuple[str, ...], seed: int, programs: Programs, task: Task, config: ppo.Config,
    checkpoint: Path, until: float, whole: bool = False,
) -> dict | None:  # fmt: skip
    """The record of one training, or None where time ran out; then a checkpoint holds what there is."""
    about = {"appearance": texts[0], "seed": seed, "config": asdict(config), "jax": jax.__version__}
    key = root_of(seed)
    learner = programs.start(stream(key, "train"), task)
    rows: list[dict] = []
    spent = 0.0
    if checkpoint.exists():
        learner = load_checkpoint(checkpoint, about, jax.eval_shape(lambda: learner))
        rows, spent = json.loads(checkpoint.with_suffix(".json").read_text())
    began = time.monotonic()
    while True:
        done = int(learner.iteration)
        if not rows or rows[-1]["iteration"] != done:
            scores = evaluate_all(programs, learner.policy, stream(key, f"evaluate {done}"))
            rows.append(
                {"iteration": done, "steps": done * config.envs * config.rollout, **summarise(scores)}
            )
            success, paid = (rows[-1][each][0][0] for each in ("success", "return"))
            at = time.monotonic() - began
            print(f"{name} {seed}: {done:5d} {success:.2f} {paid:9.1f} {at:6.1f} s", flush=True)
        if done >= config.iterations:
            break
        if time.monotonic() > until:
            save_checkpoint(checkpoint, about, learner)
            checkpoint.with_suffix(".json").write_text(json.dumps([rows, spent + time.monotonic() - began]))
            return None
        count = min(EVALUATE_EVERY - done % EVALUATE_EVERY, config.iterations - done)
        learner, _ = programs.advance(stream(key, "train"), task, learner, jnp.int32(count))
    seconds = spent + time.monotonic() - began
    save_policy(checkpoint.with_name(f"{name}-{seed}-policy.npz"), learner.policy, np.float16)
    if whole:
        save_policy(checkpoint.with_name(f"{name}-{seed}-whole.npz"), learner.policy, np.float32)
    device = jax.devices()[0].device_kind
    return {**about, "seconds": round(seconds, 1), "device": device, "tasks": texts, "evaluations": rows}


def save_policy(path: Path, policy: policy_network.Policy, dtype: Any) -> None:
    """One of them is shipped, in float16."""
    leaves = jax.tree_util.tree_leaves_with_path(policy)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **{jax.tree_util.keystr(at): np.asarray(leaf, dtype) for at, leaf in leaves})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--only", default=",".join(NAMES))
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--precision", default="bfloat16")
    parser.add_argument("--learner", choices=LEARNERS, default="ppo")
    parser.add_argument("--keep-whole", action="store_true", help="Keep the policies in float32 too.")
    parser.add_argument("--steps", type=int, default=kage.STEPS)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--checkpoints", type=Path, default=Path("runs/kage"))
    asked = parser.parse_args()
    until = time.monotonic() + asked.seconds
    settings = LEARNERS[asked.learner]
    config = replace(ppo.Config(), steps=asked.steps, precision=asked.precision, **settings)
    mark = "" if asked.precision == "bfloat16" else f"-{asked.precision}"
    mark += f"-{asked.learner}" if settings else ""
    known = appearances()
    for name in asked.only.split(","):
        train, texts = known[name]
        missing = [
            seed
            for seed in map(int, asked.seeds.split(","))
            if not (asked.out / f"{name}{mark}-{seed}.json").exists()
        ]
        if not missing or time.monotonic() > until:
            continue
        began = time.monotonic()
        task = build(train)
        programs = compile_programs(task, [build(text) for text in texts], config)
        print(f"{name}: {len(texts)} tasks, compiled in {time.monotonic() - began:.1f} s", flush=True)
        for seed in missing:
            checkpoint = asked.checkpoints / f"{name}{mark}-{seed}.npz"
            made = train_one(
                name + mark, texts, seed, programs, task, config, checkpoint, until, asked.keep_whole
            )
            if made is None:
                print(f"{name} {seed}: out of time; the checkpoint is {checkpoint}")
                return
            asked.out.mkdir(parents=True, exist_ok=True)
            path = asked.out / f"{name}{mark}-{seed}.json"
            path.with_suffix(".part").write_text(json.dumps(made))
            path.with_suffix(".part").rename(path)


if __name__ == "__main__":
    main()
