"""Which boards a task of hidden rules is played on, as its settings say: drawn ones, or some of a list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from assay.envs.rules.board import Board, Piece, check_board
from assay.envs.rules.conditions import TEST, TRAIN, draw_on_side, read_condition
from assay.envs.rules.engine.board_arrays import vocabulary_of
from assay.envs.rules.engine.variables import Vocabulary
from assay.envs.rules.geometry import Geometry
from assay.envs.rules.params import RuleGame
from assay.envs.rules.property_tables import read_kinds
from assay.envs.rules.random_boards import BoardDraw, Kind, NumpyChance, make_property_piece
from assay.envs.rules.sequences import find_boards, read_board, read_folder, read_names
from assay.envs.rules.setting_types import ends_of
from assay.errors import AssayError, WrongLevel

EXAMPLES = Path(__file__).parent / "examples"
OURS, ALL_OF_OURS = "example:", "example:all"
POOL = 1024  # boards among which an episode draws where a condition chooses them
MOST_BOARDS = 10_000
LISTED, ALPHA = "listed", "alpha"
SHUFFLED = re.compile(r"random(:[0-9]{1,9})?")
LAID_OUT, LEAST_PASSES = 1024, 8  # boards, and passes, in random order; then the first pass comes again


@dataclass(frozen=True)
class TaskBoards:
    """The boards of a task: a draw, or else a pool of boards."""

    geometry: Geometry
    vocabulary: Vocabulary
    slots: int
    draw: BoardDraw | None
    pool: tuple[Board, ...] = ()
    kinds: tuple[Piece, ...] = ()  # kinds of pieces, where shape and colour do not tell them apart


def find_file(name: str, setting: str, suffix: str) -> Path:
    """A file of the user's, or with `example:` before its name one of ours."""
    ours = name.removeprefix(OURS)
    path = Path(name) if ours == name else EXAMPLES / f"{ours}{suffix}"
    if path.is_file():
        return path
    examples = ", ".join(sorted(f"{OURS}{each.stem}" for each in EXAMPLES.glob(f"*{suffix}")))
    more = f", or take one of ours ({examples})" if examples else ""
    raise WrongLevel(f"{setting} names {name!r}, and there is no such file; write the path of one{more}.")


def read_text(path: Path, setting: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        says = f"{setting} names {str(path)!r}, which cannot be read as text in UTF-8"
        raise WrongLevel(f"{says}; name another file.") from None


def separate_lines(text: str) -> str:
    """A rule on one line, as a task's text holds it, with its lines apart."""
    return "\n".join(part.strip() for part in text.split(" / "))


def plan_boards(settings: RuleGame) -> TaskBoards:
    """The boards of a task, or WrongLevel where its settings do not fit each other."""
    try:
        geometry = Geometry(settings.columns, settings.rows, settings.buckets)
        listed = list_boards(settings, geometry)
        if listed:
            return of_pool(settings, geometry, listed)
        return of_draw(settings, geometry)
    except WrongLevel:
        raise
    except AssayError as error:
        raise WrongLevel(str(error)) from None


def of_pool(settings: RuleGame, geometry: Geometry, boards: tuple[Board, ...]) -> TaskBoards:
    vocabulary = vocabulary_of(boards, settings.shape_names, settings.color_names)
    slots = count_slots(settings, max(len(board.pieces) for board in boards))
    pieces = [piece for board in boards for piece in board.pieces]
    by_kind = any(piece.properties or not (piece.shape and piece.color) for piece in pieces)
    kinds = {(piece.shape, piece.color, piece.properties): piece for piece in pieces} if by_kind else {}
    return TaskBoards(geometry, vocabulary, slots, None, boards, tuple(kinds.values()))


def of_draw(settings: RuleGame, geometry: Geometry) -> TaskBoards:
    draw, kinds = make_draw(settings, geometry)
    pieces = tuple(make_property_piece(i, kind, 1) for i, kind in enumerate(kinds))
    names = () if kinds else (settings.shape_names, settings.color_names)
    vocabulary = vocabulary_of([Board(pieces)], *(names or ((), ())))
    slots = count_slots(settings, draw.objects[1])
    pool = draw_pool(settings, draw)
    return TaskBoards(geometry, vocabulary, slots, None if pool else draw, pool, pieces)


def count_slots(settings: RuleGame, most: int) -> int:
    if settings.slots and settings.slots < most:
        raise WrongLevel(f"slots={settings.slots} is room for fewer than the {most} pieces of a board; "
                         f"write slots={most} or more, or leave it out.")  # fmt: skip
    return settings.slots or most


def make_draw(settings: RuleGame, geometry: Geometry) -> tuple[BoardDraw, tuple[Kind, ...]]:
    kinds: tuple[Kind, ...] = ()
    if settings.pieces_table:
        path = find_file(settings.pieces_table, "pieces_table", ".csv")
        kinds = read_kinds(read_text(path, "pieces_table"), path.name)
    draw = BoardDraw(
        objects=ends_of(settings.pieces),
        shapes=ends_of(settings.shapes),
        colors=ends_of(settings.colors),
        shape_names=settings.shape_names,
        color_names=settings.color_names,
        crowded=settings.crowded,
        assignment=settings.assignment,
        kinds=kinds,
        geometry=geometry,
    )
    return draw, kinds


def draw_pool(settings: RuleGame, draw: BoardDraw) -> tuple[Board, ...]:
    """Boards on the wanted side of a condition, always the same ones; none where there is no condition."""
    text, side = (settings.condition_train, TRAIN) if settings.condition_train else (
        settings.condition_test, TEST)  # fmt: skip
    if not text:
        return ()
    name = f"condition_{side}"
    properties = {known for kind in draw.kinds for known, _ in kind}
    if "(" in text:
        condition = read_condition(separate_lines(text), draw.geometry, name, properties)
    else:
        path = find_file(text, name, ".txt")
        condition = read_condition(read_text(path, name), draw.geometry, path.name, properties)
    chance = NumpyChance(np.random.default_rng(0))
    return tuple(draw_on_side(draw, chance, condition, side) for _ in range(POOL))


def list_boards(settings: RuleGame, geometry: Geometry) -> tuple[Board, ...]:
    """The boards that the settings name, in their order; none where boards are drawn."""
    if settings.board:
        path = find_file(settings.board, "board", ".json")
        return (check(read_board(path, geometry, crowded=settings.crowded), geometry, settings),)
    if not settings.boards:
        return ()
    if isinstance(settings.boards, str):
        folder = EXAMPLES if settings.boards == ALL_OF_OURS else Path(settings.boards)
        if folder.is_file():
            raise WrongLevel(f"boards names the file {settings.boards!r}; write board={settings.boards}, or "
                             "boards=[...] with several files.")  # fmt: skip
        boards = read_folder(folder, geometry, crowded=settings.crowded)
    else:
        paths = [find_file(name, "boards", ".json") for name in settings.boards]
        boards = tuple(read_board(path, geometry, crowded=settings.crowded) for path in paths)
    if len(boards) > MOST_BOARDS:
        raise WrongLevel(f"boards names {len(boards)} boards; a task takes up to {MOST_BOARDS}.")
    return order_boards([check(each, geometry, settings) for each in boards], settings.boards_order)


def check(board: Board, geometry: Geometry, settings: RuleGame) -> Board:
    return check_board(board, geometry, crowded=settings.crowded)


def order_boards(boards: list[Board], order: str) -> tuple[Board, ...]:
    if order == ALPHA:
        return tuple(sorted(boards, key=lambda board: board.name))
    if order == LISTED:
        return tuple(boards)
    if SHUFFLED.fullmatch(order):
        return shuffle_passes(boards, int(order.partition(":")[2] or 0))
    if not Path(order).is_file():
        near = get_close_matches(order, (LISTED, ALPHA, "random"), 1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise WrongLevel(f"boards_order is {LISTED}, {ALPHA}, random, random:7 for other permutations, or a "
                         f"CSV file of the names of boards, and {order!r} is no such file{hint}")  # fmt: skip
    path = Path(order)
    return find_boards(boards, read_names(read_text(path, "boards_order")))


def shuffle_passes(boards: list[Board], seed: int) -> tuple[Board, ...]:
    """Passes over all boards, each in an order of its own."""
    rng, passes = np.random.default_rng(seed), max(LEAST_PASSES, LAID_OUT // len(boards))
    return tuple(boards[i] for _ in range(passes) for i in rng.permutation(len(boards)))
