"""The best possible return of a game of hidden rules. No jax here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.envs.rules.edits import uses_feature
from assay.envs.rules.task_boards import plan_boards
from assay.envs.rules.task_rule import find_task_rule


def find_optimum(settings: Any, others: Mapping[str, Any]) -> tuple[float | None, str]:
    """0 under every rule: while an episode goes on, some move is accepted, and an action can name it."""
    if settings.crowded and settings.actions == "cells":
        return None, "pieces that share a cell cannot be named by it, so that errors may be unavoidable"
    hidden = [name for name in ("shape", "color") if others.get(f"hide_{name}", False)]
    rule = find_task_rule(settings, plan_boards(settings))  # refuses one that cannot be played
    if any(uses_feature(rule, name) for name in hidden):
        return None, "the rule goes by a feature that is hidden, so that errors may be unavoidable"
    return 0.0, "a player who knows the rule makes no error: while a game goes on, some move is accepted"
