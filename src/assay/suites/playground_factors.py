"""MDP Playground's normalisation: factors from its analysis that make the best possible return 100.

For a delay d the factor is H / (H - d), because rewards due after the horizon H are lost. For a sequence
length n it is n, because a sequence pays once in n steps. Both apply only to toy envs, and only where the
experiment varies them. assay's scores count the reward before any delay, so they lose nothing, and the first
factor is for returns alone: applied to a score, it would make the optimum H / (H - d) times too high.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.task_text import Value, parse

PLAYGROUND = "playground"
HORIZON = 100  # of toy envs, where the task sets no other
EXPLANATION = (
    "as in MDP Playground: returns x H/(H - delay), returns and scores x sequence length, where these are "
    "varied; assay's scores lose nothing to a delay"
)


class Factors(NamedTuple):
    """The factors that multiply a task's values."""

    of_returns: float = 1.0
    of_scores: float = 1.0


def factors(tasks: Sequence[str]) -> list[Factors]:
    """The factors of each task of an experiment, by the settings in which its tasks differ."""
    texts = [parse(task) for task in tasks]
    settings = [{each.name: each.value for each in text.settings} for text in texts]
    delayed, lengthened = (
        len({each.get(name, neutral) for each in settings}) > 1
        for name, neutral in (("delay", 0), ("sequence_length", 1))
    )
    result = []
    for text, each in zip(texts, settings):
        if text.env != "toy/discrete":
            result.append(Factors())
            continue
        horizon = whole(each.get("horizon", HORIZON))
        delay = whole(each.get("delay", 0)) if delayed else 0
        length = float(whole(each.get("sequence_length", 1))) if lengthened else 1.0
        late = horizon / (horizon - delay) if delay < horizon else 1.0
        result.append(Factors(late * length, length))
    return result


def whole(value: Value) -> int:
    """A setting of the toy env that is a whole number, as its axis declares."""
    assert isinstance(value, int)
    return value
