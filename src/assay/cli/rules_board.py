"""`assay rules board`: a leader-board from a folder of bundles, each replayed before it counts."""

from __future__ import annotations

import json as js
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.output import INDENT, print_json, print_table, print_text

if TYPE_CHECKING:
    from assay.analysis.leaderboard import Leaderboard, Refused

EXAMPLES = (
    "assay rules board bundles --board-seed 7 --out page",
    "assay rules board bundles --board-seed 7 --episodes 12 --json",
)

TERMS = re.compile(r"its runs have (\d+) episodes of (\d+) attempts")  # as a replay refuses them
HORIZON = 100


def run(
    folder: Annotated[Path, typer.Argument(help="Folder of bundles and of revealed rules (*.rule.json).")],
    board_seed: Annotated[int, typer.Option(min=0, help="The seed that this leader-board gave.")],
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of a run, 10 or more.")] = 200,
    horizon: Annotated[int, typer.Option(min=1, help="Attempts after which an episode is cut.")] = HORIZON,
    runs: Annotated[int, typer.Option(min=1, help="Runs below which entries are listed apart.")] = 100,
    out: Annotated[
        Path | None, typer.Option(help="Folder for board.html and board.json.", show_default="none")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Replay every bundle of a folder, and make a leader-board of those that are true.

    The exit status is 1 where a bundle is refused, and 2 where there is none.
    """
    from assay.analysis.leaderboard import Refused, Submission, find_standings, require_episodes
    from assay.envs.rules.contest.judge import judge_folder
    from assay.envs.rules.contest.terms import Terms
    from assay.report.leaderboard_page import as_json, leaderboard_page

    require_episodes(episodes)
    judged = judge_folder(folder, Terms(board_seed, episodes, horizon))
    submissions = [
        Submission(each.player, each.rule, name, each.errors, each.cleared, each.empty)
        for name, each in judged.counted.items()
    ]
    refused, waiting = ([Refused(*each) for each in group.items()]
                        for group in (judged.refused, judged.waiting))  # fmt: skip
    board = find_standings(submissions, refused, waiting, runs)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        played = f"{episodes} episodes a run, {horizon} attempts an episode at most, legal buckets hidden"
        terms = [("Board seed", str(board_seed)), ("Played", played)]
        (out / "board.html").write_text(leaderboard_page(board, terms), encoding="utf-8")
        (out / "board.json").write_text(js.dumps(as_json(board), indent=1) + "\n", encoding="utf-8")
    if json:
        print_json(as_json(board))
    else:
        tell_board(board, out)
    if board.refused:
        raise typer.Exit(1)


def tell_board(board: Leaderboard, out: Path | None) -> None:
    from assay.report.leaderboard_page import HEADINGS, entry_row

    rows = [
        [each.rule, group, *entry_row(entry)]
        for each in board.rules
        for group, entries in (("ranked", each.ranked), ("did not learn", each.not_learned),
                               ("too few runs", each.too_few))
        for entry in entries
    ]  # fmt: skip
    if rows:
        print_table(["rule", "", *HEADINGS], rows)
    for word, group in (("waiting", board.waiting), ("refused", board.refused)):
        for each in group:
            print_text(f"{word}  {each.source}: {each.why}", indent=2)
    if not board.rules and (terms := terms_of_refused(board.refused)):
        print_text(f"runs of these bundles are of other lengths than asked for: {terms} fits them", indent=2)
    if out is not None:
        print(f"{INDENT}page  {out / 'board.html'}")


def terms_of_refused(refused: Sequence[Refused]) -> str:
    """`--episodes 30 --horizon 100`, where every bundle was refused because all have other terms."""
    told = {match.groups() if (match := TERMS.search(each.why)) else () for each in refused}
    if len(told) != 1 or () in told:
        return ""
    episodes, horizon = told.pop()
    return f"--episodes {episodes}" + ("" if horizon == str(HORIZON) else f" --horizon {horizon}")
