"""STORI's configurations as tasks: `from_stori` takes a YAML file or a dict, nested or with dotted keys.

Every key is checked, also those of blocks that the chosen type does not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from assay.core.axis import as_plain_number, show_value
from assay.errors import NotApplicable, UnknownName, WrongLevel
from assay.task_text import Schedule, Setting, TaskText, suggest
from assay.tasks import task
from assay.user_files import read_user_yaml

TYPE = "stochasticity_type"
CHANCE_OF_ACTION = "intrinsic_stochasticity.action_dependent.stochastic_action_prob"
EVENT = "intrinsic_stochasticity.action_independent_random"
DRIFT = "intrinsic_stochasticity.action_independent_concept_drift"
SIGHT = "partial_observation"
KEYS = (
    TYPE, CHANCE_OF_ACTION, f"{EVENT}.mode", f"{EVENT}.random_stochasticity_prob", f"{DRIFT}.temporal_mode",
    f"{DRIFT}.temporal_threshold", f"{DRIFT}.secondary_concept_type", f"{DRIFT}.skip", f"{SIGHT}.type",
    f"{SIGHT}.mode", f"{SIGHT}.prob",
)  # fmt: skip
CHANCES = (CHANCE_OF_ACTION, f"{EVENT}.random_stochasticity_prob", f"{SIGHT}.prob")
TYPES = ("0", "1", "2.1", "2.2", "3.1", "3.2")
SECONDARY = ("1", "2.1", "3.2")  # what a task can drift to
WORDS = {
    TYPE: TYPES, f"{DRIFT}.temporal_mode": ("sudden", "cyclic"), f"{DRIFT}.secondary_concept_type": SECONDARY,
    f"{SIGHT}.type": ("crop", "blackout", "ram"),
}  # fmt: skip
COUNTS = (f"{DRIFT}.temporal_threshold", f"{DRIFT}.skip")
BLOCKS = (EVENT.partition(".")[0], CHANCE_OF_ACTION.rpartition(".")[0], EVENT, DRIFT, SIGHT)
DEEPEST = 4  # mappings inside one another
CROPS = ("", "observation.mask.left", "observation.mask.right", "observation.mask.top",
         "observation.mask.bottom", "observation.torch.75")  # fmt: skip
ALE_NAME = re.compile(r"ALE/(\w+)-v5")  # as STORI and Gymnasium name a game
USUAL_SKIP = 4  # frames of a step in all published experiments
FEWEST_FRAMES = 1  # the skip of a configuration that names none


class Modes(NamedTuple):
    """The highest mode of each kind that a game has; mode 0 is none."""

    event: int
    blackout: int
    ram: int


GAMES = {
    "Breakout": Modes(3, 11, 2), "Boxing": Modes(3, 9, 3), "Gopher": Modes(3, 18, 5),
    "BankHeist": Modes(4, 10, 6),
}  # fmt: skip
MODES = {
    f"{EVENT}.mode": lambda modes: modes.event,
    f"{SIGHT}.mode": lambda modes: max(modes.blackout, modes.ram, len(CROPS) - 1),
}
# In BankHeist the other actions drop bombs under one's own car.
SUPPORT = {"BankHeist": "action.restricted.0-9"}


def from_stori(
    config: Mapping[str, Any] | str | Path, game: str, acts: Literal["step", "frame"] = "step"
) -> TaskText:
    """The task of a STORI configuration on one of its games, `from_stori(config, "Breakout")`.

    With acts="frame" chance is drawn on every frame, as in STORI, and not once a step.
    """
    keys = flatten(read_config(config))
    check_keys(keys)
    game = name_of_game(game)
    if acts not in ("step", "frame"):
        raise WrongLevel(f"acts is step or frame, not {show_value(acts)}.")
    kind = word_of(keys, TYPE, TYPES)
    settings = [Setting("sticky", 0.0)]
    if kind == "0":  # the labelled state and no chance
        return TaskText(f"atari/{game}", (*settings, Setting("observation", "labels")))
    schedule = None
    if kind == "2.2":
        kind = word_of(keys, f"{DRIFT}.secondary_concept_type", SECONDARY)
        schedule, skip = read_drift(keys)
        settings += [Setting("frameskip", skip)] if skip != USUAL_SKIP else []
    varied = read_type(keys, kind, game)
    if acts == "frame":
        settings += [by_frame(each) for each in varied]
    settings += [Setting(each.name, each.value, schedule) for each in varied]
    return TaskText(f"atari/{game}", tuple(settings))


def name_of_game(game: Any) -> str:
    """The game as assay names it; `ALE/Breakout-v5` is Breakout. One that does not exist is refused."""
    if not isinstance(game, str):
        raise WrongLevel(f"a game is named by a text such as Breakout, not {show_value(game)}.")
    name = ALE_NAME.fullmatch(game)
    bare = name[1] if name else game
    if bare not in GAMES:
        task(f"atari/{bare}")  # raises where there is no such game
    return bare


def by_frame(varied: Setting) -> Setting:
    """The setting under which this variation draws on every frame."""
    if varied.name.startswith("action."):
        return Setting("action_channels", "frame")
    if varied.name.startswith("observation."):
        raise NotApplicable(
            f"{varied.name} is drawn once a step, as is all that a crop hides; leave acts out."
        )
    return Setting("granularity", "frame")


def read_config(config: Any) -> Mapping[str, Any]:
    if isinstance(config, (str, Path)):
        config = read_user_yaml(config)
    if not isinstance(config, Mapping):
        raise WrongLevel(f"a STORI configuration is a dict or a YAML file of one, not {show_value(config)}.")
    return config


def flatten(config: Mapping[str, Any], within: str = "", depth: int = 0) -> dict[str, Any]:
    """The configuration with dotted keys alone; a block without keys is known by its own name."""
    if depth > DEEPEST:
        raise WrongLevel(f"a STORI configuration is nested {DEEPEST} deep at most; {within}... is deeper.")
    flat: dict[str, Any] = {}
    for key, value in config.items():
        name = f"{within}{key}"
        if isinstance(value, Mapping) and not value and name in BLOCKS:
            continue
        nested = isinstance(value, Mapping) and bool(value)
        inner = flatten(value, f"{name}.", depth + 1) if nested else {name: value}
        for each in inner:
            if each in flat:
                raise WrongLevel(f"{each} is set twice, nested and dotted; keep one of them.")
        flat |= inner
    return flat


def check_keys(keys: Mapping[str, Any]) -> None:
    for key in keys:
        if key not in KEYS:
            near = suggest(key, KEYS)
            hint = f"did you mean {near}?" if near else f"the keys are {', '.join(KEYS)}."
            raise UnknownName(f"a STORI configuration has no key {key!r}; {hint}")
    given = {key for key, value in keys.items() if value is not None}
    for key in given.intersection(CHANCES):
        chance_of(keys, key)
    for key in given.intersection(COUNTS):
        steps_of(keys, key)
    for key, known in WORDS.items():
        if key in given:
            word_of(keys, key, known)
    for key in given.intersection(MODES):
        mode_of(keys, key, max(MODES[key](modes) for modes in GAMES.values()), "any of STORI's games")


def require(keys: Mapping[str, Any], key: str) -> Any:
    if keys.get(key) is None:
        raise WrongLevel(f"the configuration lacks {key}; add it.")
    return keys[key]


def word_of(keys: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str:
    """A word, or a number that stands for one: YAML reads 3.2 as a number."""
    word = str(require(keys, key))
    if word not in known:
        raise WrongLevel(f"{key} is one of {', '.join(known)}, not {show_value(keys[key])}.")
    return word


def chance_of(keys: Mapping[str, Any], key: str) -> float:
    chance = as_plain_number(require(keys, key))
    if chance is None or not 0 <= chance <= 1:
        raise WrongLevel(f"{key} is a chance from 0 to 1, not {show_value(keys[key])}.")
    return float(chance)


def steps_of(keys: Mapping[str, Any], key: str) -> int:
    steps = keys[key]
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise WrongLevel(f"{key} is a whole number from 1 up, not {show_value(steps)}.")
    return steps


def mode_of(keys: Mapping[str, Any], key: str, most: int, what: str) -> int:
    mode = str(require(keys, key))
    if not (mode.isascii() and mode.isdigit() and str(int(mode)) == mode and int(mode) <= most):
        raise WrongLevel(f"{key} is a mode from 0 to {most} for {what}, not {show_value(keys[key])}.")
    return int(mode)


def read_drift(keys: Mapping[str, Any]) -> tuple[Schedule, int]:
    """The schedule of the second concept, which begins off, and the frames of a step.

    Both kinds drift after so many completed steps; STORI's sudden drift comes one step earlier.
    """
    kind = word_of(keys, f"{DRIFT}.temporal_mode", WORDS[f"{DRIFT}.temporal_mode"])
    require(keys, f"{DRIFT}.temporal_threshold")
    steps = steps_of(keys, f"{DRIFT}.temporal_threshold")
    skip = steps_of(keys, f"{DRIFT}.skip") if f"{DRIFT}.skip" in keys else FEWEST_FRAMES
    return Schedule("sudden", (steps,)) if kind == "sudden" else Schedule("turn", (steps, 1, 2)), skip


def read_type(keys: Mapping[str, Any], kind: str, game: str) -> list[Setting]:
    """The variations of one type but drift; none where its mode is 0."""
    if kind == "1":
        return [Setting(SUPPORT.get(game, "action.random"), chance_of(keys, CHANCE_OF_ACTION))]
    if kind == "2.1":
        mode = mode_of(keys, f"{EVENT}.mode", modes_of(game, kind).event, f"events of {game}")
        chance = chance_of(keys, f"{EVENT}.random_stochasticity_prob")
        return [Setting(f"stori_event_{mode}", chance)] if mode else []
    return read_sight(keys, game) if kind == "3.2" else []


def read_sight(keys: Mapping[str, Any], game: str) -> list[Setting]:
    what, chance = (
        word_of(keys, f"{SIGHT}.type", WORDS[f"{SIGHT}.type"]),
        chance_of(keys, f"{SIGHT}.prob"),
    )
    if what == "crop":
        mode = mode_of(keys, f"{SIGHT}.mode", len(CROPS) - 1, "crops")
        return [Setting(CROPS[mode], chance)] if mode else []
    modes = modes_of(game, f"{what} of type 3.2")
    most = modes.blackout if what == "blackout" else modes.ram
    mode = mode_of(keys, f"{SIGHT}.mode", most, f"{what} of {game}")
    return [Setting(f"stori_{what}_{mode}", chance)] if mode else []


def modes_of(game: str, what: str) -> Modes:
    if game not in GAMES:
        raise NotApplicable(
            f"STORI has modes of {what} for {', '.join(GAMES)}, not for {game}; its types 1, 3.1 and crops "
            "take any game."
        )
    return GAMES[game]
