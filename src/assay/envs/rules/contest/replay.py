"""Replays bundles against the plain interpreter: only what the rule itself answers counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.envs.rules.benchmark import BY_NAME, find_rule
from assay.envs.rules.codes import COUNTED, Finish, Response
from assay.envs.rules.contest.bundle import HIDDEN, BadBundle, Bundle, Episodes, Move
from assay.envs.rules.contest.commitment import Revealed
from assay.envs.rules.contest.terms import HELD_OUT, Terms, board_of, contest_name
from assay.envs.rules.interpreter import Game, attempt_at, begin, prepare
from assay.envs.rules.language.parse import parse

SHOWN = 12  # digits of the digest of a held-out rule


@dataclass(frozen=True)
class Replayed:
    """The runs of a bundle that was found true, by run and episode."""

    player: str
    rule: str  # as the board shows it
    errors: tuple[tuple[int, ...], ...]  # counted attempts that were not accepted
    cleared: tuple[tuple[bool, ...], ...]
    empty: int  # attempts at empty cells, in all, which are no errors
    runs: tuple[Episodes, ...]


class Waiting(BadBundle):
    """A bundle of a rule that was not revealed yet."""


def replay_bundle(bundle: Bundle, terms: Terms, revealed: Mapping[str, Revealed]) -> Replayed:
    """What the bundle's moves give under the rule; refuses a bundle that is not true in all of them."""
    header = bundle.header
    if header.buckets != HIDDEN:
        raise BadBundle("legal buckets were shown to the player; only runs with hidden buckets count.")
    if header.terms.board_seed != terms.board_seed:
        raise BadBundle(
            f"it was played on boards of the seed {header.board_seed}; this board gives {terms.board_seed}."
        )
    if header.terms != terms:
        raise BadBundle(
            f"its runs have {header.episodes} episodes of {header.horizon} attempts; this board asks for "
            f"{terms.episodes} of {terms.horizon}."
        )
    game, name = find_game(header.rule, revealed)
    errors, cleared, empty = [], [], 0
    for number, episodes in enumerate(bundle.runs):
        try:
            counts, ends, misses = _replay_run(game, terms, header.rule, number, episodes)
        except BadBundle as error:
            same = bundle.runs.index(episodes)
            raise BadBundle(f"run {number} repeats run {same}." if same < number else str(error)) from None
        errors.append(counts)
        cleared.append(ends)
        empty += misses
    return Replayed(header.player, name, tuple(errors), tuple(cleared), empty, bundle.runs)


def find_game(rule: str, revealed: Mapping[str, Revealed]) -> tuple[Game, str]:
    """The game of a rule, and the name that the board shows."""
    if rule.startswith(HELD_OUT):
        known = revealed.get(rule.removeprefix(HELD_OUT))
        if known is None:
            raise Waiting(f"its rule, {rule[:40]!r}, was not revealed yet.")
        # The digest belongs to the name: anybody may commit to another rule under the same one.
        name = f"{known.name} (held out, {known.digest[:SHOWN]})"
        return prepare(parse(known.text, source=known.name)), name
    if rule not in BY_NAME:
        raise BadBundle(f"no benchmark rule is called {rule!r:.60}.")
    return prepare(find_rule(rule).parse()), contest_name(rule)


def _replay_run(
    game: Game, terms: Terms, rule: str, run: int, episodes: Episodes
) -> tuple[tuple[int, ...], tuple[bool, ...], int]:
    if len(episodes) != terms.episodes:
        raise BadBundle(
            f"run {run} has {len(episodes)} episodes, not {terms.episodes}: some were left out or added."
        )
    errors, cleared, empty = [], [], 0
    for episode, moves in enumerate(episodes):
        where = f"run {run}, episode {episode}"
        state, codes = begin(game, board_of(terms, rule, run, episode)), []
        for place, (cell, bucket, told) in enumerate(moves):
            code, state = attempt_at(game, state, cell, bucket)
            _check_move(f"{where}, move {place}", (cell, bucket, told), code)
            codes.append(code)
        if len(moves) > terms.horizon:
            raise BadBundle(f"{where} has {len(moves)} attempts, more than the horizon of {terms.horizon}.")
        if state.finish == Finish.PLAYING and len(moves) < terms.horizon:
            raise BadBundle(
                f"{where} stops after {len(moves)} attempts, before its end: moves were left out."
            )
        errors.append(count_errors(codes))
        empty += sum(code == Response.EMPTY_CELL for code in codes)
        cleared.append(state.finish == Finish.CLEARED)
    return tuple(errors), tuple(cleared), empty


def count_errors(codes: Iterable[int]) -> int:
    """Counted attempts that were not accepted; an attempt at an empty cell is none."""
    return sum(code in COUNTED and code != Response.ACCEPT for code in codes)


def _check_move(where: str, move: Move, code: Response) -> None:
    cell, bucket, told = move
    if code == Response.NO_GAME:
        raise BadBundle(f"{where} comes after the end of its episode.")
    if code not in COUNTED and code != Response.EMPTY_CELL:
        raise BadBundle(f"{where} names the cell {cell} and the bucket {bucket}, which are not there.")
    if told != code:
        raise BadBundle(
            f"{where}: the transcript says {told} for cell {cell} and bucket {bucket}, and the rule answers "
            f"{int(code)} ({code.name}) on the board of this seed."
        )
