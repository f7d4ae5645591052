"""The notes of a language model's play: a line of JSON per move, on the disk before the move is made.

A job that was killed finds its moves here and asks for none of them again. The notes hold answers, tokens
and costs, and never the key.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.errors import AssayError
from assay.strict_json import WrongDocument, from_json

SAYS = "answers of a language model, which are not reproducible; each line is one move"


@dataclass(frozen=True)
class Move:
    """One move: what was asked for and answered, and what it cost."""

    task: str
    episode: int
    seed: int  # of the agent in this episode
    step: int
    prompt: str  # digest of all that was said before the answer
    action: int
    name: str  # of the action
    answer: str  # the last answer, shortened
    requests: int  # answers that were asked for
    reason: str  # why the move is not the model's; "" where it is
    prompt_tokens: int | None  # None where the endpoint does not tell
    answer_tokens: int | None
    cost: float | None
    episode_tokens: int | None  # of the episode so far, this move included
    episode_cost: float | None
    remembered: int = 0  # earlier episodes that it was told of


class Notes:
    """The moves of one job. Without a file they are forgotten with the process."""

    def __init__(self, path: Path | None, agent: str, model: str, memory: int = 0):
        self._path = path
        self._moves: dict[tuple[str, int, int], Move] = {}
        if path is None:
            return
        path.parent.mkdir(exist_ok=True)
        if path.exists():
            self._moves = {(each.task, each.seed, each.step): each for each in read_notes(path, mend=True)}
        if not path.exists() or not path.stat().st_size:
            about = {"agent": agent, "model": model, "memory": memory, "reproducible": False, "says": SAYS}
            self._append(about)

    def find(self, task: str, seed: int, step: int, prompt: str) -> Move | None:
        """The move that was made here before, if the same was asked."""
        move = self._moves.get((task, seed, step))
        return move if move and move.prompt == prompt else None

    def add(self, move: Move) -> None:
        self._moves[(move.task, move.seed, move.step)] = move
        self._append(asdict(move))

    def _append(self, document: dict) -> None:
        if self._path is None:
            return
        with open(self._path, "ab") as file:
            file.write(json.dumps(document, allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def read_notes(path: Path, mend: bool = False) -> list[Move]:
    """The moves in a file of notes; `mend` cuts off a line that a killed process left torn."""
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if mend and len(whole) < len(data):
        os.truncate(path, len(whole))
    try:
        return [from_json(Move, json.loads(line), "a line") for line in whole.splitlines()[1:]]
    except (ValueError, RecursionError, WrongDocument):
        raise AssayError(
            f"{path} holds a line that is no move; restore it from a copy, or delete it."
        ) from None
