"""The commands that families bring: the only part of a family that `assay --help` loads."""

from __future__ import annotations

from assay.core.command import Command

ATARI = Command(
    "atari", "assay.cli.atari:run", "Record starts of a game, or look through a rule file of your own."
)
RULES = Command(
    "rules", "assay.cli.rules:app", "Look through rule files of hidden-rule games, or serve such a game."
)
COMMANDS = (ATARI, RULES)
