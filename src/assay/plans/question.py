"""What an exam asks of one axis, and the words that the records use for it."""

from __future__ import annotations

from dataclasses import dataclass

# The arms: the plain task; the agent frozen; trained under the variation; trained anew where it broke.
PLAIN, CARRY, LEARN, RETRAIN = "plain", "carry", "learn", "retrain"
PAIR = "pair"  # of a suite: where an agent is evaluated that was trained elsewhere
RANDOM = "random"  # the agent that others are measured against
BLIND = "blind"  # the agent that does not look, another one to be measured against

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
    proof: str = ""  # how far it is proved that the axis changes what it declares; "" where nobody looked

    @property
    def places(self) -> list[Where]:
        return [(self.arm, self.axis, level) for level in self.levels]
