"""The page of a leader-board: a table for each rule, entries apart, and what was refused, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.analysis.finite_json import strict
from assay.analysis.leaderboard import Entry, Leaderboard, Refused
from assay.report.difficulty_tables import error_text
from assay.report.frame import facts, frame_page
from assay.report.svg import element
from assay.report.text import count, one_line, true_minus
from assay.strict_json import Json

FORM = "assay-leaderboard-1"
HEADINGS = ("player", "median cost", "mastered", "runs", "median errors", "attempts at empty cells", "bundle")


def leaderboard_page(board: Leaderboard, terms: Sequence[tuple[str, str]]) -> str:
    """The whole page; `terms` are facts of the contest."""
    entries = sum(len(each.ranked) + len(each.not_learned) + len(each.too_few) for each in board.rules)
    said = f"{count(len(board.rules), 'rule')}, {entries} {'entry' if entries == 1 else 'entries'}"
    top = element(
        "header",
        element("p", "Leader-board of hidden rules", class_="kicker"),
        element("h1", element("span", escape(said))),
        element("p", "Every run was replayed against the rule before it counted.", class_="lede"),
    )
    sections = [
        ("players", "Players over all rules", _players(board)),
        *((f"rule-{number}", escape(one_line(each.rule)), _rule(board, number))
          for number, each in enumerate(board.rules)),
        ("waiting", "Waiting for their rule to be revealed", _refused(board.waiting)),
        ("refused", "Refused", _refused(board.refused)),
        ("method", "Method", facts([*terms, *explain(board)])),
    ]  # fmt: skip
    return frame_page("Leader-board", top, "", sections)


def explain(board: Leaderboard) -> list[tuple[str, str]]:
    return [
        ("Mastered", "A run has mastered its rule with the first ten episodes in a row that were cleared "
         "without an error. Its cost is its errors until then; later errors do not count."),
        ("Median cost", "Over all runs of an entry; a run that never mastered the rule costs more than any "
         "that did. An entry has learned the rule if more than half of its runs mastered it."),
        ("Runs", f"Entries with fewer than {board.enough_runs} runs are listed apart."),
        ("Errors", "Counted attempts that were not accepted. An attempt at an empty cell is no error."),
        ("Honour", "A replay shows that each move was answered so. It does not show that no refused attempt "
         "was left out: errors are what players tell. Nor does it show what a player was told of the rule; "
         "only rules that were held out until all runs were made do."),
    ]  # fmt: skip


def as_json(board: Leaderboard) -> dict[str, Json]:
    return {"form": FORM, **strict(board)}


def entry_row(entry: Entry) -> tuple[str, ...]:
    return (
        entry.player,
        "-" if entry.cost is None else error_text(entry.cost),
        f"{entry.mastered} of {entry.runs}",
        str(entry.runs),
        error_text(entry.errors),
        str(entry.empty),
        entry.source,
    )


def _players(board: Leaderboard) -> str:
    rows = [(rank.name, f"{rank.rating:.2f}", f"{rank.perron:.3f}") for rank in board.players.ranks]
    return _table(("player", "rating", "Perron"), rows) if rows else ""


def _rule(board: Leaderboard, number: int) -> str:
    standings = board.rules[number]
    groups = (
        ("", standings.ranked),
        ("Did not learn the rule", standings.not_learned),
        (f"Fewer than {board.enough_runs} runs", standings.too_few),
    )
    return "".join(
        (element("h3", escape(heading)) if heading else "") + _table(HEADINGS, [*map(entry_row, entries)])
        for heading, entries in groups
        if entries
    )


def _refused(refused: Sequence[Refused]) -> str:
    return _table(("bundle", "why"), [(each.source, each.why) for each in refused]) if refused else ""


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = element("thead", element("tr", *(element("th", escape(each), scope="col") for each in headings)))
    body = [
        element("tr", element("th", escape(one_line(row[0])), scope="row"),
                *(element("td", escape(true_minus(one_line(cell))), data_label=label)
                  for cell, label in zip(row[1:], headings[1:])))
        for row in rows
    ]  # fmt: skip
    return element("table", head, element("tbody", *body), class_="measures")
