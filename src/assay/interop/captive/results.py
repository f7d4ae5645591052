"""Result files: a row for each episode, in one of two formats, and a transcript of all attempts.

A row is written with one call to a file that is open for appending, so that rows of several servers never
mix and a server that is ended leaves no half of one.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.envs.rules.geometry import STANDARD
from assay.errors import AssayError
from assay.interop.captive.arguments import LogOptions
from assay.interop.captive.episode import CLEARED, Episode
from assay.interop.captive.files import Files

LONG = "#nickname,rule_name,trial_id,board_id,number_of_pieces,number_of_moves,move_acc,if_clear\n"
COMPACT = "#.nickname,rule_name,trial_id\n#number_of_moves,number_of_errors,if_clear\n"
TRANSCRIPT = (
    "#playerId,trialListId,seriesNo,ruleId,episodeNo,episodeId,moveNo,timestamp,mover,reactionTime,"
    "objectType,objectId,y,x,bucketId,by,bx,code,objectCnt\n"
)
LONGEST_WAIT = 65_536  # characters of a transcript that are kept back before they are written
MOVER = 0  # of a game with one player


def first_line(header: str) -> str:
    return header[: header.index("\n") + 1]


FORMATS = {
    first_line(LONG): "results of the format Long",
    first_line(COMPACT): "results of the format Compact",
    first_line(TRANSCRIPT): "attempts of a transcript",
}


class AppendedFile:
    """A file to which whole rows are added."""

    def __init__(self, path: Path, header: str, *, append: bool, keep: bool = False):
        """`keep`: rows that are there are another client's, and are not to be begun anew."""
        refuse_other_files(path, header, append=append, keep=keep)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (0 if append else os.O_TRUNC)
        try:
            self.file = os.open(path, flags, 0o666)
        except OSError as error:
            raise AssayError(f"{path} cannot be written: {error.strerror or error}.") from None
        self.path = path
        if os.fstat(self.file).st_size == 0:
            self.write(header)

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:  # a second turn only where a disk is full or a signal came
            data = data[os.write(self.file, data) :]

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def refuse_other_files(path: Path, header: str, *, append: bool, keep: bool) -> None:
    """Refuses to write into a file that holds anything but such rows, a rule file for example."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            first = file.readline()
    except OSError:  # there is none, or opening it for writing will say what is wrong
        return
    if first and first not in FORMATS:
        raise AssayError(f"{path} holds something else than these results; name another file.")
    if first and append and first != first_line(header):
        raise AssayError(f"{path} holds {FORMATS[first]}, and {FORMATS[first_line(header)]} are to be "
                         "added; keep to one format in a file, or name another file.")  # fmt: skip
    if first and keep and not append:
        raise AssayError(f"{path} holds results already; write logappend to add to them, or another name.")


def refuse_same_file(options: LogOptions, files: Files) -> None:
    """Two kinds of rows in one file can be read by nobody."""
    if options.path is None or options.transcript is None:
        return
    one, other = (files.place_to_write(name) for name in (options.path, options.transcript))
    if one.resolve() == other.resolve():
        raise AssayError(f"log and detailedTranscript are both {options.path!r:.200}; name two files.")


def join_row(values: Sequence[object]) -> str:
    """A row of CSV; a value with a comma is quoted."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


@dataclass(frozen=True)
class Attempted:
    """A counted attempt, as the transcript tells it."""

    kind: str  # COLOR_SHAPE
    id: int
    cell: int
    bucket: int
    code: int
    pieces: int  # on the board before it


class Results:
    """The files of one run."""

    def __init__(self, options: LogOptions, files: Files, rule_name: str, list_name: str):
        assert options.path is not None and options.nickname is not None and options.run is not None
        self.nickname, self.run, self.rule_name = options.nickname, options.run, rule_name
        self.list_name, self.compact = list_name, options.compact
        refuse_same_file(options, files)
        header = COMPACT if options.compact else LONG
        how = {"append": options.append, "keep": files.within is not None}
        self.rows = AppendedFile(files.place_to_write(options.path), header, **how)
        if options.compact:
            self.rows.write("." + join_row((options.nickname, rule_name, options.run)))
        self.transcript: AppendedFile | None = None
        if options.transcript is not None:
            place = files.place_to_write(options.transcript)
            self.transcript = AppendedFile(place, TRANSCRIPT, **how)
        self.begin(0)

    def begin(self, number: int) -> None:
        """A new episode, by its number from 0 on."""
        self.number, self.is_written = number, False
        self.waiting: list[str] = []
        self.waiting_size = self.attempts = 0
        self.latest = datetime.now()
        self.episode_id = f"{self.latest:%Y%m%d-%H%M%S}-{os.urandom(3).hex().upper()}"

    def note(self, attempted: Attempted) -> None:
        """One attempt; rows of the transcript wait for the end of the episode, or until they are many."""
        if self.transcript is None:
            return
        now = datetime.now()
        x, y = STANDARD.bucket_places[attempted.bucket]
        when, took = f"{now:%Y%m%d-%H%M%S}.{now.microsecond // 1000:03}", (now - self.latest).total_seconds()
        row = join_row(
            (self.nickname, self.list_name, self.run, self.rule_name, self.number, self.episode_id,
             self.attempts, when, MOVER, f"{took:.3f}", attempted.kind, attempted.id,
             STANDARD.row_of(attempted.cell), STANDARD.column_of(attempted.cell), attempted.bucket,
             y // STANDARD.buckets, x // STANDARD.buckets, attempted.code, attempted.pieces)
        )  # fmt: skip
        self.latest, self.attempts = now, self.attempts + 1
        self.waiting.append(row)
        self.waiting_size += len(row)
        if self.waiting_size > LONGEST_WAIT:
            self._write_transcript()

    def end(self, episode: Episode) -> None:
        """Writes the row of an episode that has ended or is left; once, however often it is called."""
        if self.is_written:
            return
        self.is_written = True
        self._write_transcript()
        self.rows.write(self._tell(episode))

    def close(self) -> None:
        self.rows.close()
        if self.transcript is not None:
            self.transcript.close()

    def _write_transcript(self) -> None:
        if self.transcript is not None and self.waiting:
            self.transcript.write("".join(self.waiting))
            self.waiting, self.waiting_size = [], 0

    def _tell(self, episode: Episode) -> str:
        moves, accepted = episode.attempts, episode.accepted
        clear = int(episode.finish == CLEARED)
        if self.compact:
            return join_row((moves, moves - accepted, clear))
        accuracy = accepted / moves if moves else 0.0
        return join_row(
            (self.nickname, self.rule_name, self.run, self.number, len(episode.board.pieces), moves,
             accuracy, clear)
        )  # fmt: skip
