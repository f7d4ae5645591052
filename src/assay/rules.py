"""For people who work with hidden rules by themselves: the language, boards, and the plain interpreter.

    from assay.rules import Board, Piece, attempt, begin, parse, prepare

Each is loaded when it is asked for, and none of them brings jax. Tasks are made by `assay.make("rules/...")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy import door

if TYPE_CHECKING:
    from assay.envs.rules.board import Board, Piece
    from assay.envs.rules.codes import Finish, Response
    from assay.envs.rules.geometry import Geometry
    from assay.envs.rules.interpreter import attempt, attempt_at, begin, legal_buckets, prepare
    from assay.envs.rules.language.lint import lint
    from assay.envs.rules.language.parse import parse
    from assay.envs.rules.language.syntax import Rule
    from assay.envs.rules.language.write import write
    from assay.envs.rules.observation import Layout

_OFFERS = {
    **dict.fromkeys(("Board", "Piece"), "assay.envs.rules.board"),
    **dict.fromkeys(("Finish", "Response"), "assay.envs.rules.codes"),
    "Geometry": "assay.envs.rules.geometry",
    "Layout": "assay.envs.rules.observation",
    "Rule": "assay.envs.rules.language.syntax",
    **dict.fromkeys(
        ("attempt", "attempt_at", "begin", "legal_buckets", "prepare"), "assay.envs.rules.interpreter"
    ),
    "lint": "assay.envs.rules.language.lint",
    "parse": "assay.envs.rules.language.parse",
    "write": "assay.envs.rules.language.write",
}
__all__ = [
    "Board",
    "Finish",
    "Geometry",
    "Layout",
    "Piece",
    "Response",
    "Rule",
    "attempt",
    "attempt_at",
    "begin",
    "legal_buckets",
    "lint",
    "parse",
    "prepare",
    "write",
]

__getattr__ = door(__name__, _OFFERS)


def __dir__() -> list[str]:
    return sorted(__all__)
