"""What an exam asked, as its plan in `run.json` holds it, and the words that the records use for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

# The arms: the plain task; the agent frozen; trained under the variation; trained anew where it broke.
PLAIN, CARRY, LEARN, RETRAIN = "plain", "carry", "learn", "retrain"
RANDOM = "random"  # the agent that others are measured against

Where = tuple[str, str, str]  # arm, axis, level: the place of a score
PLAIN_PLACE: Where = (PLAIN, "", "")


@dataclass(frozen=True)
class Question:
    """One axis and the levels at which it is tried; everything that a report says of the axis."""

    arm: str
    axis: str
    levels: tuple[str, ...]  # as in a task's text
    neutral: str
    ordered: bool
    shares: bool  # compare shares of each task's own optimum, for what is asked differs
    components: tuple[str, ...]
    means: str

    @property
    def places(self) -> list[Where]:
        return [(self.arm, self.axis, level) for level in self.levels]

    def as_plan(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_plan(cls, plan: Mapping[str, Any]) -> Question:
        lists = {name: tuple(plan[name]) for name in ("levels", "components")}
        return cls(**{**plan, **lists})
