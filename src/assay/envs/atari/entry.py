"""The axes and the games of the atari family, as the catalogue lists them without loading the emulator."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from assay.core.axis import Axis, stochastic_tags, takes
from assay.core.variation import HostRule
from assay.envs.atari.games import Game, game_of, games, games_with_rules
from assay.envs.atari.rewards import reward_names
from assay.envs.atari.rule_records import Variation
from assay.envs.atari.settings import HALF_HOUR, MODES, PRESETS
from assay.errors import WrongLevel

PLAIN = "plain"  # the neutral of a family of values


@takes("1 to 60 frames, or a list [2,4] of the fewest and the most")
def frameskip(value: Any) -> Any:
    """A whole number of frames, or the fewest and the most."""
    numbers = value if isinstance(value, tuple) else (value,)
    whole = all(type(n) is int and 1 <= n <= 60 for n in numbers)
    if not whole or len(numbers) > 2 or (len(numbers) == 2 and numbers[0] > numbers[1]):
        raise WrongLevel("write whole numbers from 1 to 60, the fewest first.")
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


EXAMPLE = "assay.envs.atari.rewards:alive"
ALE = "Arcade Learning Environment"
STRUCTURE = (
    Axis("preset", ("initial", "action", "transition", "observation", "terminal"), "structure", str, "v5",
         tuple(PRESETS), choices=("v5", *PRESETS), origin="published protocols",
         means="preprocessing between agent and console: Gymnasium's v5 or another published protocol"),
    Axis("observation", ("observation",), "structure", str, "rgb",
         ("gray", "gray84", "rgb64", "ram", "palette"), choices=MODES, origin="ALE; STORI",
         means="the screen in colour, gray, 84 x 84 gray, 64 x 64 colour or palette numbers, the RAM, its "
         "named cells, quantities decoded from them, or the game's objects as numbers or masks",
         stochasticity="3.1"),
    Axis("frameskip", ("transition",), "structure", frameskip, 4, (1, 8, (2, 4)), origin=ALE,
         means="frames for which an action lasts; [2,4] draws the number at every step"),
    Axis("sticky", ("transition",), "structure", float, 0.25, (0.0, 0.5), low=0.0, high=1.0,
         context="noops=30", origin="Machado et al. 2018", stochasticity="1",
         means="chance, at every frame, that the previous action is executed again"),
    Axis("noops", ("initial",), "structure", int, 0, (30,), low=0, high=10_000, origin="Mnih et al. 2015",
         means="largest number of no-op frames before an episode; their number is drawn, at least 1"),
    Axis("noop_frames", ("initial",), "structure", int, 1, (4,), low=1, high=60, context="noops=30",
         origin="HackAtari", means="frames for which each no-op, or the press of the button, lasts"),
    Axis("fire", ("initial",), "structure", bool, False, (True,), origin=ALE,
         means="press the button once before an episode and before its no-ops"),
    Axis("life_loss", ("terminal",), "structure", bool, False, (True,), origin="Mnih et al. 2015",
         means="a lost life ends the episode"),
    Axis("actions", ("action",), "structure", str, "minimal", ("full",), choices=("minimal", "full"),
         origin=ALE,
         means="the actions that have an effect in this game, or all 18 of the console"),
    Axis("action_channels", ("action", "transition"), "structure", str, "step", ("frame",),
         choices=("step", "frame"), context="action.sticky=0.5+sticky=0.0+noops=30", origin="assay",
         means="whether variations of the action act once a step or on every frame"),
    Axis("max_frames", ("terminal",), "structure", int, HALF_HOUR, (2000,), low=1, high=10**9, origin=ALE,
         means="frames after which an episode is cut"),
    Axis("stack", ("observation",), "structure", int, 0, (2, 4), low=0, high=64, origin="Mnih et al. 2015",
         means="number of frames in an observation; 0: four for gray84 and masks, two for objects, else one"),
    Axis("pool", ("observation",), "structure", bool, True, (False,), context="observation=gray84",
         origin="Mnih et al. 2015",
         means="a picture shows the brighter of the step's last two frames"),
    Axis("channels", ("observation",), "structure", str, "last", ("first",), choices=("last", "first"),
         context="observation=gray84", origin=ALE,
         means="whether the frames of a stack lie along the last axis or the first"),
    Axis("starts", ("initial",), "structure", str, "", ("play:16",), origin="Nair et al. 2015",
         means='episodes begin in a state of recorded play: play:16 records 16 states, "my.npz" is a file'),
    Axis("rewards", ("reward",), "structure", reward_names, ("game",), ((EXAMPLE,),),
         origin="HackAtari", asks=True,
         means='the reward is the sum of your functions, "module:function", and of game, the game\'s reward'),
    Axis("overlap", ("transition",), "structure", str, "refuse", ("last",), choices=("refuse", "last"),
         origin="assay",
         means="when two variations write one cell: refuse the task, or let the last one win"),
    Axis("granularity", ("transition", "reward", "observation"), "structure", str, "step", ("frame",),
         choices=("step", "frame"), origin="STORI",
         means="whether variations with a chance draw once a step or at every frame"),
    Axis("align", ("observation",), "structure", str, "same", ("next",), choices=("same", "next"),
         origin="STORI",
         means="whether a picture with hidden cells shows the present frame or an idle one after it"),
    Axis("draws", ("transition", "reward", "observation"), "structure", str, "", ("seed:1",), origin="assay",
         means='what variations with a chance draw: seed:1 gives other draws in the same game, "my.json" '
         "holds recorded ones"),
    Axis("compat", ("transition", "observation"), "structure", str, "assay", ("hackatari", "stori"),
         choices=("assay", "hackatari", "stori"), origin="HackAtari, STORI",
         means="how rules run: once a frame, as in HackAtari once more at every step, or as in STORI"),
)  # fmt: skip


@cache
def axes_of(name: str) -> tuple[Axis, ...]:
    """All axes of `atari/<Game>`; for `atari/*`, the axes that every game has."""
    if name == "atari/*":
        return STRUCTURE
    game = game_of(name)
    own = tuple(axis_of(variation) for variation in game.variations.values())
    idle = {name for name, has in (("life_loss", game.lives), ("fire", game.fire)) if not has}
    return (
        tuple(axis for axis in STRUCTURE if axis.name not in idle)
        + drop_axes_without_levels(modes_of(game))
        + own
    )


def modes_of(game: Game) -> tuple[Axis, ...]:
    """ALE's own modes and difficulties."""
    choices = (("mode", game.modes, game.mode), ("difficulty", game.difficulties, game.difficulty))
    return tuple(
        Axis(
            setting, ("initial", "transition"), "structure", int, plain,
            tuple(n for n in known if n != plain), choices=known, origin=ALE,
            means=f"the game's own {setting}, by its number in the emulator",
        )
        for setting, known, plain in choices
    )  # fmt: skip


def drop_axes_without_levels(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    return tuple(axis for axis in axes if axis.levels)


def axis_of(variation: Variation) -> Axis:
    """The axis of a variation: a switch, a choice among its values, or a probability."""
    if variation.chances:
        return dose_of(variation)
    levels = tuple(variation.values) or (True,)
    neutral: Any = PLAIN if variation.values else False
    acts = HostRule(neutral, variation.name, variation.touches, neutral=neutral, asks=variation.asks)
    return Axis(
        variation.name, variation.touches, "choice" if variation.values else "switch",
        str if variation.values else bool, neutral, levels, variation.means, variation.origin,
        choices=(PLAIN, *levels) if variation.values else (), asks=variation.asks, acts=acts,
        direction=variation.direction, directions=tuple(variation.directions.items()),
        restates=variation.restates, aliases=tuple(variation.aliases), refuses=variation.refuses,
        stochasticity=variation.stochasticity,
    )  # fmt: skip


def dose_of(variation: Variation) -> Axis:
    """The axis of a variation whose level is a probability."""
    acts = HostRule(0.0, variation.name, variation.touches, neutral=0.0, asks=variation.asks)
    return Axis(
        variation.name, variation.touches, "dose", float, 0.0, variation.chances, variation.means,
        variation.origin, low=0.0, high=1.0, asks=variation.asks, acts=acts, direction=variation.direction,
        aliases=tuple(variation.aliases), refuses=variation.refuses,
        tags=stochastic_tags(variation.touches[0]), stochasticity=variation.stochasticity,
    )  # fmt: skip


def find_spelling(env: str, name: str) -> Axis | None:
    """The axis of a name that `axes_of` does not list: one value as a switch, an alias, a user's rule."""
    if env == "atari/*":
        return None
    game = game_of(env)
    if ".yaml:" in name:
        axis = axis_of(game.find_in_user_file(name)[1])
        return replace(axis, name=name, origin=name, acts=replace(axis.acts, name=name))
    if name in ("mode", "difficulty", "life_loss", "fire"):  # in a game with only one mode, or without lives
        return next(axis for axis in STRUCTURE + modes_of(game) if axis.name == name)
    if name not in game.spellings:
        return None
    own, value = game.spellings[name]
    axis = axis_of(game.variations[own])
    if axis.kind == "dose":
        return replace(axis, name=name, acts=replace(axis.acts, name=name))
    acts = replace(axis.acts, name=name, level=False, neutral=False)
    return replace(
        axis, name=name, kind="switch", type=bool, neutral=False, levels=(True,), choices=(), acts=acts,
        direction=axis.direction_of(value), directions=(), restates=(True,) if value in axis.restates else (),
    )  # fmt: skip


def describe_other_games(env: str, name: str) -> str:
    """The other games in which a name means something, in words; "" where there are none."""
    others = [
        game.name for game in games().values()
        if f"atari/{game.name}" != env and (name in game.variations or name in game.spellings)
    ]  # fmt: skip
    return f"it is one of {', '.join(others[:3])}" if others else ""


def envs_with_rules() -> list[str]:
    """The envs of the games that have a rule file."""
    return [f"atari/{name}" for name in games_with_rules()]


def members() -> list[dict[str, str]]:
    """Every game with the number of its variations; each value of a family counts as one."""
    rows = []
    for game in games().values():
        names = sum(len(variation.values) or 1 for variation in game.variations.values())
        choice = f"{len(game.modes)} modes, {len(game.difficulties)} difficulties, {game.actions} actions"
        rows.append({
            "name": f"atari/{game.name}", "axes": f"{names} variations" if names else "", "means": choice,
            "origin": "",
        })  # fmt: skip
    return rows
