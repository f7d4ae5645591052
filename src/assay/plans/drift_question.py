"""What is asked of a drift, as a record."""

from __future__ import annotations

from dataclasses import dataclass

from assay.plans.defaults import MARGIN

STEPS, LIFE, EPISODES = "steps", "life", "episodes"  # what a schedule counts


@dataclass(frozen=True)
class DriftQuestion:
    """What is asked: a task that drifts, its control, and when something comes on."""

    task: str
    control: str
    unit: str  # what the schedules count: STEPS of the episode, or of the LIFE, or its EPISODES
    drifts: tuple[int, ...]  # completed steps, or episodes, after which something comes on
    spans: tuple[tuple[int, int], ...]  # from when to when something is on
    lanes: int = 1  # copies of the env that a learner plays at once, each with a life of its own
    window: int | None = None  # in steps or episodes; None: a share of the time after the first drift
    margin: float = MARGIN
    names: tuple[str, ...] = ()  # what comes on at each drift, as it is written without its schedule

    def name_of(self, at: int) -> str:
        """What comes on after so many steps of all copies, or so many episodes; "" where it is not known."""
        return dict(zip(self.drifts, self.names)).get(at // self.lanes, "")

    @property
    def learning(self) -> bool:
        return self.unit != STEPS

    @property
    def counted(self) -> str:
        """What times count, in words."""
        return "episodes" if self.unit == EPISODES else "steps"
