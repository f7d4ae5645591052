"""Bundles: the transcripts of all runs of one player under one rule, as one gzipped file of JSON lines.

The first line names the player and the rule, then comes a line for each run, and the last line closes the
bundle with the number of runs and a digest of all lines before it. A move is [cell, bucket, response code]. A
bundle holds no boards and no paths: boards follow from the terms of the contest, and nothing is unpacked to
disk.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.envs.rules.contest.terms import Terms
from assay.errors import AssayError
from assay.strict_json import WrongDocument, from_json, to_json

FORM, SUFFIX = "assay-transcripts-1", ".jsonl.gz"
HIDDEN, SHOWN = "hidden", "shown"
MOST_PACKED, MOST_BYTES, LONGEST_LINE = 64 << 20, 512 << 20, 8 << 20
MOST_RUNS = 10_000
LARGEST = 10_000  # no board has so many cells or buckets, and no code is so large
NAME = re.compile(r"[\w][\w .+=:-]{0,59}")

Move = tuple[int, int, int]  # cell, bucket, response code
Episodes = tuple[tuple[Move, ...], ...]


class BadBundle(AssayError):
    """A bundle that does not count, and why."""


@dataclass(frozen=True)
class Header:
    """The first line."""

    form: str
    player: str
    rule: str  # a benchmark rule, or commitment:DIGEST of one that is held out
    board_seed: int
    episodes: int
    horizon: int
    buckets: str  # whether legal buckets were hidden from the player
    runs: int

    @property
    def terms(self) -> Terms:
        return Terms(self.board_seed, self.episodes, self.horizon)


@dataclass(frozen=True)
class Bundle:
    header: Header
    runs: tuple[Episodes, ...]  # by the number of the run


def write_bundle(path: Path, header: Header, runs: Sequence[Episodes]) -> None:
    lines = [to_json(header), *({"run": number, "episodes": each} for number, each in enumerate(runs))]
    written = [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines]
    digest = hashlib.sha256(b"".join(written)).hexdigest()
    written.append(json.dumps({"end": len(runs), "digest": digest}).encode() + b"\n")
    aside = path.with_name(f"{path.name}.part")
    # No time and no name inside: the same runs give the same bytes.
    with aside.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.writelines(written)
    aside.replace(path)


def read_bundle(path: Path) -> Bundle:
    """The bundle of a file, whole and well formed; whether its moves are true is for the replay to say."""
    if path.is_symlink() or not path.is_file():
        raise BadBundle("it is no plain file; links and folders are not followed.")
    if path.stat().st_size > MOST_PACKED:
        raise BadBundle(f"it has more than {MOST_PACKED:,} bytes; a contest of 100 runs needs far fewer.")
    lines = _lines(path)
    first = next(lines, None)
    if first is None:
        raise BadBundle("it is empty.")
    digest = hashlib.sha256(first)
    header = _read_header(_json(first, 1))
    runs: dict[int, Episodes] = {}
    for number, line in enumerate(lines, start=2):
        document = _json(line, number)
        if "end" in document:
            _check_end(document, len(runs), digest.hexdigest(), header, next(lines, None))
            return Bundle(header, tuple(runs[run] for run in sorted(runs)))
        digest.update(line)
        run, episodes = _read_run(document, number)
        if run in runs:
            raise BadBundle(f"run {run} is in it twice.")
        if run >= header.runs:
            raise BadBundle(f"run {run} is none of its {header.runs} runs, which are counted from 0.")
        runs[run] = episodes
    raise BadBundle("it is cut off: its closing line is missing.")


def _lines(path: Path) -> Iterator[bytes]:
    read = 0
    try:
        with gzip.open(path, "rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                read += len(line)
                if len(line) > LONGEST_LINE or read > MOST_BYTES:
                    says = f"more than {MOST_BYTES:,} bytes, or to a line of more than {LONGEST_LINE:,}"
                    raise BadBundle(f"it unpacks to {says}.")
                yield line
    except EOFError:
        raise BadBundle("it is cut off: its gzip stream has no end.") from None
    except (OSError, zlib.error):
        raise BadBundle("it is no gzip file; `assay rules submit` writes bundles.") from None


def _json(line: bytes, number: int) -> dict[str, Any]:
    try:
        document = json.loads(line, object_pairs_hook=_once, parse_constant=_no_number)
    except BadBundle as error:
        raise BadBundle(f"its line {number} {error}") from None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise BadBundle(f"its line {number} is no JSON object; `assay rules submit` writes bundles.")
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: readers differ in which of two values they take."""
    document = dict(pairs)
    if len(document) < len(pairs):
        twice = next(name for i, (name, _) in enumerate(pairs) if name in dict(pairs[:i]))
        raise BadBundle(f"has {twice!r:.40} twice.")
    return document


def _no_number(text: str) -> Any:
    raise BadBundle(f"holds {text}, which is no number.")


def _read_header(document: dict[str, Any]) -> Header:
    try:
        header = from_json(Header, document, "its first line")
    except WrongDocument as error:
        raise BadBundle(str(error)) from None
    return check_header(header)


def check_header(header: Header) -> Header:
    """The header, where a bundle may have it; who plays asks before the runs are played."""
    if header.form != FORM:
        raise BadBundle(f"it is of the form {header.form!r:.40}, not {FORM}.")
    name = header.player
    if not NAME.fullmatch(name) or " ".join(unicodedata.normalize("NFKC", name).split()) != name:
        raise BadBundle(f"its player is called {name!r:.80}; names have up to 60 letters, digits, single "
                        "spaces and . + = : - in them, and no signs that only look different.")  # fmt: skip
    if not 1 <= header.runs <= MOST_RUNS:
        raise BadBundle(f"it has {header.runs} runs; a bundle has 1 to {MOST_RUNS}.")
    if header.buckets not in (HIDDEN, SHOWN):
        raise BadBundle(f"buckets are {HIDDEN} or {SHOWN}, not {header.buckets!r:.40}.")
    return header


def _read_run(document: dict[str, Any], number: int) -> tuple[int, Episodes]:
    run, episodes = document.get("run"), document.get("episodes")
    if type(run) is not int or run < 0 or not isinstance(episodes, list):
        raise BadBundle(f"its line {number} is no run with its number and episodes.")
    return run, tuple(_read_episode(each, run, place) for place, each in enumerate(episodes))


def _read_episode(episode: Any, run: int, place: int) -> tuple[Move, ...]:
    moves = []
    for move in episode if isinstance(episode, list) else [None]:
        match move:
            case [cell, bucket, code] if all(type(each) is int and abs(each) < LARGEST for each in move):
                moves.append((cell, bucket, code))
            case _:
                raise BadBundle(f"episode {place} of run {run} holds {move!r:.40}, which is no move.")
    return tuple(moves)


def _check_end(document: dict[str, Any], runs: int, digest: str, header: Header, after: bytes | None) -> None:
    if after is not None:
        raise BadBundle("there are lines behind its closing line.")
    end = document["end"]
    if type(end) is not int:
        raise BadBundle(f"its closing line has {end!r:.40} for the number of runs, which is no whole number.")
    if runs != header.runs or end != runs:
        raise BadBundle(f"{header.runs} runs are announced, and {runs} are there: runs were left out.")
    if document.get("digest") != digest:
        raise BadBundle("its closing line has another digest than its content: it was edited.")
