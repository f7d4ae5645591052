"""The tasks of the battery in which a choice tells what an agent thinks that something is worth.

Each is a function of a generator and of what is asked of the agent; it gives a table and questions. All
rewards lie from -1 to 1, so that an agent that cuts rewards to that range is not disturbed. In each task one
part of an algorithm decides the answers; a question names the fault that would answer otherwise. The answers
hold for discounts from `LEAST_DISCOUNT` to `MOST_DISCOUNT`. `learning_tasks.py` has the others.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from assay.battery.table import Draft, Exam, Question

LEAST_DISCOUNT, MOST_DISCOUNT = 0.9, 0.993
SHORTER = 0.9  # discount under which returns of several steps are tested
LONGEST_WAY = 36  # steps
WORTH = 0.68  # of 1 at the end of a way whose length is chosen by the discount
LOWER = 0.6  # share of that worth at which it is to be refused
IDLE = 20  # steps after which an end is late
LIMIT = 5  # steps after which episodes are cut


class Asked(NamedTuple):
    """What the tasks must know of an agent."""

    discount: float
    steps: int  # of its training
    n_step: int = 1  # rewards that it adds up before it asks for a value


def values(rng: np.random.Generator, asked: Asked) -> Exam:
    """Little now or much later, much now or little later: over 1 to 4 steps."""
    draft, questions = Draft(rng), []
    end = draft.end()
    for steps in (1, 2, 4):
        for now, later in ((0.4, 0.9), (0.8, 0.3)):
            cell = draft.cell(first=1.0)
            way = draft.way(steps, end, later, first=0.3)
            right = choose_when(draft, cell, way, later > now, end, now)
            fault = "takes what comes first" if later > now else "waits for less"
            says = f"{now:.2f} now, or {later:.2f} after {steps + 1} steps"
            questions.append(Question((cell,), right, says, fault))
    return Exam(draft.finish(), tuple(questions))


def choose_when(draft: Draft, cell: int, way: int, waits: bool, end: int, now: float) -> int:
    """A choice between a way that pays at its end and something now; the number of the right action."""
    ways = (way, 0.0), (end, now)
    return draft.choose(cell, *(ways if waits else ways[::-1]))


def steps_for(discount: float) -> int:
    """How many steps make 1 worth about `WORTH`, at most `LONGEST_WAY`."""
    return min(LONGEST_WAY, round(log(WORTH) / log(discount)))


def discounting(rng: np.random.Generator, asked: Asked) -> Exam:
    """1 at the end of a long way, or something now: what is refused for it tells what it is worth."""
    draft, questions = Draft(rng), []
    end, steps = draft.end(), steps_for(asked.discount)
    way, worth = draft.way(steps, end, 1.0, first=0.3), asked.discount**steps
    for now in (LOWER * worth, (1 + worth) / 2):
        for _ in range(3):
            cell = draft.cell(first=2.0)
            right = choose_when(draft, cell, way, now < worth, end, now)
            fault = "discounts too much" if now < worth else "discounts too little"
            says = f"{now:.2f} now, or 1.00 after {steps + 1} steps"
            questions.append(Question((cell,), right, says, fault))
    return Exam(draft.finish(), tuple(questions))


def termination(rng: np.random.Generator, asked: Asked) -> Exam:
    """Nothing follows an end: not the value of what is seen there, nor the next episode.

    An end may look like a start that is worth 1, and an early end is no gain, though the next episode begins
    sooner. The second choice pays at once, so no discount decides it.
    """
    draft, questions = Draft(rng), []
    end, like_start = draft.end(), draft.end()
    start = draft.cell(first=1.0)
    draft.force(start, end, 1.0)
    draft.look[like_start] = start
    idle = draft.way(IDLE, end, first=0.05)
    for _ in range(3):
        cell = draft.cell(first=1.0)
        right = draft.choose(cell, (end, 0.6), (like_start, 0.2))
        says = "0.60 and an end, or 0.20 and an end that looks like a start worth 1.00"
        questions.append(Question((cell,), right, says, "values what is seen at an end"))
    for _ in range(3):
        cell = draft.cell(first=1.0)
        right = draft.choose(cell, (idle, 0.8), (end, 0.5))
        says = f"0.80 and an end after {IDLE} more steps, or 0.50 and an end now"
        questions.append(Question((cell,), right, says, "counts the next episode"))
    return Exam(draft.finish(), tuple(questions))


def truncation(rng: np.random.Generator, asked: Asked) -> Exam:
    """A time limit is no end: what pays for ever is worth more than what it pays until it is cut."""
    draft, questions = Draft(rng), []
    draft.limit = LIMIT
    end, loop = draft.end(), draft.cell(first=2.0)
    draft.force(loop, loop, 0.1)
    for _ in range(4):
        cell = draft.cell(first=1.0)
        right = draft.choose(cell, (loop, 0.0), (end, 0.7))
        says = f"0.70 and an end, or 0.10 a step for ever, in episodes that are cut after {LIMIT} steps"
        questions.append(Question((cell,), right, says, "takes a time limit for an end"))
    return Exam(draft.finish(), tuple(questions))


def sizes(rng: np.random.Generator, asked: Asked) -> Exam:
    """Rewards count by their size: one large is more than three small."""
    draft, questions = Draft(rng), []
    end = draft.end()
    for small, large in ((0.15, 0.9), (-0.15, -0.9)):
        second, third = draft.cell(first=0.3), draft.cell(first=0.3)
        draft.force(second, third, small)
        draft.force(third, end, small)
        for _ in range(3):
            cell = draft.cell(first=1.0)
            ways = (end, large), (second, small)
            right = draft.choose(cell, *(ways if large > 0 else ways[::-1]))
            says = f"{large:.2f} once, or {small:.2f} three times"
            questions.append(Question((cell,), right, says, "counts rewards by their signs"))
    return Exam(draft.finish(), tuple(questions))


def delay(rng: np.random.Generator, asked: Asked) -> Exam:
    """Two ways of 10 steps on which rewards come by chance; the choice between them is paid at their ends."""
    draft, questions = Draft(rng), []
    end, ways = draft.end(), []
    for paid in (0.9, 0.3):
        before = draft.used
        ways.append((draft.way(10, end, paid, first=0.2), 0.0))
        draft.spread[before + 1 : draft.used] = 0.1
    for _ in range(4):
        cell = draft.cell(first=1.0)
        right = draft.choose(cell, *ways)
        says = "0.90 or 0.30 after 11 steps, with noise on the way"
        questions.append(Question((cell,), right, says, "does not see what a choice brings in the end"))
    return Exam(draft.finish(), tuple(questions))


def target(rng: np.random.Generator, asked: Asked) -> Exam:
    """With a target that is never copied, what lies beyond one update's reach cannot be learned."""
    draft, questions = Draft(rng), []
    end, steps = draft.end(), asked.n_step + 4
    way = draft.way(steps, end, 1.0, first=0.3)
    for _ in range(4):
        cell = draft.cell(first=1.0)
        right = choose_when(draft, cell, way, False, end, 0.6)
        says = f"0.60 now, or 1.00 after {steps + 1} steps that no value has come back from"
        questions.append(Question((cell,), right, says, "asks the network itself for its targets"))
    return Exam(draft.finish(), tuple(questions))


def n_step(rng: np.random.Generator, asked: Asked) -> Exam:
    """1 after three times n steps and one, or something now, on both sides of its worth."""
    draft, questions = Draft(rng), []
    end, n = draft.end(), asked.n_step
    steps = 3 * n  # beside the first
    way, worth = draft.way(steps, end, 1.0, first=0.5), asked.discount**steps
    # One step too few or too many in each of three returns.
    for now, fault in (
        (worth * asked.discount**1.5, "takes the value after n - 1 steps for that after n"),
        (worth / asked.discount**1.5, "discounts the value after n steps too little"),
    ):
        for _ in range(3):
            cell = draft.cell(first=2.0)
            right = choose_when(draft, cell, way, now < worth, end, now)
            says = f"{now:.2f} now, or 1.00 after {steps + 1} steps"
            questions.append(Question((cell,), right, says, fault))
    return Exam(draft.finish(), tuple(questions))
