"""The settings of `rules/*`: boards, what is shown, and edits of the rule. No jax here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from assay.core.axis import Axis, axes, axis, structure
from assay.core.clock import Counting
from assay.core.variation import Field
from assay.envs.rules.benchmark import find_rule
from assay.envs.rules.board import COLORS, SHAPES
from assay.envs.rules.edit_effect import plays_alike
from assay.envs.rules.edits import EDITS, LINE_ORDERS, PRIORITIES, apply_edits
from assay.envs.rules.language.syntax import Rule
from assay.envs.rules.random_boards import ASSIGNMENTS
from assay.envs.rules.setting_types import Range, count_or_range, folder_or_files, names, path_or_text
from assay.envs.settings_by_name import SettingsByName

GOHR = "the Game of Hidden Rules"
EVERYWHERE = "initial action transition observation"
CUSTOM = "rules/custom"
OPEN = "rules/*"
# An explicit board leaves nothing to chance, and the laws ask that seeds differ.
WITH_CHANCE = "action.random=0.1"
# A board of fewer pieces in as many slots has a state of the same shape.
SAME_ROOM = "slots=9"
TWO_BOARDS = "[example:row,example:corners]"


@dataclass(frozen=True)
class RuleGame(SettingsByName):
    """rules/<name>: move pieces of a board into buckets, by a rule that is not told."""

    env: ClassVar[str] = ""  # the env's name; each env has a class of its own

    # The board.
    pieces: Range = structure(
        "initial", 9, type=count_or_range, levels=(4, 16, 25), context="slots=25", origin=GOHR,
        means="pieces on a board; a list of two numbers draws between them",
    )  # fmt: skip
    shapes: Range = structure(
        "initial", 4, type=count_or_range, levels=(1, 2, 3), origin=GOHR,
        means="different shapes on a board; 0 gives every piece any shape",
    )  # fmt: skip
    colors: Range = structure(
        "initial", 4, type=count_or_range, levels=(1, 2, 3), origin=GOHR,
        means="different colours on a board; 0 gives every piece any colour",
    )  # fmt: skip
    assignment: str = structure(
        "initial", "published", choices=ASSIGNMENTS, levels=("uniform",), origin="assay", type=str,
        means="how shapes and colours are dealt: as the published game does, or each way equally likely",
    )  # fmt: skip
    crowded: bool = structure(
        "initial", False, levels=(True,), origin=GOHR,
        means="pieces may share a cell; such pieces move only where actions=pieces",
    )  # fmt: skip
    slots: int = structure(
        "initial transition", 0, low=0, high=128, levels=(16, 25), origin="assay",
        means="room for so many pieces, so that tasks with fewer share one program; 0: as many as needed",
    )  # fmt: skip
    shape_names: Any = structure(
        "initial transition observation", SHAPES, type=names, levels=((*SHAPES, "HEXAGON"),), origin=GOHR,
        means="the shapes that pieces can have",
    )  # fmt: skip
    color_names: Any = structure(
        "initial transition observation", COLORS, type=names, levels=((*COLORS, "GREEN"),), origin=GOHR,
        means="the colours that pieces can have",
    )  # fmt: skip
    board: str = structure(
        "initial", "", type=path_or_text, levels=("example:corners",), origin=GOHR,
        context=f"{SAME_ROOM}+{WITH_CHANCE}",
        excludes=("pieces", "shapes", "colors", "assignment", "boards", "pieces_table"),
        means="the file of a board with which every episode begins; example:corners is one of ours",
    )  # fmt: skip
    boards: Any = structure(
        "initial", "", type=folder_or_files, levels=("example:all",), context=SAME_ROOM, origin=GOHR,
        excludes=("pieces", "shapes", "colors", "assignment", "pieces_table"),
        means="a folder of board files, or a list of them, to draw from in each episode; example:all is ours",
    )  # fmt: skip
    boards_order: str = structure(
        "initial", "listed", type=path_or_text, needs=("board_number|boards_in_turn",), levels=("alpha",),
        context=f"boards={TWO_BOARDS}+board_number=1+{WITH_CHANCE}", origin=GOHR,
        means="how boards are numbered: as listed, alpha (by name), random (each pass in an order of its "
        "own, random:7 for others), or by a CSV file of their names",
    )  # fmt: skip
    condition_train: str = structure(
        "initial", "", type=path_or_text, levels=("(color:red)",), context="colors=2", origin=GOHR,
        excludes=("condition_test", "board", "boards"),
        means="a condition, as text or file: boards have no piece that meets it",
    )  # fmt: skip
    condition_test: str = structure(
        "initial", "", type=path_or_text, levels=("(color:red, shape:star)",), context="colors=2",
        origin=GOHR,
        excludes=("condition_train", "board", "boards"),
        means="a condition, as text or file: boards have at least one piece that meets it",
    )  # fmt: skip
    pieces_table: str = structure(
        "initial transition observation", "", type=path_or_text, levels=("example:kinds",), origin=GOHR,
        excludes=("shapes", "colors", "assignment", "shape_names", "color_names"),
        means="a CSV file of pieces with named properties, a row each; example:kinds is ours",
    )  # fmt: skip
    columns: int = structure(
        EVERYWHERE, 6, low=1, high=64, levels=(4, 8), origin="assay", means="columns of the board"
    )
    rows: int = structure(
        EVERYWHERE, 6, low=1, high=64, levels=(4, 8), origin="assay", means="rows of the board"
    )
    buckets: int = structure(
        EVERYWHERE, 4, low=1, high=30, levels=(2, 6), origin="assay",
        means="buckets around the board; bucket numbers of the rule count around",
    )  # fmt: skip
    actions: str = structure(
        "action transition", "cells", choices=("cells", "pieces"), levels=("pieces",), origin=GOHR,
        means="an action names a cell of the board, or a piece by its number",
    )  # fmt: skip
    # What is shown.
    show_buckets: bool = structure(
        "observation", False, levels=(True,), origin=GOHR, means="show the legal buckets of every piece"
    )
    history: int = structure(
        "observation", 0, low=0, high=100, levels=(1, 4), origin="assay",
        means="show so many of the last attempts, with their responses",
    )  # fmt: skip
    merge_denials: bool = axis(
        "observation", False, kind="switch", levels=(True,), context="priority=T", origin=GOHR,
        means="show a piece that can go nowhere as one that was put into a wrong bucket",
    )  # fmt: skip
    hide_shape: bool = axis(
        "observation", False, kind="switch", levels=(True,), excludes=("pieces_table",), origin="assay",
        means="show pieces without their shape",
    )  # fmt: skip
    hide_color: bool = axis(
        "observation", False, kind="switch", levels=(True,), excludes=("pieces_table",), origin="assay",
        means="show pieces without their colour",
    )  # fmt: skip
    # Edits of the rule, in the order in which they are applied.
    swap_buckets: int = structure(
        "transition", 0, low=0, high=29, levels=(1, 2), origin="assay",
        means="add this to every bucket number that the rule asks for, counted around",
    )  # fmt: skip
    metering: int = structure(
        "transition", 0, low=0, high=1000, levels=(2, 3), origin="assay",
        means="set every count in the rule to this number",
    )  # fmt: skip
    unmetered: bool = structure(
        "transition", False, levels=(True,), excludes=("metering",), origin="assay",
        means="drop all counts of the rule",
    )  # fmt: skip
    line_order: str = structure(
        "transition", "written", choices=LINE_ORDERS, levels=LINE_ORDERS[1:], origin="assay",
        means="take the lines of the rule as written, in reverse, or with the first one last",
    )  # fmt: skip
    priority: str = structure(
        "transition", "own", choices=PRIORITIES, levels=("T", "L1"), origin="assay",
        means="pieces must be moved in this order of their cells, in place of the rule's own order",
    )  # fmt: skip
    exchange: bool = structure(
        "transition", False, levels=(True,), origin="assay",
        means="let the rule go by shapes where it went by colours, and the reverse",
    )  # fmt: skip
    add_feature: str = structure(
        "transition", "none", choices=("none", "shape", "color"), levels=("shape", "color"), origin="assay",
        means="pieces with the later half of the shapes, or colours, go to the opposite bucket",
    )  # fmt: skip
    # Traced: one program serves every level.
    board_number: int = axis(
        "initial", 0, low=0, high=10**6, levels=(1, 2), needs=("boards",),
        context=f"boards=example:all+{WITH_CHANCE}", origin="assay",
        means="the board with this number, counted around; 0 draws one; a ramp is a curriculum",
    )  # fmt: skip
    boards_in_turn: bool = axis(
        "initial", False, kind="switch", levels=(True,), needs=("boards",), excludes=("board_number",),
        acts=Field(False, "board_number", ("initial",), Counting(), False), origin=GOHR,
        context=f"boards={TWO_BOARDS}+{WITH_CHANCE}",
        means="each episode takes the next board, in boards_order; behind the last comes the first again",
    )  # fmt: skip
    horizon: int = axis(
        "terminal", 100, low=1, high=10**9, levels=(50, 25, 10, 200), origin=GOHR,
        means="steps after which an episode is cut (a truncation)",
    )  # fmt: skip

    @classmethod
    def of_env(cls, name: str) -> type:
        if name == OPEN:
            return cls
        base = CustomRuleGame if name == CUSTOM else RuleGame
        if name != CUSTOM:
            find_rule(name.partition("/")[2])
        return type(base.__name__, (base,), {"env": name})


@dataclass(frozen=True)
class CustomRuleGame(RuleGame):
    """rules/custom: the same with a rule of one's own."""

    rule: str = ""  # its text; lines are separated by " / "
    file: str = ""  # or a file that holds it


OF_CUSTOM = tuple(
    Axis(name, ("transition",), "structure", type_, "", (), means=means, origin=GOHR)
    for name, type_, means in (
        ("rule", str, 'the text of the rule; " / " separates lines'),
        ("file", path_or_text, "the file of the rule"),
    )
)


def find_custom_setting(env: str, name: str) -> Axis | None:
    """The settings with which rules/custom is told its rule; they are no variations, and are not listed."""
    return next((each for each in OF_CUSTOM if env == CUSTOM and each.name == name), None)


def explain_edit(env: str, name: str) -> str:
    """Why an edit is not among the variations of a benchmark rule; "" for any other name."""
    return f"that edit changes nothing in the game of {env}" if name in EDITS else ""


@cache
def axes_of(name: str) -> tuple[Axis, ...]:
    """The axes of an env; of a benchmark rule, those edits that change it."""
    every = axes(RuleGame)
    RuleGame.of_env(name)
    if name in (OPEN, CUSTOM):
        return every
    rule = find_rule(name.partition("/")[2]).parse()
    fitting = (fit_edit(rule, each) if each.name in EDITS else each for each in every)
    return tuple(each for each in fitting if each.levels)


def fit_edit(rule: Rule, edit: Axis) -> Axis:
    """The edit with those of its levels that change the game."""

    def is_felt(level: Any) -> bool:
        edited = apply_edits(rule, {edit.name: level})
        return edited != rule and not plays_alike(rule, edited)

    return replace(edit, levels=tuple(filter(is_felt, edit.levels)))
