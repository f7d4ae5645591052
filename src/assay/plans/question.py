"""The question that an exam asks about one axis, and the words that the records use for it."""

from __future__ import annotations

from dataclasses import dataclass

# The arms: on the plain task; frozen; trained under the variation; trained anew where frozen agents broke.
PLAIN, CARRY, LEARN, RETRAIN = "plain", "carry", "learn", "retrain"
PAIR = "pair"  # the arm of a suite: evaluated on another task than the training task
RANDOM = "random"  # the agent that other agents are compared with
BLIND = "blind"  # an agent that ignores observations, also for comparison

Place = tuple[str, str, str]  # arm, axis, level: the place of a score
PLAIN_PLACE: Place = (PLAIN, "", "")


@dataclass(frozen=True)
class Question:
    """One axis, the levels at which it is tried, and the facts about it that a report prints."""

    arm: str
    axis: str
    levels: tuple[str, ...]  # as in a task's text
    neutral: str
    ordered: bool
    shares: (
        bool  # compare shares of each task's own optimum, because the levels change what the task asks for
    )
    components: tuple[str, ...]
    means: str
    proof: str = (
        ""  # how far it is proved that the axis changes what it declares; "" where that was not looked up
    )

    @property
    def places(self) -> list[Place]:
        return [(self.arm, self.axis, level) for level in self.levels]
