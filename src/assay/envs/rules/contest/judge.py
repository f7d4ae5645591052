"""Reads a folder of bundles, replays each, and tells those that count from those that do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.envs.rules.codes import COUNTED, Response
from assay.envs.rules.contest.bundle import SUFFIX, BadBundle, Episodes, Move, read_bundle
from assay.envs.rules.contest.commitment import Revealed, read_revealed
from assay.envs.rules.contest.replay import Replayed, Waiting, replay_bundle
from assay.envs.rules.contest.terms import Terms
from assay.errors import AssayError

REVEALED = ".rule.json"


@dataclass(frozen=True)
class Judged:
    """By file name: what counts, what is refused and why, and what waits for its rule."""

    counted: dict[str, Replayed] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)


def judge_folder(folder: Path, terms: Terms) -> Judged:
    """All bundles of a folder, by name; of two that hold the same, the first counts."""
    if not folder.is_dir():
        raise AssayError(f"{folder} is no folder; name the one that holds the bundles.")
    judged = Judged()
    revealed = _revealed(folder, judged)
    for path in sorted(folder.iterdir()):
        if path.name.endswith(REVEALED):
            continue
        if not path.name.endswith(SUFFIX):
            judged.refused[path.name] = f"it is no bundle, whose name ends with {SUFFIX}."
            continue
        _judge(path, terms, revealed, judged)
    if judged == Judged():
        raise AssayError(
            f"{folder} holds no bundle, whose name ends with {SUFFIX}; `assay rules submit` writes them."
        )
    return judged


def _revealed(folder: Path, judged: Judged) -> dict[str, Revealed]:
    """The revealed rules by their digests; a second file for a digest may give the rule another name."""
    found: dict[str, Revealed] = {}
    first: dict[str, str] = {}
    for path in sorted(folder.glob(f"*{REVEALED}")):
        try:
            rule = read_revealed(path)
        except (AssayError, OSError) as error:
            judged.refused[path.name] = str(error)
            continue
        if rule.digest in found:
            judged.refused[path.name] = (
                f"{first[rule.digest]} reveals the same digest already, as {found[rule.digest].name!r:.60}, "
                f"and this file as {rule.name!r:.60}; keep one of the two files."
            )
            continue
        found[rule.digest], first[rule.digest] = rule, path.name
    return found


def _judge(path: Path, terms: Terms, revealed: Mapping[str, Revealed], judged: Judged) -> None:
    try:
        replayed = replay_bundle(read_bundle(path), terms, revealed)
        _refuse_repeated(replayed, judged.counted)
        judged.counted[path.name] = replayed
    except Waiting as error:
        judged.waiting[path.name] = str(error)
    except AssayError as error:
        judged.refused[path.name] = str(error)


def _refuse_repeated(replayed: Replayed, counted: Mapping[str, Replayed]) -> None:
    """Refuses a second entry of a player, and runs that are those of another one.

    A copy and a second honest run of a deterministic player hold the same moves, and nothing in a bundle can
    tell them apart. So one of them counts. Which one came first only the keeper of the folder knows, who
    names the files in that order.
    """
    for name, other in counted.items():
        if other.rule != replayed.rule:
            continue
        if other.player.casefold() == replayed.player.casefold():
            raise BadBundle(f"{replayed.player} has an entry on {replayed.rule} already, in {name}.")
        pairs = zip(replayed.runs, other.runs, replayed.errors)
        equal = sum(errors_of(mine) == errors_of(theirs) for mine, theirs, errors in pairs if any(errors))
        # Against all runs of this entry: else a bundle of one copied run would take out the whole original.
        erring = sum(any(errors) for errors in replayed.errors)
        if equal and 2 * equal >= erring:
            raise BadBundle(
                f"the errors of {equal} of its {erring} runs with errors are those of "
                f"{other.player} in {name}, move by move: a copy and a second run of one deterministic "
                "player cannot be told apart, so that only the file that comes first by name counts; enter "
                "a player under one name, or let it draw at random."
            )


def errors_of(run: Episodes) -> list[list[Move]]:
    """The errors of each episode in a fixed order.

    Accepted moves and attempts at empty cells are left out, and so is the order: they can be changed in a
    copy without any cost.
    """
    return [sorted(move for move in moves if move[2] in COUNTED and move[2] != Response.ACCEPT)
            for moves in run]  # fmt: skip
