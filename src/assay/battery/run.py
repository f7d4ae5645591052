"""The battery: every test that applies to an agent, trained, asked and judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from assay.battery.battery_tests import BY_NAME, TESTS, Test
from assay.battery.diagnose import Diagnosis, diagnose, without_blame
from assay.battery.judge import FAIL, NOT_APPLICABLE, Outcome, judge, mark
from assay.battery.subject import Run, Subject, Way
from assay.battery.table import Exam
from assay.battery.tasks import LEAST_DISCOUNT, MOST_DISCOUNT, Asked
from assay.core.streams import digest_number, generator
from assay.errors import AssayError, UnknownName

AGAIN = 3  # trainings for a test that failed once, where each takes seconds
Listener = Callable[[int, int, str], None]  # tests done, tests in all, what is done now


def nobody(done: int, total: int, what: str) -> None: ...


@dataclass
class Battery:
    """A battery under way; what is finished stays if the agent breaks down."""

    subject: Subject
    seed: int
    tests: tuple[Test, ...]
    finished: dict[str, Outcome] = field(default_factory=dict)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What is finished, in the order of the tests."""
        return without_blame([self.finished[test.name] for test in self.tests if test.name in self.finished])

    @property
    def diagnosis(self) -> Diagnosis:
        return diagnose(self.outcomes)

    @property
    def passed(self) -> bool:
        return all(each.verdict != FAIL for each in self.outcomes)

    @property
    def missing(self) -> tuple[Test, ...]:
        """Tests that are not finished: after an error, the first is the one that it came from."""
        return tuple(test for test in self.tests if test.name not in self.finished)


def choose_tests(names: Sequence[str]) -> tuple[Test, ...]:
    """The tests of these names, all of them where none is given."""
    for name in names:
        if name not in BY_NAME:
            raise UnknownName(f"no test is called {name!r}; the battery has {', '.join(BY_NAME)}.")
    return tuple(test for test in TESTS if not names or test.name in names)


def new_battery(subject: Subject, seed: int, only: Sequence[str] = ()) -> Battery:
    traits = subject.traits
    if not LEAST_DISCOUNT <= traits.discount <= MOST_DISCOUNT:
        raise AssayError(
            f"the right answers of the battery hold for discounts from {LEAST_DISCOUNT} to {MOST_DISCOUNT}, "
            f"and {subject.name} has {traits.discount:g}; leave the setting out, or set another."
        )
    battery = Battery(subject, seed, choose_tests(only))
    for test in battery.tests:
        if why := test.why_not(traits):
            battery.finished[test.name] = Outcome(test.name, test.asks, test.part, NOT_APPLICABLE, why)
    return battery


def exam_of(battery: Battery, test: Test, number: int) -> Exam:
    """The table and questions of one training; the same seed gives the same."""
    traits = battery.subject.traits
    asked = Asked(test.discount or traits.discount, traits.steps, traits.n_step)
    return test.make(generator(battery.seed, number, f"unit test {test.name}"), asked)


def seed_of(battery: Battery, test: Test, number: int) -> int:
    return digest_number(battery.seed, number, f"training for {test.name}") % 2**31


def run_battery(battery: Battery, tell: Listener = nobody) -> None:
    """Runs all tests that are not finished; those of one way together where the agent is trained so."""
    waiting = [(test, test.way(battery.subject.traits)) for test in battery.missing]
    if battery.subject.at_once == 1:
        for test, way in waiting:
            tell(len(battery.finished), len(battery.tests), test.name)
            battery.finished[test.name] = run_alone(battery, test, way)
        return
    order = list(dict.fromkeys(way for _, way in waiting))
    waiting.sort(key=lambda each: order.index(each[1]))
    for way, group in groupby(waiting, key=lambda each: each[1]):
        tests = [test for test, _ in group]
        tell(len(battery.finished), len(battery.tests), ", ".join(test.name for test in tests))
        run_together(battery, tests, way)


def run_together(battery: Battery, tests: Sequence[Test], way: Way) -> None:
    begun, count = time.monotonic(), battery.subject.at_once
    exams = [exam_of(battery, test, i) for test in tests for i in range(count)]
    seeds = [seed_of(battery, test, i) for test in tests for i in range(count)]
    runs = battery.subject.run(way, exams, seeds)
    seconds = (time.monotonic() - begun) / len(tests)
    for i, test in enumerate(tests):
        part = slice(i * count, (i + 1) * count)
        battery.finished[test.name] = judge(test, way, exams[part], runs[part], seconds)


def run_alone(battery: Battery, test: Test, way: Way) -> Outcome:
    """One training; where it fails, more of them decide."""
    begun = time.monotonic()
    exams: list[Exam] = []
    runs: list[Run] = []
    while not is_decided(test, way, exams, runs):
        number = len(runs)
        exams.append(exam_of(battery, test, number))
        runs += battery.subject.run(way, exams[-1:], [seed_of(battery, test, number)])
    return judge(test, way, exams, runs, time.monotonic() - begun)


def is_decided(test: Test, way: Way, exams: Sequence[Exam], runs: Sequence[Run]) -> bool:
    """Whether the first training passed, or more than half of `AGAIN` agree."""
    passed = [mark(test, way, exam, run).passed for exam, run in zip(exams, runs)]
    return passed[:1] == [True] or max(passed.count(True), passed.count(False)) > AGAIN // 2
