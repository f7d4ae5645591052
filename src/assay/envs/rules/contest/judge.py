"""Reads a folder of bundles, replays each, and tells those that count from those that do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.envs.rules.contest.bundle import SUFFIX, BadBundle, read_bundle
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
    revealed = dict(_revealed(folder, judged))
    for path in sorted(folder.iterdir()):
        if path.name.endswith(REVEALED):
            continue
        if not path.name.endswith(SUFFIX):
            judged.refused[path.name] = f"it is no bundle, whose name ends with {SUFFIX}."
            continue
        _judge(path, terms, revealed, judged)
    return judged


def _revealed(folder: Path, judged: Judged) -> Iterator[tuple[str, Revealed]]:
    for path in sorted(folder.glob(f"*{REVEALED}")):
        try:
            rule = read_revealed(path)
            yield rule.digest, rule
        except (AssayError, OSError) as error:
            judged.refused[path.name] = str(error)


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
    """Refuses a second entry, and runs of another player: two players do not make the same errors."""
    for name, other in counted.items():
        if other.rule != replayed.rule:
            continue
        if other.player == replayed.player:
            raise BadBundle(f"{replayed.player} has an entry on {replayed.rule} already, in {name}.")
        for run, (mine, theirs) in enumerate(zip(replayed.runs, other.runs)):
            if mine == theirs and any(replayed.errors[run]):
                raise BadBundle(f"its run {run} is the run {run} of {other.player} in {name}, move by move.")
