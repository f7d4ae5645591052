"""The tasks of the battery in which a choice tells whether an agent found out at all, or still can."""

from __future__ import annotations

import numpy as np

from assay.battery.table import ACTIONS, CELLS, Draft, Exam, Question
from assay.battery.tasks import Asked

BAITS = {1: 0.6, 2: 0.5, 3: 0.4, 4: 0.2}  # by the right actions of a lock
LOCKS, TRAPS = 3, 12  # of each kind; cells where every action costs
WIDE = 0.08  # of a place on a line of length 1, as it is seen
AIMS = (-0.6, -0.3, 0.0, 0.3, 0.6)


def exploration(rng: np.random.Generator, asked: Asked) -> Exam:
    """Locks: so many right actions in a row pay 1, and any wrong one ends the episode with a bait."""
    draft, questions = Draft(rng), []
    end = draft.end()
    for depth, bait in BAITS.items():
        for _ in range(LOCKS):
            to, paid, right = end, 1.0, 0
            for i in range(depth):
                cell = draft.cell(first=1.0 if i == depth - 1 else 0.0)
                right = draft.choose(cell, (to, paid), (end, bait))
                to, paid = cell, 0.0
            says = f"{bait:.2f} now, or 1.00 behind {depth} right action{'s' if depth > 1 else ''}"
            questions.append(Question((to,), right, says, "stays with what it found first"))
    for _ in range(TRAPS):  # so that nobody takes what was never tried for the best
        draft.force(draft.cell(first=0.5), end, -0.8)
    return Exam(draft.finish(), tuple(questions))


def noise(rng: np.random.Generator, asked: Asked) -> Exam:
    """The better mean, whichever reward is the noisier."""
    draft, questions = Draft(rng), []
    end = draft.end()
    for sure, mean in ((0.4, 0.0), (0.0, 0.4)):
        for _ in range(3):
            cell = draft.cell(first=1.0)
            right = draft.choose(cell, (end, max(sure, mean)), (end, min(sure, mean)))
            draft.spread[cell, right if mean > sure else 1 - right] = 0.6
            says = f"{sure:.2f} for sure, or {mean:.2f} give or take 0.60"
            questions.append(Question((cell,), right, says, "is led by single rewards, not by their mean"))
    return Exam(draft.finish(), tuple(questions))


def change(rng: np.random.Generator, asked: Asked) -> Exam:
    """Halfway what paid begins to cost, and the other action pays."""
    draft, questions = Draft(rng), []
    draft.turn, end = asked.steps // 2, draft.end()
    for _ in range(6):
        cell = draft.cell(first=1.0)
        right = draft.draw_action()
        draft.lead(cell, right, end, 0.0, later=0.5)
        draft.lead(cell, 1 - right, end, 0.5, later=-0.5)
        says = "what pays 0.50 now, or what paid it in the first half and costs it now"
        questions.append(Question((cell,), right, says, "learns from what it saw first"))
    return Exam(draft.finish(), tuple(questions))


def indifference(rng: np.random.Generator, asked: Asked) -> Exam:
    """Two actions that pay the same: a policy that is paid for its entropy takes both."""
    draft, questions = Draft(rng), []
    end = draft.end()
    for _ in range(8):
        cell = draft.cell(first=1.0)
        draft.force(cell, end, 0.5)
        questions.append(Question((cell,), 0.5, "0.50, or 0.50", "settles on one of two equal actions"))
    return Exam(draft.finish(), tuple(questions))


def approximation(rng: np.random.Generator, asked: Asked) -> Exam:
    """Places on a line, seen as overlapping bumps: what holds around a place never met holds there."""
    draft, questions = Draft(rng), []
    end, places, good = draft.end(), CELLS - 1, draft.draw_action()
    at = np.linspace(0, 1, CELLS)
    for i in range(places):
        left_out = i % 4 == 2 and i + 1 < places
        cell = draft.cell(first=0.0 if left_out else 1.0)
        better = good if i < places // 2 else 1 - good
        draft.lead(cell, better, end, 0.8)
        draft.lead(cell, 1 - better, end, 0.2)
        draft.rows[cell] = np.exp(-(((at[i] - at) / WIDE) ** 2))
        if left_out and abs(i - places // 2) > 3:
            says = "0.80 or 0.20, at a place never met"
            questions.append(Question((cell,), better, says, "does not generalise"))
    return Exam(draft.finish(), tuple(questions))


def continuous(rng: np.random.Generator, asked: Asked) -> Exam:
    """The best action lies between the bounds, in each cell elsewhere."""
    draft, questions = Draft(rng), []
    end = draft.end()
    for aim in rng.permutation(AIMS):
        cell = draft.cell(first=1.0)
        draft.force(cell, end, 0.5)
        draft.aim[cell], draft.bend[cell] = aim, 0.5
        says = f"0.50 less half the squared distance to {aim:g}"
        questions.append(Question((cell,), (aim + 1) / 2, says, "misses the best action", near=0.15))
    return Exam(draft.finish(), tuple(questions))


def memory(rng: np.random.Generator, asked: Asked) -> Exam:
    """A cue, two steps that tell nothing, and a choice that the cue alone decides."""
    draft, questions = Draft(rng), []
    end, good = draft.end(), draft.draw_action()
    looks: tuple[int, ...] = ()
    for cue in range(ACTIONS):
        first = draft.cell(first=1.0)
        rest = tuple(draft.cell() for _ in range(3))
        looks = looks or rest
        draft.look[list(rest)] = looks
        for cell, to in zip((first, *rest[:2]), rest):
            draft.force(cell, to)
        right = good if cue else 1 - good
        draft.lead(rest[2], right, end, 1.0)
        draft.lead(rest[2], 1 - right, end, 0.0)
        says = "1.00 or nothing, by what was seen three steps before"
        questions.append(Question((first, *rest), right, says, "does not remember"))
    return Exam(draft.finish(), tuple(questions))
