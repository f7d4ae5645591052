"""`assay rules submit`: a player's runs on the boards of a contest, as a bundle of transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.output import INDENT, Progress, print_json

if TYPE_CHECKING:
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
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of a run.")] = 200,
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
    from assay.envs.rules.contest.bundle import FORM, HIDDEN, SUFFIX, Header, write_bundle
    from assay.envs.rules.contest.play import play_run
    from assay.envs.rules.contest.terms import Terms

    terms = Terms(board_seed, episodes, horizon)
    title, game = find_rule_of_contest(rule, salt)
    chosen = find_player(player, game, set_ or ())
    header = Header(FORM, name or player, title, board_seed, episodes, horizon, HIDDEN, runs)
    progress, played = Progress(), []
    for number in range(runs):
        progress(number, runs, f"{player} on {rule}")
        played.append(play_run(chosen, game, terms, title, number))
    progress.close()
    out.mkdir(parents=True, exist_ok=True)
    words = "-".join("".join(each for each in word if each.isalnum() or each in "._")
                     for word in (header.player, title.partition(":")[2][:12] or title))  # fmt: skip
    path = out / f"{words}{SUFFIX}"
    write_bundle(path, header, played)
    if json:
        print_json({"bundle": str(path), "rule": title, "runs": runs})
    else:
        print(f"{INDENT}bundle  {path}")


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
