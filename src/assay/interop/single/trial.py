"""Whether a plan's Python gives what the compiled step gives, word by word, and which sums make it so."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import jax
import numpy as np

from assay.core.keys import seed_words
from assay.core.space import Box, Discrete
from assay.interop.native_env import Form, Play, advance, begin, blank
from assay.interop.packing import words_of
from assay.interop.single.plan import Plan

STEPS = 256  # of the trial, with a few episodes more than there are ends
MOST_TRIES = 64  # ways to round sums


class Record:
    """What compiled resets and steps give in random play: what is to be reached."""

    def __init__(self, plan: Plan, task: Any, form: Form, steps: int = STEPS):
        rng, carried = np.random.default_rng(0), blank(task, apart=False)
        row = carried[0].copy()
        row[:2], row[2] = seed_words(1), -1
        carried = row, carried[1]
        self.moments: list[tuple[Any, np.ndarray, Any]] = []  # action or None, what is read, the play after
        over = True
        for _ in range(steps):
            if over:
                action, (read, carried) = None, begin(plan.leaves, carried, form=form)
                over = False
            else:
                action = random_action(rng, plan.action)
                read, carried = advance(plan.leaves, carried, action, form=form)
                over = bool(np.asarray(read[0])[1:3].any())
            self.moments.append((action, np.asarray(read[0]), form.play(task, carried)))


def random_action(rng: np.random.Generator, space: Any) -> Any:
    if isinstance(space, Discrete):
        drawn = rng.integers(space.start, space.start + np.asarray(space.n))
        return drawn.astype(space.dtype) if space.shape else int(drawn)
    assert isinstance(space, Box), "native spaces are of numbers"
    low, high = (np.clip(np.broadcast_to(end, space.shape), -100, 100) for end in (space.low, space.high))
    return rng.uniform(low, high).astype(space.dtype)


def passes(plan: Plan, record: Record) -> bool:
    """Whether the functions of the plan give the record."""
    resets, steps = plan.draws()
    for draws in (resets, steps):
        draws.seed(1, None)
    state, episode, time = plan.state_of(plan.blank()), -1, 0
    for action, read, play in record.moments:
        if action is None:
            episode, time = episode + 1, 0
            resets.begin(episode)
            steps.begin(episode)
            seen, watched, state = plan.reset(state, resets.at(0))
            words = [*words_in(seen), *words_in(watched)]
        else:
            time += 1
            sent = action if isinstance(action, int) else tuple(action.reshape(-1).tolist())
            *first, executed, seen, watched, state = plan.step(state, steps.at(time), sent)
            words = [*words_in(tuple(first)), *words_in(executed), *words_in(seen), *words_in(watched)]
        expected = read if plan.parts.observed or not words_of(plan.observation) else read
        if not np.array_equal(np.array(words, np.int64), expected[: len(words)].astype(np.int64)):
            return False
        if len(words) != len(expected):
            return False
        after = jax.tree.leaves(play.world)
        for ours, theirs in zip(jax.tree.leaves(plan.world_of(state)), after):
            if ours.tobytes() != np.asarray(theirs).tobytes():
                return False
    return True


def words_in(values: Any) -> list[int]:
    """Numbers as the int32 words in which compiled programs return them."""
    every = values if isinstance(values, tuple) else (values,)
    return [
        int(np.float32(value).view(np.int32)) if isinstance(value, float) else (int(value) + 2**31) % 2**32 - 2**31
        for value in every
    ]


def settle(plan: Plan, task: Any, form: Form) -> bool:
    """Finds out which sums swallow products; whether any choice gives what the compiled step gives."""
    record = Record(plan, task, form)
    for fusing in islice(plan.step_source.fusings(), MOST_TRIES):
        plan.use(fusing)
        if passes(plan, record):
            return True
    return False
