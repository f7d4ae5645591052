"""From arguments to a game that can be played: its rule, its boards, and the name that results give it.

rule.txt board.json | rule.txt NP [NS NC] | list.csv ROW | R:rule:modifier
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from assay.envs.rules.benchmark import BY_NAME
from assay.envs.rules.board import COLORS, SHAPES, board_from_text
from assay.envs.rules.conditions import Condition, read_condition
from assay.envs.rules.interpreter import Game, prepare
from assay.envs.rules.language.faults import refuse_missing_properties
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.strange_values import known_of_kinds, refuse_strange_values
from assay.envs.rules.property_tables import read_kinds
from assay.envs.rules.random_boards import BoardDraw, make_chance
from assay.envs.rules.sequences import ALPHA, RANDOM, order_boards, read_folder, read_names
from assay.envs.rules.trial_lists import (
    BENCHMARK_MODIFIER,
    Trial,
    combine,
    open_trials,
    read_trials,
    split_combination,
)
from assay.errors import AssayError
from assay.interop.captive.arguments import Arguments, Options
from assay.interop.captive.boards import (
    Boards,
    GivenBoards,
    RandomBoards,
    find_features,
    read_range,
    repeat_board,
    side_of,
)
from assay.interop.captive.files import Files

FORMS = "rule.txt board.json, rule.txt NP, rule.txt NP NS NC, list.csv ROW, or R:rule:modifier"
BENCHMARK = "benchmark"  # the modifier of the published benchmark, where no file has that name

TABLE = (
    "pieces of this game have shape and color alone; a board file, or the column images of a trial list, "
    "gives them properties"
)


@dataclass(frozen=True)
class Setup:
    """A game that is ready."""

    game: Game
    boards: Boards
    rule_name: str
    list_name: str = ""  # of the trial list, where the game comes from one
    max_boards: int | None = None  # of the run; None where it has no end


def set_up(arguments: Arguments, files: Files) -> Setup:
    """The game of a command line; one sentence where there is none."""
    words, options = arguments.words, arguments.options
    if not words:
        raise AssayError(f"no game is named; name one as {FORMS}.")
    if words[0].startswith("R:"):
        _expect(words, 1, 1)
        rule, modifier = split_combination(words[0])
        return _set_up_trial(combine(rule, _read_modifier(modifier, files)), options, files, "")
    _expect(words, 2, 4)
    if words[0].endswith(".csv"):
        _expect(words, 2, 2)
        return _set_up_trial(_read_row(words[0], words[1], files), options, files, Path(words[0]).stem)
    if "." in words[1]:
        _expect(words, 2, 2)
        boards: Boards = _read_board(words[1], options, files)
    else:
        boards = _draw_boards(_read_draw(words[1:], options, files), options, files)
    return _join(words[0], boards, options, files)


def _expect(words: tuple[str, ...], fewest: int, most: int) -> None:
    if not fewest <= len(words) <= most or len(words) == 3:
        raise AssayError(f"a game is named by {FORMS}, not by {' '.join(words)!r:.120}.")


def _join(rule: str, boards: Boards, options: Options, files: Files, list_name: str = "") -> Setup:
    name = rule.replace("\\", "/").rpartition("/")[2].removesuffix(".txt")
    read = parse(_find_rule(rule, files), strict=options.strict, source=name)
    if options.strict:
        known = boards.known_pieces()
        refuse_missing_properties(read, known.properties, name, TABLE)
        refuse_strange_values(read, known, name)
    return Setup(prepare(read), boards, name, list_name)


def _find_rule(name: str, files: Files) -> str:
    """The text of a rule file, or of a benchmark rule where there is no such file."""
    if files.find(name, "rules", ".txt") is None and name in BY_NAME:
        return BY_NAME[name].text
    return files.read(name, "rule file or benchmark rule", "rules", ".txt")


def _read_board(name: str, options: Options, files: Files) -> GivenBoards:
    _refuse_draws(options, f"the board {name!r:.80} is given")
    text = files.read(name, "board file", "boards")
    return repeat_board(board_from_text(text, source=name, crowded=options.crowded))


def _refuse_draws(options: Options, why: str) -> None:
    """Options of random boards say nothing of boards that are given."""
    given = {"colors": options.colors, "shapes": options.shapes,
             "condTrain": options.cond_train, "condTest": options.cond_test}  # fmt: skip
    for name, value in given.items():
        if value:
            raise AssayError(f"{why}, and {name} is an option of random boards; leave it out.")


def _read_draw(numbers: tuple[str, ...], options: Options, files: Files) -> BoardDraw:
    objects = read_range(numbers[0], "pieces")
    shapes, colors = (read_range(each, "shapes or colours") for each in (numbers[1:] or ("0", "0")))
    return BoardDraw(
        objects=objects,
        shapes=shapes,
        colors=colors,
        shape_names=files.expand(options.shapes or SHAPES),
        color_names=files.expand(options.colors or COLORS),
        crowded=options.crowded,
    )


def _draw_boards(asked: BoardDraw, options: Options, files: Files) -> RandomBoards:
    chance = make_chance(options.seed, "java")
    properties = known_of_kinds(asked.kinds).properties
    condition = _read_condition(options.cond_train or options.cond_test, properties, files)
    return RandomBoards(asked, chance, condition, side_of(options.cond_train, options.cond_test))


def _read_condition(name: str | None, properties: Collection[str], files: Files) -> Condition | None:
    if not name:
        return None
    text = files.read(name, "condition file", "cond", ".txt")
    return read_condition(text, source=name, properties=properties, remedy=TABLE)


def _read_row(name: str, row: str, files: Files) -> Trial:
    trials = open_trials(files.read(name, "trial list"), source=name)
    if not (row.isascii() and row.isdigit() and len(row) < 10 and 1 <= int(row) <= len(trials)):
        raise AssayError(f"{name} has the rows 1 to {len(trials)}, not {row!r:.40}.")
    trial = trials.read(int(row))
    if trial.rule_id is None:
        raise AssayError(f"row {row} of {name} names no rule; fill in rule_id.")
    return trial


def _read_modifier(name: str, files: Files) -> Trial:
    if name == BENCHMARK and files.find(name, "modifiers", ".csv") is None:
        return BENCHMARK_MODIFIER
    trials = read_trials(files.read(name, "modifier", "modifiers", ".csv"), source=name)
    if len(trials) != 1:
        raise AssayError(f"the modifier {name} has {len(trials)} rows; a modifier has one.")
    return trials[0]


def _set_up_trial(trial: Trial, options: Options, files: Files, list_name: str) -> Setup:
    trial, options = _merge(trial, options)
    assert trial.rule_id is not None
    if trial.max_boards is not None and trial.max_boards < 1:
        raise AssayError(f"max_boards is {trial.max_boards}; a run has 1 board or more.")
    if trial.initial_boards:
        boards: Boards = _order_folder(trial, options, files)
    else:
        named = replace(trial, shapes=_expand(trial.shapes, files), colors=_expand(trial.colors, files))
        draw = named.board_draw()
        draw = replace(draw, kinds=read_kinds(_read_images(trial, files))) if trial.images else draw
        boards = _draw_boards(draw, options, files)
    setup = _join(trial.rule_id, boards, options, files, list_name)
    return replace(setup, max_boards=trial.max_boards)


def _expand(names: tuple[str, ...] | None, files: Files) -> tuple[str, ...] | None:
    return files.expand(names) if names else None


def _merge(trial: Trial, options: Options) -> tuple[Trial, Options]:
    """Options of the command line stand above those of the row; a condition of either kind replaces both."""
    trial = replace(
        trial,
        shapes=options.shapes or trial.shapes,
        colors=options.colors or trial.colors,
        crowded=options.crowded or trial.crowded,
    )
    if not (options.cond_train or options.cond_test):
        options = replace(options, cond_train=trial.cond_train, cond_test=trial.cond_test)
    if options.cond_train and options.cond_test:
        raise AssayError("the row has condTrain and condTest; keep the one to begin with.")
    return trial, options


def _order_folder(trial: Trial, options: Options, files: Files) -> GivenBoards:
    name = trial.initial_boards or ""
    _refuse_draws(replace(options, shapes=(), colors=()), f"the boards of {name!r:.80} are given")
    folder = files.find_folder(name, "boards")
    if folder is None:
        raise AssayError(f"there is no folder of boards {name!r:.200}; name one that is there.")
    boards = read_folder(folder, crowded=bool(trial.crowded))
    order: str | tuple[str, ...] = trial.initial_boards_order or ALPHA
    if order not in (RANDOM, ALPHA):
        order = read_names(files.read(str(order), "order of boards", "boards", ".csv"))
    return GivenBoards(order_boards(boards, order, make_chance(options.seed, "java")), find_features(boards))


def _read_images(trial: Trial, files: Files) -> str:
    assert trial.images
    if len(trial.images) != 1 or not trial.images[0].endswith(".csv"):
        says = f"images is {';'.join(trial.images)!r:.80}; the server takes one table of properties"
        raise AssayError(f"{says}, a file that ends in .csv.")
    return files.read(trial.images[0], "table of properties", "image-properties")
