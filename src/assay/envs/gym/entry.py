"""What the catalogue knows of the gym family without loading gymnasium."""

from typing import Any

from assay.core.axis import COMPONENTS, Axis, takes
from assay.names import TaskText

# `assay check gym` proves on these.
EXAMPLES = ("gym/CartPole-v1", "gym/Pendulum-v1", "gym/FrozenLake-v1", "gym/HalfCheetah-v5")

MAKE = "make."  # before a setting that `gymnasium.make` itself takes: make.is_slippery=false


@takes("what gymnasium.make takes there")
def keep_value(value: Any) -> Any:
    return value


def make_setting(env: str, name: str) -> Axis | None:
    """A setting of `gymnasium.make`; the env itself says whether it knows it, when it is made."""
    if not name.startswith(MAKE) or not name.removeprefix(MAKE).isidentifier():
        return None
    return Axis(
        name, COMPONENTS, "structure", keep_value, None, (), origin="Gymnasium",
        means=f"the setting {name.removeprefix(MAKE)} of gymnasium.make",
    )  # fmt: skip


# Of a whole episode, as Gymnasium's own envs pay it; (low, high, whether only these two occur).
SCORES = {
    "gym/FrozenLake-v1": (0.0, 1.0, True), "gym/FrozenLake8x8-v1": (0.0, 1.0, True),
    "gym/Blackjack-v1": (-1.0, 1.0, False),
}  # fmt: skip


def score_range(text: TaskText) -> tuple[float, float, bool] | None:
    """Where scores lie, where that is known; a setting of `gymnasium.make` may change what is paid."""
    made = any(setting.name.startswith(MAKE) for setting in text.settings)
    return None if made else SCORES.get(text.env)


AXES = (
    Axis(
        "irrelevant_dims", ("initial", "action", "transition", "observation"), "structure", int, 0, (2, 8),
        low=0, high=1000, origin="MDP Playground, wrapper",
        means="dimensions of a toy/continuous beside the env, with actions of their own, that pay nothing",
    ),
    # Of MuJoCo envs only; others refuse them when they are built.
    Axis(
        "action_range", ("action",), "structure", float, 1.0, (0.5, 2.0, 4.0), low=1e-3, high=1e3,
        means="factor on the bounds of the action; the physics no longer clamps it",
        origin="MDP Playground, MuJoCo wrapper",
    ),
    Axis(
        "time_unit", ("transition",), "structure", float, 1.0, (2.0, 4.0), low=1e-3, high=1e3,
        means="factor on the duration of an action, such that it lasts a whole number of physics steps",
        origin="MDP Playground, MuJoCo wrapper",
    ),
    Axis(
        "reward_per_time", ("reward",), "structure", bool, True, (False,), needs=("time_unit",),
        context="time_unit=2.0", asks=True, origin="MDP Playground, MuJoCo wrapper",
        means="multiply the reward by time_unit, so that returns keep their scale",
    ),
)  # fmt: skip
