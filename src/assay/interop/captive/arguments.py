"""The words of the command line, or of the command GAME, as a record.

    -Doutput=STANDARD edu.wisc.game.engine.Captive rule.txt 9 4 4 seed=7

Options are `key=value` anywhere or `-Dkey=value`; all other words say which game is played. Words that are
meant for a Java machine are left out, so that a client of the published server changes one word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from assay.errors import AssayError

PIPE_CLASS = "edu.wisc.game.engine.Captive"
SOCKET_CLASS = "edu.wisc.game.engine.GameSocketServer"
OPTION = re.compile(r"([A-Za-z][\w.]*)=(.*)", re.DOTALL)
OF_JAVA = re.compile(r"-X.*|-D(java|sun|jdk|user|file)\..*|-(server|client|ea|esa)")
WITH_A_VALUE_IN_JAVA = ("-cp", "-classpath", "--class-path")
LARGEST_SEED = 2**63


class Output(Enum):
    """How much a reply says."""

    BRIEF = "BRIEF"
    STANDARD = "STANDARD"
    FULL = "FULL"


@dataclass(frozen=True)
class LogOptions:
    """Where results go; the defaults stand for options that were not given."""

    path: str | None = None
    append: bool = False
    nickname: str | None = None
    run: int | None = None
    compact: bool = False
    transcript: str | None = None


@dataclass(frozen=True)
class Options:
    """The options of a game."""

    output: Output | None = None  # None: FULL on a pipe, STANDARD on a socket
    seed: int = 0  # 0: fresh entropy
    colors: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    crowded: bool = False
    cond_train: str | None = None
    cond_test: str | None = None
    input_dir: str | None = None
    hides_buckets: bool = False
    strict: bool = True  # rules are read strictly
    log: LogOptions = LogOptions()


@dataclass(frozen=True)
class Listening:
    """Where a socket server listens."""

    port: int | None = None  # None: the game is played on standard input and output
    host: str = "127.0.0.1"
    clients: int = 64  # at one time


@dataclass(frozen=True)
class Arguments:
    """A whole command line."""

    words: tuple[str, ...]  # which game: `rule.txt 9 4 4`
    options: Options = Options()
    listening: Listening = Listening()


def read_arguments(words: Sequence[str]) -> Arguments:
    """The record of a command line, or one sentence on the first word that cannot be used."""
    plain: list[str] = []
    options, listening = Options(), Listening()
    pending = list(words)
    while pending:
        word = pending.pop(0)
        if word in WITH_A_VALUE_IN_JAVA:
            del pending[:1]
        elif word.startswith("--"):
            listening = _read_listening(listening, word, pending)
        elif OF_JAVA.fullmatch(word) or (word == PIPE_CLASS and not plain):
            continue
        elif word == SOCKET_CLASS and not plain:
            listening = _read_listening(listening, "--port", pending)
        elif word.startswith("-D") or OPTION.fullmatch(word):
            options = _read_option(options, word.removeprefix("-D"))
        elif word.startswith("-"):
            raise AssayError(
                f"{word!r:.60} is no option of the server; options are key=value or -Dkey=value."
            )
        else:
            plain.append(word)
    return Arguments(tuple(plain), _check_together(options), listening)


def _read_listening(listening: Listening, word: str, pending: list[str]) -> Listening:
    name, given, value = word.partition("=")
    if not given:
        value = pending.pop(0) if pending else ""
    if name == "--port":
        return replace(listening, port=_read_whole(name, value, 0, 65535))
    if name == "--clients":
        return replace(listening, clients=_read_whole(name, value, 1, 4096))
    if name == "--host" and value:
        return replace(listening, host=value)
    raise AssayError(f"{word!r:.60} is no option of the server; it takes --port N, --host H and --clients N.")


def _read_option(options: Options, text: str) -> Options:
    match = OPTION.fullmatch(text)
    if match is None:
        raise AssayError(f"the option -D{text:.60} has no value; write -Dkey=value.")
    name, value = match.groups()
    if name not in READERS:
        raise AssayError(f"the server has no option {name!r:.40}; it has {', '.join(sorted(READERS))}.")
    if not value:
        raise AssayError(f"the option {name} is empty; give it a value or leave it out.")
    return READERS[name](options, name, value)


def _check_together(options: Options) -> Options:
    log = options.log
    if options.cond_train and options.cond_test:
        raise AssayError("condTrain and condTest are both given; choose the one to begin with.")
    if log.path is None:
        if log.transcript:
            raise AssayError("detailedTranscript is given without log; add log=FILE.")
        return options
    if log.nickname is None or log.run is None:
        raise AssayError("a result file needs log.nickname and log.run; add both.")
    return options


def _read_whole(name: str, value: str, low: int, high: int) -> int:
    if not re.fullmatch(r"-?[0-9]{1,19}", value) or not low <= int(value) <= high:
        raise AssayError(f"{name} takes a whole number from {low} to {high}, not {value!r:.40}.")
    return int(value)


def _read_truth(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise AssayError(f"{name} is true or false, not {value!r:.40}.")
    return value.lower() == "true"


def _read_choice(name: str, value: str, choices: Sequence[str]) -> str:
    for each in choices:
        if each.lower() == value.lower():
            return each
    raise AssayError(f"{name} is {' or '.join(choices)}, not {value!r:.40}.")


def _read_names(name: str, value: str) -> tuple[str, ...]:
    names = tuple(each.strip() for each in value.split(";") if each.strip())
    if not names:
        raise AssayError(f"{name} names nothing; write {name}=a;b;c.")
    return names


Reader = Callable[[Options, str, str], Options]


def _set(field: str, read: Callable[[str, str], Any]) -> Reader:
    return lambda options, name, value: replace(options, **{field: read(name, value)})


def _set_log(field: str, read: Callable[[str, str], Any]) -> Reader:
    return lambda options, name, value: replace(
        options, log=replace(options.log, **{field: read(name, value)})
    )


def _as_it_is(name: str, value: str) -> str:
    return value


def _read_nickname(name: str, value: str) -> str:
    if not value.isprintable():
        raise AssayError(f"{name} is one line of printable text, not {value!r:.40}.")
    return value


def _append_to(options: Options, name: str, value: str) -> Options:
    """`logappend=FILE`; also `log.append=true` beside `log=FILE`."""
    if value.lower() in ("true", "false"):
        return replace(options, log=replace(options.log, append=value.lower() == "true"))
    return replace(options, log=replace(options.log, path=value, append=True))


READERS: dict[str, Reader] = {
    "output": _set(
        "output", lambda name, value: Output(_read_choice(name, value, [o.value for o in Output]))
    ),
    "seed": _set("seed", lambda name, value: _read_whole(name, value, -LARGEST_SEED, LARGEST_SEED - 1)),
    "colors": _set("colors", _read_names),
    "shapes": _set("shapes", _read_names),
    "crowded": _set("crowded", _read_truth),
    "condTrain": _set("cond_train", _as_it_is),
    "condTest": _set("cond_test", _as_it_is),
    "inputDir": _set("input_dir", _as_it_is),
    "buckets": _set(
        "hides_buckets", lambda name, value: _read_choice(name, value, ("shown", "hidden")) == "hidden"
    ),
    "strict": _set("strict", _read_truth),
    "log": _set_log("path", _as_it_is),
    "logappend": _append_to,
    "log.append": _append_to,
    "log.nickname": _set_log("nickname", _read_nickname),
    "log.run": _set_log("run", lambda name, value: _read_whole(name, value, 0, 2**31 - 1)),
    "log.format": _set_log(
        "compact", lambda name, value: _read_choice(name, value, ("Long", "Compact")) == "Compact"
    ),
    "detailedTranscript": _set_log("transcript", _as_it_is),
}
