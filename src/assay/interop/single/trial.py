"""Whether a plan's Python gives what the compiled step gives, word by word, and which sums make it so."""

from __future__ import annotations

from itertools import islice
from typing import Any

import jax
import numpy as np

from assay.core.keys import seed_words
from assay.core.space import Box, Discrete
from assay.interop.native_env import Form, advance, begin, blank
from assay.interop.single.plan import Plan
from assay.interop.single.source import Fusing, Sum, Undecided
from assay.interop.single.words import words_in

STEPS = 256  # of the trial, with a few episodes more than there are ends
SEED, NOISE = 1, 2
MOST_TRIES = 64  # ways to round sums


class Record:
    """What compiled resets and steps give in random play: what is to be reached."""

    def __init__(self, plan: Plan, task: Any, form: Form, steps: int = STEPS):
        rng, carried = np.random.default_rng(0), blank(task, form.apart)
        row = carried[0].copy()
        row[:2], row[2] = seed_words(SEED).view(np.int32), -1
        if form.apart:
            row[3:5] = seed_words(NOISE).view(np.int32)
        carried = row, carried[1]
        self.moments: list[tuple[Any, np.ndarray, Any]] = []  # action or None, what is read, the play after
        self.apart, over = form.apart, True
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
        draws.seed(SEED, NOISE if record.apart else None)
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
            try:
                *first, executed, seen, watched, state = plan.step(state, steps.at(time), sent)
            except Undecided:
                return False
            words = [*words_in(tuple(first)), *words_in(executed), *words_in(seen), *words_in(watched)]
        if words != read.tolist():
            return False
        after = jax.tree.leaves(play.world)
        for ours, theirs in zip(jax.tree.leaves(plan.world_of(state)), after):
            if ours.tobytes() != np.asarray(theirs).tobytes():
                return False
    return True


def settle(plan: Plan, task: Any, form: Form) -> bool:
    """Finds out which sums swallow products; whether any choice gives what the compiled step gives.

    Where the trial shows no difference between two choices, both stay, and must agree at every step.
    """
    record, source = Record(plan, task, form), plan.step_source
    for fusing in islice(source.fusings(), MOST_TRIES):
        plan.use(fusing)
        if passes(plan, record):
            plan.use({each.node.number: open_choices(plan, record, fusing, each) for each in source.sums})
            return True
    return False


def open_choices(plan: Plan, record: Record, fusing: Fusing, each: Sum) -> tuple[int | None, ...]:
    """The choices of a sum with which the record is reached, the settled one first."""
    number = each.node.number
    still = list(fusing[number])
    for place in plan.step_source.choices(each):
        if place not in still:
            plan.use({**fusing, number: (place,)})
            if passes(plan, record):
                still.append(place)
    return tuple(still)
