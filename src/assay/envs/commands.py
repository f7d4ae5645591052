"""The commands that families bring: the only part of a family that `assay --help` loads."""

from __future__ import annotations

from assay.core.command import Command

ATARI = Command(
    "atari", "assay.cli.atari:run", "Record starts of a game, or look through a rule file of your own."
)
COMMANDS = (ATARI,)
