"""Which Atari game a checkpoint is of, by the names around it, and how its spaces are written as settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gymnasium.spaces import Discrete, Space

from assay.envs.atari.game_table import game_rows
from assay.errors import NotApplicable
from assay.task_text import parse

SEEN = "gray84"  # what all published networks see
ALL_ACTIONS = 18
OF_A_SLOT = 5  # numbers of an object: there, x, y, width, height
# Pong, Pong-v5, PongNoFrameskip-v4-dqn-seed1, ALE/Pong-v5: a game as folders, files and settings name it.
ENV_NAME = re.compile(r"(?:ALE/)?([A-Z][A-Za-z]*?)(?:NoFrameskip|Deterministic)?(?:-v\d.*|_\d+)?")


def is_atari(task: str) -> bool:
    return task.startswith("atari/")


def game_named(text: Any) -> str:
    """The game that a text names, or ""."""
    named = ENV_NAME.fullmatch(text) if isinstance(text, str) else None
    return named[1] if named and named[1] in game_rows() else ""


def game_in_words(text: str) -> str:
    """The one game that some words of a text name, as in dqn_pong or best-space-invaders; else ""."""
    words = [word for word in re.split(r"[\W_]+", text) if word]
    runs = ["".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
    known = {name.lower(): name for name in game_rows()}
    games = {known.get(run.lower()) or game_named(run) for run in runs} - {""}
    longest = max(games, key=len, default="")  # ms_pacman has Pacman in it
    return longest if all(game.lower() in longest.lower() for game in games) else ""


def game_in_path(path: Path) -> str:
    """The game that the file, or else the nearest folder around it, is called after, or "".

    A network cannot tell it: many games have as many actions as each other.
    """
    name = path.name.partition(".")[0]
    named = (game_named(name), game_in_words(name), *map(game_named, reversed(path.parts[:-1])))
    return next(filter(None, named), "")


def require_game(name: str, path: Path, written: str, task: str) -> None:
    """Refuses a task of another game than the file names, inside (`written`) or by its path."""
    if not is_atari(task):
        return
    trained, played = game_named(written) or game_in_path(path), parse(task).env.partition("/")[2]
    if trained and trained != played:
        where = "the file says so" if game_named(written) else "its path says so"
        raise NotApplicable(
            f"{name} was trained on {trained} ({where}), and {task} is {played}; take atari/{trained}."
        )


def is_of_objects(shape: Sequence[Any]) -> bool:
    """Whether an array has the shape of objects: five numbers for each slot, of two frames side by side."""
    return len(shape) == 2 and shape[1] == 2 and isinstance(shape[0], int) and shape[0] % OF_A_SLOT == 0


def setting_for(stored: Mapping[str, Any], offered: Space) -> str:
    """The setting of an Atari task with which it offers a stored space; "" where none is known."""
    if isinstance(offered, Discrete):
        full = str(stored.get("n")) == str(ALL_ACTIONS)
        return "actions=full" if full else "actions=minimal" if offered.n == ALL_ACTIONS else ""
    seen = {(84, 84, 4): SEEN, (4, 84, 84): SEEN, (210, 160, 3): "rgb", (210, 160): "gray", (128,): "ram"}
    shape = stored.get("_shape")
    if not isinstance(shape, list):
        return ""
    if is_of_objects(shape):  # on a task of objects it is those of another game that are missing
        return "" if is_of_objects(offered.shape or ()) else "observation=objects"
    found = seen.get(tuple(shape))
    return f"observation={found}" if found else ""
