"""The rule of a task: a benchmark rule or the user's own, after the edits that its settings ask for."""

from __future__ import annotations

from assay.envs.rules.benchmark import find_rule
from assay.envs.rules.board import COLORS, SHAPES
from assay.envs.rules.edits import EDITS, Frame, apply_edits, uses_feature
from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.faults import refuse_missing_properties
from assay.envs.rules.language.parse import parse
from assay.envs.rules.language.strange_values import Known, refuse_strange_values
from assay.envs.rules.language.syntax import Rule
from assay.envs.rules.params import CustomRuleGame, RuleGame
from assay.envs.rules.task_boards import TaskBoards, find_file, read_text, separate_lines
from assay.errors import NotApplicable, WrongLevel


def find_task_rule(settings: RuleGame, boards: TaskBoards) -> Rule:
    """The rule, or one sentence on why it cannot be played on these boards."""
    text, source = find_text(settings)
    try:
        rule = parse(text, source=source, geometry=boards.geometry)
        refuse_missing_properties(rule, boards.vocabulary.names, source)
        refuse_missing_features(rule, boards)
        refuse_strange_values(rule, known_pieces(boards, bool(settings.pieces_table)), source)
    except RuleError as error:
        raise WrongLevel(str(error)) from None
    names = boards.vocabulary
    return edit_rule(rule, settings, Frame(boards.geometry.buckets, names.shapes, names.colors))


def refuse_missing_features(rule: Rule, boards: TaskBoards) -> None:
    """Refuses a rule that goes by a shape or a colour that no piece of a table has."""
    for feature in ("shape", "color"):
        has_none = boards.kinds and not any(getattr(kind, feature) for kind in boards.kinds)
        if has_none and uses_feature(rule, feature):
            raise NotApplicable(
                f"the rule goes by the {feature} of pieces, and no piece of these boards has one; "
                f"give the table a column {feature}, or take another rule."
            )


def known_pieces(boards: TaskBoards, has_table: bool) -> Known:
    """What pieces of a task can be. The usual names are no slip, even where these pieces have others.

    Boards that are given show some of the pieces that a rule may be for, a table shows all of them.
    """
    names = boards.vocabulary
    properties = dict(names.properties) if has_table else {}
    return Known({*names.shapes, *SHAPES}, {*names.colors, *COLORS}, properties)


def find_text(settings: RuleGame) -> tuple[str, str]:
    """The text of the rule, and how errors call it."""
    if not isinstance(settings, CustomRuleGame):
        rule = find_rule(settings.env.partition("/")[2])
        return rule.text, rule.name
    if settings.rule and settings.file:
        raise WrongLevel("rules/custom takes a rule or a file, not both; drop one of them.")
    if settings.rule:
        return separate_lines(settings.rule), "the rule"
    if settings.file:
        path = find_file(settings.file, "file", ".txt")
        return read_text(path, "file"), path.name
    raise WrongLevel('rules/custom needs a rule; write rules/custom+rule="(bucket:0)", or file=my_rule.txt.')


def edit_rule(rule: Rule, settings: RuleGame, frame: Frame) -> Rule:
    """The rule after its edits, in the order of EDITS; one that changes nothing is refused."""
    for name, (neutral, _) in EDITS.items():
        level = getattr(settings, name)
        if level == neutral:
            continue
        edited = apply_edits(rule, {name: level}, frame)
        if edited == rule:
            raise NotApplicable(f"{name}={level} leaves the rule as it is; drop it, or take another level.")
        rule = edited
    return rule
