"""`assay.unit_test`: a battery of small tasks that tells a sound agent from a broken one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.battery.choose import choose_subject
from assay.battery.judge import Outcome
from assay.battery.junit import write_junit
from assay.battery.run import Battery, Listener, new_battery, nobody, run_battery
from assay.door.arguments import speaks_python
from assay.door.exams import all_settings, name_of
from assay.errors import AssayError
from assay.interop.checks import seed_of
from assay.runs.cache import keep_programs


class UnitTestResult(NamedTuple):
    """What a battery came to."""

    agent: str
    passed: bool  # whether no test failed
    tests: tuple[Outcome, ...]
    likely_part: str  # "" where nothing failed
    why: str  # what points to it
    look: str  # where to look next


@speaks_python
def unit_test(
    agent: str | Callable[..., Any],
    *,
    seed: int = 0,
    only: Sequence[str] = (),
    steps: int | None = None,
    settings: Mapping[str, Any] | None = None,
    continuous: bool = False,
    junit: str | Path | None = None,
    tell: Listener = nobody,
) -> UnitTestResult:
    """Trains an agent on small tasks whose answers are known, and names the part that is likely broken.

    `agent` is one of assay (`"dqn"`), a class of Stable-Baselines3 (`"sb3:PPO"`, or a subclass of your own,
    `"mine:MyDQN"`), or your own training (`"mine:train"`, or a function of a module). `only` names tests;
    `continuous` asks an agent that acts in both kinds of spaces in continuous ones. `junit` is a file for CI,
    which is written even if the agent breaks down.

        result = assay.unit_test("dqn")
        result.passed, result.likely_part
    """
    battery = start(name_of(agent), seed, only, all_settings(settings, steps), continuous)
    complete(battery, junit, tell)
    return result_of(battery)


def start(agent: str, seed: int, only: Sequence[str], given: Mapping[str, Any], continuous: bool) -> Battery:
    """A battery before its first test; refuses agents and settings that cannot take it."""
    return new_battery(choose_subject(agent, given, continuous), seed_of(seed), only)


def complete(battery: Battery, junit: str | Path | None, tell: Listener) -> None:
    """Runs all tests, and writes the file for CI, whatever happens."""
    keep_programs()
    error = ""
    try:
        run_battery(battery, tell)
    except AssayError as raised:
        error = str(raised)
        raise
    finally:
        if junit is not None:
            outcomes, diagnosis = battery.outcomes, battery.diagnosis
            write_junit(Path(junit), battery.subject.name, outcomes, diagnosis, error, battery.missing)


def result_of(battery: Battery) -> UnitTestResult:
    part, says, look = battery.diagnosis
    return UnitTestResult(battery.subject.name, battery.passed, battery.outcomes, part, says, look)
