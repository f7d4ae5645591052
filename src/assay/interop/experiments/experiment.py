"""MDP Playground's experiment files as lists of tasks, with the agent's settings, seeds and budget.

    experiment = assay.from_playground_experiment("experiments/dqn_seq.py")
    experiment.points[0].task, experiment.agent, experiment.points[0].settings, experiment.dropped

The file is read and not run (`plain_python.py`). `experiment.suite` is what `assay run FILE.py` trains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.core.axis import as_plain_number, show_value
from assay.errors import AssayError, NotApplicable
from assay.interop.experiments.agent_settings import NO_EFFECT, agent_of, read_agent
from assay.interop.experiments.grid import Point as Levels
from assay.interop.experiments.grid import read_points, varied_levels, without_seeds
from assay.interop.experiments.plain_python import read_names
from assay.interop.experiments.plain_values import NormalNoise, Unknown
from assay.interop.playground import from_playground
from assay.interop.playground_wrappers import ATARI, BODIES, TOY
from assay.suites.suite import Pair, Suite
from assay.task_text import TaskText

NEEDED = ("algorithm", "env_config")
# The budgets with which the original's script stops where a file names none.
STEPS = {ATARI: 10_000_000, "HalfCheetahWrapper-v3": 3_000_000, "HopperWrapper-v3": 1_000_000,
         "PusherWrapper-v2": 500_000, "ReacherWrapper-v2": 500_000}  # fmt: skip
TOY_STEPS = {"A3C": 150_000}
OTHER_STEPS = 20_000
LABELS = ("ablate", "dummy_eval")  # marks of the original's tables, which no env reads
CHANGES_NOTHING = "it changes nothing: plain, or ignored by the original too"
OF_ENVS = {  # why an env's key is left out; for all others it changes nothing
    "seed": f"{CHANGES_NOTHING}; every run seeds its episodes",
    "atari_preprocessing": "observation=gray84, stack=1 and noops=1 take its place",
    "grayscale_obs": "screens of this size are gray",
    "image_width": "84, which gray84 has",
    **dict.fromkeys(LABELS, "a mark in the results, which no env reads"),
}
AT_SOME = " (at some points)"
# What evaluation there sets that training may not know: a point of toy/discrete has no weight of actions.
ONLY_CONTINUOUS = ("action_loss_weight",)
MOST_SEEDS = 100_000


@dataclass(frozen=True)
class Point:
    """One point of the grid: what is trained on, what it is evaluated on, and how the agent is set."""

    task: TaskText
    evaluate: TaskText
    settings: Mapping[str, Any]
    levels: Mapping[str, Any]  # of what the file varies, by the file's own names


@dataclass(frozen=True)
class Refused:
    """A point that cannot be built, and why."""

    levels: Mapping[str, Any]
    why: str


@dataclass(frozen=True)
class Experiment:
    """An experiment file: its points, and what all of them share."""

    name: str
    agent: str
    points: tuple[Point, ...]
    varied: Mapping[str, list]  # what differs between points: key -> its levels
    seeds: int  # agents trained at every point
    steps: int  # env steps of training, of the first point
    episodes: int  # of evaluation
    evaluates: bool  # whether the original evaluates at every report, or not at all
    dropped: Mapping[str, str] = field(default_factory=dict)  # key -> why nothing here stands for it
    refused: tuple[Refused, ...] = ()

    @property
    def suite(self) -> Suite:
        """The same as a suite, which `assay run` trains."""
        if not self.points:
            raise AssayError(f"{self.name} has no point that can be built; {self.refused[0].why}")
        asks = f"MDP Playground's experiment {self.name}."
        if self.varied:
            asks = f"MDP Playground's experiment {self.name}, over {', '.join(self.varied)}."
        shared, own = split_settings([each.settings for each in self.points])
        return Suite(
            self.name, 1, asks, tuple(Pair(str(each.task), str(each.evaluate)) for each in self.points),
            tuple(range(self.seeds)), self.episodes, rollouts=self.evaluates, settings=own,
            agent=self.agent, steps=self.steps, recipes={self.agent: shared},
        )  # fmt: skip


def split_settings(points: list[Mapping[str, Any]]) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """The settings that all points share, and those of each beside them; none where all are shared."""
    first, *others = points
    shared = {
        key: value for key, value in first.items() if all(each.get(key, ...) == value for each in others)
    }
    own = tuple({key: value for key, value in each.items() if key not in shared} for each in points)
    return shared, own if any(own) else ()


def is_experiment(text: str) -> bool:
    return text.endswith(".py")


def from_playground_experiment(path: str | Path, *, skip_refused: bool = False) -> Experiment:
    """The experiment in one of MDP Playground's files, which is read without being run.

    A point that cannot be built is an error; with `skip_refused` it stands in `refused` with its reason, and
    the others are built.
    """
    place = Path(path)
    names = read_names(place)
    for name in NEEDED:
        if name not in names:
            raise AssayError(f"{place} binds no {name}; an experiment of MDP Playground does.")
    try:
        points, seeds = without_seeds(read_points(names))
        return build(place.stem, names, points, seeds or seeds_of(names), skip_refused)
    except AssayError as error:
        raise type(error)(f"{place} cannot be read as an experiment: {error}") from None


def build(
    name: str, names: Mapping[str, Any], points: list[Levels], seeds: int, skip_refused: bool
) -> Experiment:
    varied = varied_levels(points)
    built, refused, dropped = [], [], []
    for point in points:
        try:
            made, left_out = build_point(names, point, varied)
        except AssayError as error:
            if not skip_refused:
                raise
            refused.append(Refused(levels_of(point, varied), str(error)))
            continue
        built.append(made)
        dropped.append(left_out)
    evaluation = evaluation_of(names)
    episodes = evaluation.get("evaluation_num_episodes", 10)
    return Experiment(
        name, agent_of(names["algorithm"]), tuple(built), varied, seeds,
        built[0].settings["steps"] if built else 0, whole("evaluation_num_episodes", episodes),
        bool(names.get("eval_config", {}).get("evaluation_interval")), of_all(dropped), tuple(refused),
    )  # fmt: skip


def of_all(dropped: list[dict[str, str]]) -> dict[str, str]:
    """What is left out at any point; a key that some points use is said to be."""
    reasons = {key: why for each in dropped for key, why in each.items()}
    return {
        key: why if all(key in each for each in dropped) else why + AT_SOME for key, why in reasons.items()
    }


def build_point(
    names: Mapping[str, Any], point: Levels, varied: Mapping[str, list]
) -> tuple[Point, dict[str, str]]:
    """One point, and the keys that nothing here stands for."""
    around = merge(names["env_config"], {"env_config": point["env"]})
    name, own = around.get("env", TOY), around.get("env_config", {})
    config = merge(
        merge(plain_dict(names, "agent_config"), plain_dict(names, "model_config")), point["agent"]
    )
    config = merge(config, {"model": point["model"]} if point["model"] else {})
    steps = names.get("timesteps_total", STEPS.get(name, TOY_STEPS.get(names["algorithm"], OTHER_STEPS)))
    if name in BODIES and (unit := own.get("time_unit", 1.0)) != 1.0:
        config, steps = by_time(config, steps, unit, "timesteps_total" in names)
    train, left_out = task_of(around)
    evaluate, _ = task_of(evaluation_env(names, around))
    pictures = name == ATARI or bool(own.get("image_representations"))
    _, settings, dropped = read_agent(names["algorithm"], config, whole("timesteps_total", steps), pictures)
    levels = levels_of(point, varied)
    for key in levels:
        why = dropped.get(key.removeprefix("agent."), NO_EFFECT)
        if not why.startswith(NO_EFFECT):
            raise NotApplicable(
                f"{key}={show_value(levels[key])} differs between points, and nothing here stands for it "
                f"({why}); take it out of what is varied."
            )
    left_out += [key for key in LABELS if key in own]
    reasons = {key: OF_ENVS.get(key, CHANGES_NOTHING) for key in left_out}
    return Point(train, evaluate, settings, levels), {**reasons, **dropped}


def task_of(around: Mapping[str, Any]) -> tuple[TaskText, list[str]]:
    own = {key: noise(key, value) for key, value in around.get("env_config", {}).items() if key not in LABELS}
    return from_playground({**around, "env_config": own})


def noise(key: str, value: Any) -> Any:
    """A level of an env; a function that draws normal noise around 0 is its standard deviation."""
    if isinstance(value, NormalNoise) and not value.mean:
        return value.deviation
    if isinstance(value, (Unknown, NormalNoise)):
        raise NotApplicable(f"{key} is {value}; write a value.")
    if isinstance(value, Mapping):
        return {inner: noise(inner, each) for inner, each in value.items() if not isinstance(each, Unknown)}
    return value


def evaluation_of(names: Mapping[str, Any]) -> Mapping[str, Any]:
    evaluation = names.get("eval_config", {}).get("evaluation_config", {})
    if not isinstance(evaluation, Mapping):
        raise NotApplicable(f"evaluation_config is a dict, not {show_value(evaluation)}.")
    return evaluation


def evaluation_env(names: Mapping[str, Any], around: Mapping[str, Any]) -> dict[str, Any]:
    """The env on which the original evaluates: that of training where it does not."""
    if not names.get("eval_config", {}).get("evaluation_interval"):
        return dict(around)
    evaluation = evaluation_of(names)
    own = dict(evaluation.get("env_config", {}))
    if str(around.get("env_config", {}).get("state_space_type", "discrete")).lower() != "continuous" or (
        around.get("env", TOY) != TOY
    ):
        own = {key: value for key, value in own.items() if key not in ONLY_CONTINUOUS}
    trained = around.get("env_config", {})
    own = {
        key: alone(value) if not isinstance(trained.get(key), list) else value for key, value in own.items()
    }
    changed = {"horizon": evaluation["horizon"]} if "horizon" in evaluation else {}
    return merge(around, {**changed, "env_config": own})


def alone(value: Any) -> Any:
    """The value itself where a file lists it alone, as it would where it varies it: make_denser: [False]."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def by_time(config: dict[str, Any], steps: Any, unit: float, fixed: bool) -> tuple[dict[str, Any], Any]:
    """What the original counts in seconds and not in steps where an action lasts longer."""
    changed = dict(config)
    for key in ("learning_starts", "timesteps_per_iteration"):
        if key in changed:
            changed[key] = int(changed[key] / unit)
    if "train_batch_size" in changed:
        changed["train_batch_size"] = int(changed["train_batch_size"] * unit)
    return changed, steps if fixed else int(steps / unit)


def levels_of(point: Levels, varied: Mapping[str, list]) -> dict[str, Any]:
    named = {
        key if part == "env" else f"{part}.{key}": value
        for part in point
        for key, value in point[part].items()
    }
    return {key: value for key, value in named.items() if key in varied}


def merge(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The second dict over the first, dicts inside them likewise."""
    both = dict(first)
    for key, value in second.items():
        old = both.get(key)
        both[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return both


def plain_dict(names: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    given = names.get(name, {})
    if not isinstance(given, Mapping):
        raise NotApplicable(f"{name} is a dict, not {show_value(given)}.")
    return given


def seeds_of(names: Mapping[str, Any]) -> int:
    return whole("num_seeds", names.get("num_seeds", 1))


def whole(name: str, value: Any) -> int:
    number = as_plain_number(value)
    if number is None or number != int(number) or not 1 <= number <= 2**62:
        raise NotApplicable(f"{name} is a whole number from 1 up, not {show_value(value)}.")
    return int(number)
