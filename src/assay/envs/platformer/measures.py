"""How an episode of platformer/run ended: KAGE-Bench's metrics, by its names. No jax here.

Success is reported twice: at the last step, and at any step. The two differ for a run that went far enough
and then turned back.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from assay.envs.measure import Measure

# By number, the sums of LEFT=1, RIGHT=2 and JUMP=4; LEFT and RIGHT together cancel.
ACTIONS = (
    "nothing", "LEFT", "RIGHT", "LEFT + RIGHT", "JUMP", "LEFT + JUMP", "RIGHT + JUMP", "LEFT + RIGHT + JUMP",
)  # fmt: skip


def passed_distance(state: Any) -> Any:
    return state.x - state.initial_x


MEASURES = (
    Measure("passed_distance", passed_distance, "distance"),
    Measure("progress", attrgetter("progress"), "progress", digits=3),
    Measure("success", attrgetter("success"), "success", digits=3, range=(0.0, 1.0)),
    Measure("success_once", attrgetter("success_once"), "success once", digits=3, range=(0.0, 1.0)),
    Measure("jump_count", attrgetter("jump_count")),
    *(Measure(name, attrgetter(name)) for name in ("x", "y", "vx_mean", "vy_mean")),
)
