"""The axes of the gym family, as the catalogue lists them without loading gymnasium."""

from typing import Any

from assay.core.axis import COMPONENTS, Axis, stochastic_tags, takes
from assay.task_text import TaskText

# `assay check gym` checks these.
EXAMPLES = ("gym/CartPole-v1", "gym/Pendulum-v1", "gym/FrozenLake-v1", "gym/HalfCheetah-v5")

MAKE = "make."  # the prefix of an argument of `gymnasium.make`: make.is_slippery=false


@takes("any value that gymnasium.make accepts there")
def keep_value(value: Any) -> Any:
    return value


def make_setting(env: str, name: str) -> Axis | None:
    """The axis of an argument of `gymnasium.make`; the env refuses an unknown one when it is made."""
    if not name.startswith(MAKE) or not name.removeprefix(MAKE).isidentifier():
        return None
    return Axis(
        name, COMPONENTS, "structure", keep_value, None, (), origin="Gymnasium",
        means=f"the setting {name.removeprefix(MAKE)} of gymnasium.make",
    )  # fmt: skip


# Scores of a whole episode in Gymnasium's own envs: (low, high, whether only these two occur).
SCORES = {
    "gym/FrozenLake-v1": (0.0, 1.0, True), "gym/FrozenLake8x8-v1": (0.0, 1.0, True),
    "gym/Blackjack-v1": (-1.0, 1.0, False),
}  # fmt: skip


def score_range(text: TaskText) -> tuple[float, float, bool] | None:
    """The range of scores, where it is known; an argument of `gymnasium.make` may change the rewards."""
    changed = any(setting.name.startswith(MAKE) for setting in text.settings)
    return None if changed else SCORES.get(text.env)


def chance_axis(name: str, components: tuple[str, ...], levels: tuple[float, ...], means: str) -> Axis:
    """An event in the world of the env, which comes with a chance at every step."""
    return Axis(
        name, components, "structure", float, 0.0, levels, low=0, high=1, means=means, origin="STORI",
        tags=stochastic_tags("transition"), stochasticity="2.1",
    )  # fmt: skip


CHANCE_AXES = (
    chance_axis(
        "step_repeat",
        ("transition", "reward"),
        (0.1, 0.5),
        "chance that a step is made twice, for the sum of both rewards",
    ),
    chance_axis(
        "step_skip",
        ("transition", "reward"),
        (0.1, 0.5),
        "chance that nothing happens in a step: no reward, the last observation",
    ),
    chance_axis(
        "jump_back",
        ("transition",),
        (0.05, 0.2),
        "chance that a step ends in the state of ten steps before, or in that after the last jump or the "
        "reset, if that is later",
    ),
)
CHANCES = tuple(axis.name for axis in CHANCE_AXES)

AXES = (
    *CHANCE_AXES,
    Axis(
        "irrelevant_dims", ("initial", "action", "transition", "observation"), "structure", int, 0, (2, 8),
        low=0, high=1000, origin="MDP Playground, wrapper",
        means="irrelevant dimensions: a toy/continuous beside the env, with actions of its own and no reward",
    ),
    # Only MuJoCo envs have these axes; others refuse them when they are built.
    Axis(
        "action_range", ("action",), "structure", float, 1.0, (0.5, 2.0, 4.0), low=1e-3, high=1e3,
        means="factor on the bounds of the action; the physics no longer clamps it",
        origin="MDP Playground, MuJoCo wrapper",
    ),
    Axis(
        "time_unit", ("transition",), "structure", float, 1.0, (2.0, 4.0), low=1e-3, high=1e3,
        means="factor on the duration of an action, which must stay a whole number of physics steps",
        origin="MDP Playground, MuJoCo wrapper",
    ),
    Axis(
        "reward_per_time", ("reward",), "structure", bool, True, (False,), needs=("time_unit",),
        context="time_unit=2.0", asks=True, origin="MDP Playground, MuJoCo wrapper",
        means="multiply the reward by time_unit, so that returns keep their scale",
    ),
)  # fmt: skip
