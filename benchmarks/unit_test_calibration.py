"""How often the battery of `assay unit-test` fails sound agents, catches planted bugs, and names them.

    python -m benchmarks.unit_test_calibration --seeds 20            # agents of assay, resumed
    python -m benchmarks.unit_test_calibration --seeds 20 --of sb3   # those of Stable-Baselines3
    python -m benchmarks.unit_test_calibration --only "dqn,discount 1 (ppo)"
    python -m benchmarks.unit_test_calibration --table               # the results so far

Each case, an agent with or without a bug, has a file of lines in benchmarks/unit_test, one for each seed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from assay.battery.battery_tests import Test
from assay.battery.judge import FAIL, NOT_JUDGED, judge
from assay.battery.native import NativeSubject
from assay.battery.own_settings import BY_AGENT
from assay.battery.run import Battery, exam_of, new_battery, run_battery, seed_of
from assay.battery.sb3 import CLASSES, Sb3Subject, class_named
from assay.battery.subject import Subject, Way
from assay.runs.cache import keep_programs
from benchmarks.planted_bugs import BUGS, buggy

RESULTS = Path(__file__).parent / "unit_test"
SIDE_BY_SIDE = 5  # seeds of an agent of ours, whose trainings are one program


class Case(NamedTuple):
    name: str
    part: str  # that should be named; "" of a sound agent
    subject: Callable[[], Subject]


def own_cases() -> list[Case]:
    """Agents of assay, sound and with a bug."""
    sound = [Case(name, "", lambda name=name: NativeSubject(name, {})) for name in BY_AGENT]
    planted = [
        Case(bug.name, bug.part, lambda bug=bug: NativeSubject(bug.agent, {}, agent=buggy(bug)))
        for bug in BUGS
    ]
    return planted + sound[::-1]


def sb3_cases() -> list[Case]:
    """Classes of Stable-Baselines3, and subclasses with a bug."""
    from benchmarks.planted_sb3 import BUGS as IN_SB3

    theirs = [
        Case(f"sb3 {name}", "", lambda name=name: Sb3Subject(f"sb3:{name}", class_named(name), {}))
        for name in CLASSES
    ]
    in_theirs = [
        Case(f"sb3 {name}", part, lambda model=model: Sb3Subject(f"mine:{model.__name__}", model, {}))
        for name, model, part in IN_SB3
    ]
    return in_theirs + theirs[::-1]


def file_of(case: Case) -> Path:
    return RESULTS / f"{case.name.replace(' ', '-').replace('(', '').replace(')', '')}.jsonl"


def lines_of(case: Case) -> list[dict]:
    path = file_of(case)
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return list({line["seed"]: line for line in lines}.values())  # two processes may have done the same


def run_case(case: Case, seeds: int) -> None:
    """The batteries of the seeds that have no line yet."""
    missing = sorted(set(range(seeds)) - {line["seed"] for line in lines_of(case)})
    if not missing:
        return
    subject = case.subject()
    together = SIDE_BY_SIDE if subject.at_once > 1 else 1
    for some in (missing[i : i + together] for i in range(0, len(missing), together)):
        begun, spent = time.monotonic(), time.process_time()
        batteries = [new_battery(subject, seed) for seed in some]
        run_side_by_side(batteries)
        times = time.monotonic() - begun, time.process_time() - spent
        keep_lines(case, batteries, *(each / len(some) for each in times))


def run_side_by_side(batteries: list[Battery]) -> None:
    """The same trainings as one after another, those of all seeds in one call."""
    if len(batteries) == 1:
        return run_battery(batteries[0])
    subject, traits, count = batteries[0].subject, batteries[0].subject.traits, batteries[0].subject.at_once
    ways: dict[Way, list[Test]] = {}
    for test in batteries[0].missing:
        ways.setdefault(test.way(traits), []).append(test)
    for way, tests in ways.items():
        places = [(battery, test) for battery in batteries for test in tests]
        exams = [exam_of(*place, i) for place in places for i in range(count)]
        seeds = [seed_of(*place, i) for place in places for i in range(count)]
        runs = subject.run(way, exams, seeds)
        for i, (battery, test) in enumerate(places):
            part = slice(i * count, (i + 1) * count)
            battery.finished[test.name] = judge(test, way, exams[part], runs[part])


def keep_lines(case: Case, batteries: list[Battery], seconds: float, cpu: float) -> None:
    for battery in batteries:
        line = {
            "seed": battery.seed,
            "passed": battery.passed,
            "part": battery.diagnosis.part,
            "failed": {
                each.name: [each.failed, each.runs]
                for each in battery.outcomes
                if each.verdict in (FAIL, NOT_JUDGED)
            },
            "seconds": round(seconds, 1),
            "cpu": round(cpu, 1),
        }
        RESULTS.mkdir(exist_ok=True)
        with file_of(case).open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(case.name, line, flush=True)


def print_table(chosen: list[Case]) -> None:
    print("| case | batteries | failed | right part | CPU-seconds, median |\n|---|---|---|---|---|")
    for case in chosen:
        lines = lines_of(case)
        if not lines:
            continue
        failed = sum(not line["passed"] for line in lines)
        right = sum(line["part"] == case.part for line in lines if not line["passed"]) if case.part else ""
        times = sorted(line["cpu"] for line in lines if "cpu" in line)  # older lines have none
        seconds = f"{times[len(times) // 2]:.0f}" if times else ""
        print(f"| {case.name} | {len(lines)} | {failed} | {right} | {seconds} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--of", default="assay", choices=("assay", "sb3"))
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    names = [name.strip() for name in asked.only.split(",") if name.strip()]
    keep_programs()
    cases = {"assay": own_cases, "sb3": sb3_cases}[asked.of]()
    chosen = [case for case in cases if not names or case.name in names]
    if not asked.table:
        for case in chosen:
            run_case(case, asked.seeds)
    print_table(chosen)


if __name__ == "__main__":
    main()
