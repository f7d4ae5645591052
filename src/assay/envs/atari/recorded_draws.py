"""The setting `draws`: other draws of variations with a chance, by a seed of their own or recorded in a file.

    {"format": "assay draws 1", "draws": {"block_cancel": [[0.31, 0.87, 0.02], [0.55]]}}

Under each variation's name, in any of its spellings, stands a row for every episode, in the order of the
resets. A row holds the numbers in the order in which the rules ask for them, each at least 0 and below 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.streams import digest_number
from assay.errors import AssayError, NotApplicable, WrongLevel
from assay.task_text import unknown_name_error
from assay.user_files import read_user_json

if TYPE_CHECKING:
    from assay.envs.atari.games import Game

FORMAT = "assay draws 1"
SEED = "seed:"
WHOLE = re.compile("[0-9]+")
Rows = tuple[tuple[float, ...], ...]  # of one variation: a row for each episode


def read_draws(path: str) -> dict[str, Rows]:
    """Variation -> its recorded numbers; none for `seed:1` and where the setting is left out."""
    if path.startswith(SEED) and not WHOLE.fullmatch(path.removeprefix(SEED)):
        raise WrongLevel(f"draws takes seed: with a whole number, as in seed:1, or a file, not {path!r}.")
    if not path or path.startswith(SEED):
        return {}
    if not path_exists(path):
        raise NotApplicable(
            f"there is no file {path!r} of recorded draws; docs/atari.md says how one is written."
        )
    content = read_user_json(path)
    draws = content.get("draws") if isinstance(content, dict) else None
    if not isinstance(draws, dict) or content.get("format") != FORMAT:
        raise AssayError(f'{path} holds no draws; write {{"format": "{FORMAT}", "draws": {{...}}}}.')
    if others := sorted(set(content) - {"format", "draws"}):
        raise AssayError(f"{path} has the key {others[0]!r}, and draws have format and draws alone; drop it.")
    return {name: read_rows(path, name, rows) for name, rows in draws.items()}


def path_exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a name that is too long, or has a zero byte
        return False


def draws_of_task(path: str, game: Game, names: Sequence[str]) -> dict[str, Rows]:
    """Variation -> its recorded numbers; `names` are a task's variations with a chance, as it names them.

    The file may name a variation in any spelling of the game. One that it does not hold would draw by chance,
    and a name that the game does not have is a slip: both are refused.
    """
    recorded = read_draws(path)
    if not path or path.startswith(SEED):
        return {}
    own = {game.variation_of(name)[0].name: name for name in names}
    known: dict[str, Rows] = {}
    for name, rows in recorded.items():
        if name not in {*own, *names, *game.variations, *game.spellings}:
            raise unknown_name_error(
                "variation",
                name,
                list(game.variations),
                where=path,
                see=f"assay list atari/{game.name}",
                shown=0,
            )
        variation = name if name in own else game.variation_of(name)[0].name
        if variation in known:
            raise AssayError(
                f"{path} holds draws of {variation} twice, under two spellings; keep one of them."
            )
        known[variation] = rows
    for variation, name in own.items():
        if variation not in known:
            raise NotApplicable(
                f"{path} holds no draws of {name}; add a row for every episode, or drop draws."
            )
    return known


def noise_seed(seed: int, draws: str) -> int:
    """The number from which variations with a chance draw in the episode of `seed`."""
    return digest_number(seed, draws) if draws.startswith(SEED) else seed


def read_rows(path: str, name: str, rows: Any) -> Rows:
    is_table = isinstance(rows, list) and all(isinstance(row, list) for row in rows)
    if not is_table or not all(is_share(number) for row in rows for number in row):
        raise AssayError(
            f"{path}: the draws of {name} are one list of numbers per episode, each at least 0 and below 1."
        )
    return tuple(tuple(float(number) for number in row) for row in rows)


def is_share(number: Any) -> bool:
    return isinstance(number, (int, float)) and not isinstance(number, bool) and 0 <= number < 1
