"""From a task's settings to a host, refusing those that would do nothing there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.space import Box, Discrete, Space
from assay.core.variation import Channel, HostRule
from assay.envs.atari.channels import refuse_channels
from assay.envs.atari.compile import ACTIONS
from assay.envs.atari.emulator import not_there, require_installed
from assay.envs.atari.games import Game, game_of
from assay.envs.atari.host import AtariHost
from assay.envs.atari.screen import POOLED, shape_of, space_of
from assay.envs.atari.settings import preprocessing
from assay.errors import NotApplicable

WIDTH = 160  # columns of the console's picture, in every game


def build(
    name: str, settings: Mapping[str, Any], render_mode: str | None = None, inside: Sequence[HostRule] = ()
) -> AtariHost:
    """The host of `atari/<Game>`."""
    if render_mode not in (None, "rgb_array"):
        raise NotApplicable(f"{name} renders as rgb_array, not as {render_mode!r}.")
    return AtariHost(check_game(name, settings, inside), settings, inside)


def spaces_from(
    name: str, settings: Mapping[str, Any], inside: Sequence[HostRule], channels: Sequence[Channel]
) -> dict[str, Space]:
    """The spaces of such a host, refused as it would be, from the table of games: no emulator is started."""
    require_installed(name)
    game, way = check_game(name, settings, inside), preprocessing(dict(settings))
    for what, known in (("mode", game.modes), ("difficulty", game.difficulties)):
        if settings.get(what) is not None and settings[what] not in known:
            raise not_there(name, what, known, settings[what])
    for record in inside:
        if record.level != record.neutral:
            game.running(record.name, record.level)  # one that cannot be had says so
    refuse_channels(name, way, channels)
    single = shape_of(way.observation, (game.rows, WIDTH), len(game.label_cells(way.observation)))
    return {
        "action": Discrete(len(ACTIONS) if way.actions == "full" else game.actions),
        "reward": Box(-np.inf, np.inf, (), "float64"),
        "observation": space_of(single, way.depth, way.channels),
    }


def check_game(name: str, settings: Mapping[str, Any], inside: Sequence[HostRule]) -> Game:
    """The game, where these settings and variations fit it and each other."""
    game = game_of(name)
    chosen = [(record.name, record.level) for record in inside if record.level != record.neutral]
    last_wins = settings.get("overlap") == "last"
    if not game.conflicts(chosen, refuse=not last_wins) and last_wins:
        raise NotApplicable(
            f"overlap=last has nothing to do: no two variations of this {name} task write one cell."
        )
    refuse_idle(game, settings)
    if settings.get("compat") == "hackatari" and not chosen:
        raise NotApplicable(
            f"compat=hackatari is about when rules run, and this {name} task has none; drop it."
        )
    return game


def refuse_idle(game: Game, settings: Mapping[str, Any]) -> None:
    """Settings that would do nothing there; what a preset brings along may."""
    name, way = f"atari/{game.name}", preprocessing(dict(settings))
    if settings.get("life_loss") and not game.lives:
        raise NotApplicable(f"{name} has no lives to lose; drop life_loss.")
    if settings.get("fire") and not game.fire:
        raise NotApplicable(f"{name} has no button to press; drop fire.")
    if way.noop_frames > 1 and not way.noops and not way.fire:
        raise NotApplicable(f"noop_frames is about no-ops, and this {name} task has none; write noops=30.")
    if not way.pool and way.observation not in POOLED:
        raise NotApplicable(
            f"pool=false is about gray84 and rgb64; {name} shows {way.observation} here: drop it."
        )
    if way.channels == "first" and way.depth == 1:
        raise NotApplicable(
            f"channels=first is about a stack of frames, and {name} shows one here; write stack=4 or drop it."
        )
