"""`assay rules submit`: a player's runs on the boards of a contest, as a bundle of transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.output import INDENT, Progress, print_json, print_text

if TYPE_CHECKING:
    from assay.analysis.leaderboard import Entry
    from assay.envs.rules.contest.bundle import Episodes, Header
    from assay.envs.rules.contest.play import Player
    from assay.envs.rules.interpreter import Game

LEARNER = "linear_q"
EXAMPLES = (
    "assay rules submit random --rule clockwise --board-seed 7 --runs 2 --episodes 12",
    "assay rules submit mine:play --rule position_A --board-seed 7 --name mine-2 --out bundles",
)


def run(
    player: Annotated[
        str, typer.Argument(help="A player: random, oracle, linear_q, or module:function of your own.")
    ],
    rule: Annotated[str, typer.Option(help="A benchmark rule, or a rule file that is held out.")],
    board_seed: Annotated[int, typer.Option(min=0, help="The seed that the leader-board gives.")],
    runs: Annotated[int, typer.Option(min=1, help="How many runs; a leader-board expects 100.")] = 100,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of a run, 10 or more.")] = 200,
    horizon: Annotated[int, typer.Option(min=1, help="Attempts after which an episode is cut.")] = 100,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of linear_q, such as actions=occupied.")
    ] = None,
    salt: Annotated[str, typer.Option(help="Of the commitment to a held-out rule.", show_default=False)] = "",
    name: Annotated[str, typer.Option(help="Name on the leader-board.", show_default="the player")] = "",
    out: Annotated[Path, typer.Option(help="Folder for the bundle.")] = Path(),
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let a player play its runs on the boards of a contest, and bundle the transcripts.

    Legal buckets are hidden from the player, and the boards follow from the seed. `random` and `oracle` are
    there to compare with; a player of your own is a function play(match, seed).
    """
    from assay.analysis.leaderboard import require_episodes
    from assay.envs.rules.contest.bundle import FORM, HIDDEN, Header, check_header, write_bundle
    from assay.envs.rules.contest.play import play_run
    from assay.envs.rules.contest.terms import Terms

    require_episodes(episodes)
    terms = Terms(board_seed, episodes, horizon)
    title, game = find_rule_of_contest(rule, salt)
    chosen = find_player(player, game, set_ or ())
    header = Header(FORM, name or player, title, board_seed, episodes, horizon, HIDDEN, runs)
    path = find_place(out, check_header(header))
    progress, played = Progress(), []
    for number in range(runs):
        progress(number, runs, f"{player} on {rule}")
        played.append(play_run(chosen, game, terms, title, number))
    progress.close()
    out.mkdir(parents=True, exist_ok=True)
    write_bundle(path, header, played)
    entry = judge_played(header, played, path.name)
    if json:
        found = {"mastered": entry.mastered, "cost": entry.cost, "errors": entry.errors}
        return print_json({"bundle": str(path), "rule": title, "runs": runs, **found})
    print(f"{INDENT}bundle  {path}")
    print_text(f"played  {tell_entry(entry)}", indent=2)


def find_place(out: Path, header: Header) -> Path:
    """The file of a bundle; one that is there may be the only record of its runs and stays."""
    from assay.envs.rules.contest.bundle import SUFFIX
    from assay.errors import AssayError

    rule = header.rule.partition(":")[2][:12] or header.rule
    words = "-".join("".join(each for each in word if each.isalnum() or each in "._")
                     for word in (header.player, rule))  # fmt: skip
    path = out / f"{words}{SUFFIX}"
    if path.exists():
        raise AssayError(f"{path} is there already and is not replaced; give another --name or --out.")
    return path


def judge_played(header: Header, played: Sequence[Episodes], source: str) -> Entry:
    """The entry that a leader-board will make of the bundle."""
    from assay.analysis.leaderboard import Submission, judge_entry
    from assay.envs.rules.contest.play import tally_run

    tallies = [tally_run(each, header.terms, header.rule, run) for run, each in enumerate(played)]
    errors, cleared = tuple(each.errors for each in tallies), tuple(each.cleared for each in tallies)
    empty = sum(each.empty for each in tallies)
    return judge_entry(Submission(header.player, header.rule, source, errors, cleared, empty))


def tell_entry(entry: Entry) -> str:
    """Errors and mastery in one line."""
    from assay.report.difficulty_tables import error_text

    cost = "" if entry.cost is None else f", after {error_text(entry.cost)} errors (median)"
    return (f"{entry.mastered} of {entry.runs} runs mastered the rule{cost}; median errors of a whole run "
            f"{error_text(entry.errors)}")  # fmt: skip


def find_rule_of_contest(rule: str, salt: str) -> tuple[str, Game]:
    """The name of a rule in the contest, and its game; a file is a rule that is held out."""
    from assay.cli.rules_lint import find_text
    from assay.envs.rules.contest.commitment import commit
    from assay.envs.rules.contest.terms import HELD_OUT, contest_name
    from assay.envs.rules.interpreter import prepare
    from assay.envs.rules.language.parse import parse
    from assay.errors import AssayError

    text = find_text(rule)
    game = prepare(parse(text, source=rule))
    if not Path(rule).is_file():
        return contest_name(rule), game
    if not salt:
        raise AssayError(f"{rule} is a file, so it is held out; give the --salt of `assay rules commit`.")
    return HELD_OUT + commit(rule, text, salt).digest, game


def find_player(name: str, game: Game, settings: Sequence[str] = ()) -> Player:
    from assay.envs.own_function import import_function
    from assay.envs.rules.contest.play import knowing, play_randomly
    from assay.errors import AssayError, UnknownName

    known = {"random": play_randomly, "oracle": knowing(game)}
    if settings and name != LEARNER:
        raise AssayError(f"{name} takes no settings; leave out --set {settings[0]}, which is for {LEARNER}.")
    if name in known:
        return known[name]
    if name == LEARNER:
        return make_learner(game, settings)
    if ":" not in name:
        raise UnknownName(
            f"no player is called {name!r}; there are {', '.join(known)}, {LEARNER} and module:function."
        )
    return import_function(name, f"the player {name!r}", AssayError)


def make_learner(game: Game, settings: Sequence[str]) -> Player:
    """The paper's learner with its settings, for boards of the usual pieces."""
    from assay.envs.rules.board import COLORS, SHAPES
    from assay.runs.contest_player import LinearPlayer, read_config

    cells, buckets = game.geometry.cells, game.geometry.buckets
    return LinearPlayer(read_config(settings), SHAPES, COLORS, cells, buckets)
