"""From a task's settings to a host, refusing those that would do nothing there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.variation import Inner
from assay.envs.atari.games import Game, game_of
from assay.envs.atari.host import AtariHost
from assay.envs.atari.screen import POOLED
from assay.envs.atari.settings import preprocessing
from assay.errors import NotApplicable


def build(
    name: str, settings: Mapping[str, Any], render_mode: str | None = None, inside: Sequence[Inner] = ()
) -> AtariHost:
    """The host of `atari/<Game>`."""
    if render_mode not in (None, "rgb_array"):
        raise NotApplicable(f"{name} renders as rgb_array, not as {render_mode!r}.")
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
    return AtariHost(game, settings, inside)


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
