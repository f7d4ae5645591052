"""Builds the host of a task from its settings; settings that would have no effect are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.space import Box, Discrete, Space
from assay.core.variation import Channel, HostRule
from assay.envs.atari.channels import refuse_channels
from assay.envs.atari.emulator import require_installed, unknown_choice
from assay.envs.atari.game_table import WIDTH
from assay.envs.atari.games import Game, game_of
from assay.envs.atari.host import AtariHost
from assay.envs.atari.objects.views import MODES as OBJECT_MODES
from assay.envs.atari.rule_compiler import ACTIONS
from assay.envs.atari.screen import NO_PICTURES, POOLED, shape_of, space_of
from assay.envs.atari.settings import read_preprocessing
from assay.errors import NotApplicable


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
    names = len(game.observed_names(options.observation))
    single = shape_of(options.observation, (game.rows, WIDTH), names)
    return {
        "action": Discrete(len(ACTIONS) if options.actions == "full" else game.actions),
        "reward": Box(-np.inf, np.inf, (), "float64"),
        "observation": space_of(single, options.depth, options.channels, options.observation),
    }


def check_game(name: str, settings: Mapping[str, Any], inside: Sequence[HostRule]) -> Game:
    """The game of a task, or NotApplicable where settings and variations do not fit it or each other."""
    game = game_of(name)
    refuse_idle_chances(game, settings, [record.name for record in inside])
    chosen = [(record.name, record.level) for record in inside if record.level != record.neutral]
    last_wins = settings.get("overlap") == "last"
    if not game.conflicts(chosen, refuse=not last_wins) and last_wins:
        raise NotApplicable(
            f"overlap=last has no effect: no two variations of this {name} task write one cell; drop it."
        )
    refuse_idle_settings(game, settings)
    refuse_unseen(game, settings, [record.name for record in inside if record.level != record.neutral])
    if settings.get("compat") == "hackatari" and not chosen:
        raise NotApplicable(
            f"compat=hackatari sets when rules run, and this {name} task has no rules; drop it."
        )
    return game


def refuse_idle_chances(game: Game, settings: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuses settings of variations with a chance that find none to act on, and one named twice."""
    variations = [game.variation_of(each)[0] for each in names]
    chancy = [each for each in variations if each.chances]
    twice = [each.name for number, each in enumerate(chancy) if each in chancy[:number]]
    if twice:
        raise NotApplicable(f"this atari/{game.name} task names {twice[0]} twice; drop one of the two.")
    hides = any("hide" in each.hooks for each in chancy)
    idle = {
        "granularity": settings.get("granularity") == "frame" and not chancy,
        "draws": bool(settings.get("draws")) and not chancy,
        "compat": settings.get("compat") == "stori" and not chancy,
        "align": settings.get("align") == "next" and not hides,
    }
    for setting, is_idle in idle.items():
        if is_idle:
            kind = "hides cells" if setting == "align" else "has a chance"
            raise NotApplicable(
                f"{setting}={settings[setting]} acts on variations, and none of this atari/{game.name} task "
                f"{kind}; add one, such as those of `assay list atari/{game.name}`, or drop it."
            )


def refuse_unseen(game: Game, settings: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuses what changes the picture alone in a task that shows no picture."""
    observation = read_preprocessing(dict(settings)).observation
    if observation not in NO_PICTURES:
        return
    for name in names:
        variation = game.variation_of(name)[0]
        if variation.unlists and observation in OBJECT_MODES:
            continue
        if not set(variation.hooks) - {"hide"} and not variation.refuses:
            raise NotApplicable(
                f"{name} changes the picture alone, and this atari/{game.name} task shows {observation}; "
                "drop it, or take a picture such as observation=rgb."
            )


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
            f"pool=false acts on observation={', '.join(POOLED)}, and this {name} task shows "
            f"{options.observation}; drop it."
        )
    if options.channels == "first" and options.depth == 1:
        raise NotApplicable(
            f"channels=first acts on a stack of frames, and this {name} task shows one frame; "
            "write stack=4 or drop it."
        )
