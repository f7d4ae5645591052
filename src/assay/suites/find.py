"""Reads a suite from a user's YAML file and checks all of it before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from assay.core.axis import show_value
from assay.errors import AssayError
from assay.suites.suite import Pair, Suite
from assay.task_text import suggest

KEYS = {"name", "version", "asks", "pairs", "seeds", "episodes", "rollouts", "settings", "agent", "steps",
        "blind", "random", "counts_events"}  # fmt: skip
PAIR_KEYS = ("train", "evaluate", "name", "axis", "baseline")
SWITCHES = ("rollouts", "random", "counts_events")
MOST_SEEDS = 100_000
EXAMPLE = "pairs: [{train: toy/discrete, evaluate: toy/discrete+delay=4}]"


def is_file(text: str) -> bool:
    return text.endswith((".yaml", ".yml"))


def read(path: Path) -> Suite:
    """The suite in a file: its pairs, and the other fields of a `Suite` it sets; `seeds` is their number."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}; give a YAML file of a suite.") from None
    except (
        yaml.YAMLError,
        ValueError,
        RecursionError,
    ) as error:  # the last two come from how YAML parses values
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where else ""
        raise AssayError(f"{path} is not YAML{line}; write a suite such as {EXAMPLE}.") from None
    if not isinstance(document, dict) or not isinstance(document.get("pairs"), list) or not document["pairs"]:
        raise AssayError(f"{path} has no pairs; write a suite such as {EXAMPLE}.")
    unknown = set(map(str, document)) - KEYS
    if unknown:
        raise AssayError(
            f"{path} has the unknown key {sorted(unknown)[0]!r}; a suite has {', '.join(sorted(KEYS))}."
        )
    count = whole_number(path, "seeds", document.get("seeds", 10), MOST_SEEDS)
    for switch in SWITCHES:
        if not isinstance(document.get(switch, False), bool):
            raise AssayError(f"{switch} in {path} is true or false, not {document[switch]!r}.")
    if not isinstance(document.get("agent", ""), str):
        raise AssayError(f"agent in {path} is the name of an agent, such as dqn, not {document['agent']!r}.")
    return Suite(
        str(document.get("name", path.stem)),
        whole_number(path, "version", document.get("version", 1)),
        str(document.get("asks", "")),
        tuple(read_pair(path, number, each) for number, each in enumerate(document["pairs"])),
        tuple(range(count)),
        whole_number(path, "episodes", document.get("episodes", 10)),
        document.get("rollouts", False),
        read_settings(path, document.get("settings", []), len(document["pairs"])),
        document.get("agent", ""),
        whole_number(path, "steps", document["steps"]) if "steps" in document else 0,
        read_blind(path, document.get("blind", [])),
        random=document.get("random", False),
        counts_events=document.get("counts_events", False),
    )


def read_pair(path: Path, number: int, each: Any) -> Pair:
    if isinstance(each, str):
        return Pair(each, each)
    unknown = sorted(set(map(str, each)) - set(PAIR_KEYS)) if isinstance(each, dict) else []
    if unknown:
        near = suggest(unknown[0], PAIR_KEYS)
        raise AssayError(
            f"pair {number} of {path} has the unknown key {unknown[0]!r}; "
            f"{f'did you mean {near}? A' if near else 'a'} pair has {', '.join(PAIR_KEYS)}."
        )
    if not isinstance(each, dict) or "train" not in each:
        raise AssayError(f"pair {number} of {path} is not a pair; write a suite such as {EXAMPLE}.")
    name = str(each.get("name", ""))
    # A published id is the axis of the pair, then its number: "filters 4".
    axis = str(each.get("axis", name.rpartition(" ")[0]))
    baseline = str(each.get("baseline", ""))
    return Pair(str(each["train"]), str(each.get("evaluate", each["train"])), name, axis, baseline)


def read_blind(path: Path, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise AssayError(
            f"blind in {path} is a list of measures to choose the best blind policy by, such as [score], "
            f"not {given!r}."
        )
    return tuple(given)


def read_settings(path: Path, given: Any, pairs: int) -> tuple[dict[str, Any], ...]:
    """The agent's settings for each pair; the file may give one set for all pairs."""
    each = [given] * pairs if isinstance(given, dict) else given
    if not isinstance(each, list) or not all(isinstance(one, dict) for one in each):
        raise AssayError(
            f"settings in {path} are those of the agent, one set for all pairs such as {{batch: 64}} "
            f"or a list with one for each pair, not {given!r}."
        )
    if each and len(each) != pairs:
        raise AssayError(f"settings in {path} are a list of {len(each)}, but there are {pairs} pairs.")
    return tuple({str(name): value for name, value in one.items()} for one in each)


def whole_number(path: Path, name: str, value: Any, most: int = 2**62) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        upper = f"to {most}" if most == MOST_SEEDS else "up"
        raise AssayError(f"{name} in {path} is a whole number from 1 {upper}, not {show_value(value)}.")
    return value
