"""MDP Playground's normalisation: factors written into its analysis, so that the best possible return is 100.

Delay d: H / (H - d), for what is paid after the horizon H is lost. Sequence length n: n, for a sequence pays
once in n steps. Both only on toy envs, only where the experiment varies them. assay's scores are those of the
reward before any delay, so nothing is lost and the first factor is for returns alone: put on a score it would
make the optimum H / (H - d) times too high.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.task_text import Value, parse

PLAYGROUND = "playground"
HORIZON = 100  # of toy envs, where the task names no other
EXPLANATION = (
    "as in MDP Playground: returns x H/(H - delay), returns and scores x sequence length, where these are "
    "varied; assay's scores lose nothing to a delay"
)


class Factors(NamedTuple):
    """What a task's values are multiplied by."""

    of_returns: float = 1.0
    of_scores: float = 1.0


def factors(tasks: Sequence[str]) -> list[Factors]:
    """Of each task of an experiment, by the dimensions in which these tasks differ."""
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
