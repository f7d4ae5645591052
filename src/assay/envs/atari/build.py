"""Builds the host of a task from its settings; settings that would have no effect are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.space import Box, Discrete, Space
from assay.core.variation import Channel, HostRule
from assay.envs.atari.channels import refuse_channels
from assay.envs.atari.emulator import require_installed, unknown_choice
from assay.envs.atari.games import Game, game_of
from assay.envs.atari.host import AtariHost
from assay.envs.atari.rule_compiler import ACTIONS
from assay.envs.atari.screen import POOLED, shape_of, space_of
from assay.envs.atari.settings import read_preprocessing
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
    """The spaces of the host that `build` makes, with the same refusals, without starting an emulator."""
    require_installed(name)
    game, options = check_game(name, settings, inside), read_preprocessing(dict(settings))
    for setting, known in (("mode", game.modes), ("difficulty", game.difficulties)):
        if settings.get(setting) is not None and settings[setting] not in known:
            raise unknown_choice(name, setting, known, settings[setting])
    for record in inside:
        if record.level != record.neutral:
            game.activate(record.name, record.level)  # for its refusal
    refuse_channels(name, options, channels)
    labels = len(game.label_cells(options.observation))
    single = shape_of(options.observation, (game.rows, WIDTH), labels)
    return {
        "action": Discrete(len(ACTIONS) if options.actions == "full" else game.actions),
        "reward": Box(-np.inf, np.inf, (), "float64"),
        "observation": space_of(single, options.depth, options.channels),
    }


def check_game(name: str, settings: Mapping[str, Any], inside: Sequence[HostRule]) -> Game:
    """The game of a task, or NotApplicable where settings and variations do not fit it or each other."""
    game = game_of(name)
    chosen = [(record.name, record.level) for record in inside if record.level != record.neutral]
    last_wins = settings.get("overlap") == "last"
    if not game.conflicts(chosen, refuse=not last_wins) and last_wins:
        raise NotApplicable(
            f"overlap=last has no effect: no two variations of this {name} task write one cell; drop it."
        )
    refuse_idle_settings(game, settings)
    if settings.get("compat") == "hackatari" and not chosen:
        raise NotApplicable(
            f"compat=hackatari sets when rules run, and this {name} task has no rules; drop it."
        )
    return game


def refuse_idle_settings(game: Game, settings: Mapping[str, Any]) -> None:
    """Refuses settings that would have no effect in the game; those of a preset may have none."""
    name, options = f"atari/{game.name}", read_preprocessing(dict(settings))
    if settings.get("life_loss") and not game.lives:
        raise NotApplicable(f"{name} has no lives to lose; drop life_loss.")
    if settings.get("fire") and not game.fire:
        raise NotApplicable(f"the button alone has no effect in {name}; drop fire.")
    if options.noop_frames > 1 and not options.noops and not options.fire:
        raise NotApplicable(
            f"noop_frames is the length of no-ops, and this {name} task has none; write noops=30."
        )
    if not options.pool and options.observation not in POOLED:
        raise NotApplicable(
            f"pool=false acts on observation=gray84 and rgb64, and this {name} task shows "
            f"{options.observation}; drop it."
        )
    if options.channels == "first" and options.depth == 1:
        raise NotApplicable(
            f"channels=first acts on a stack of frames, and this {name} task shows one frame; "
            "write stack=4 or drop it."
        )
