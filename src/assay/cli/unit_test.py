"""`assay unit-test`: whether an agent learns as it should, and which part of it is likely broken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, parse_settings
from assay.cli.output import Progress, print_json, print_table, print_text
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.door.unit_test import UnitTestResult

EXAMPLES = (
    "assay unit-test dqn",
    "assay unit-test ppo --set memory=gru --only memory",
    "assay unit-test sb3:PPO --junit unit-test.xml",
    "assay unit-test mine:train --steps 5000",
)
AGENTS = (
    "dqn, rainbow, tabular_q, double_q, sarsa, ppo, a2c, ddpg, td3, sac; training of your own (mine:train); "
    "a class of Stable-Baselines3 (sb3:PPO, sb3:A2C, sb3:DQN, sb3:SAC, sb3:TD3, sb3:DDPG) or a subclass of "
    "your own (mine:MyDQN)"
)


def run(
    agent: Annotated[str, typer.Argument(help=f"An agent: {AGENTS}.", show_default=False)] = "",
    seed: Annotated[
        int, typer.Option(help="The seed of the battery; another one draws other tasks.", min=0)
    ] = 0,
    junit: Annotated[
        Path | None, typer.Option(help="Write a JUnit file for CI.", show_default="none")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Run only these tests, with commas; may be repeated.", show_default="all"),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Env steps of each training.", show_default="the battery's", min=1)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the agent: --set learning_rate=0.001; may be repeated."),
    ] = None,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="Ask an agent that can do both in continuous actions.")
    ] = False,
    list_tests: Annotated[bool, typer.Option("--list", help="List the tests, and stop.")] = False,
    json: Json = False,
) -> None:
    """Train an agent on tiny tasks whose answers are known, and say which part of it is likely broken.

    Each test asks about one part: what an agent that is sound in that part would choose, a broken one would
    not. Ends with 0 if no test fails, with 1 if one does, and with 2 if the agent cannot be tested.
    """
    if list_tests:
        return print_tests(json)
    if not agent:
        raise AssayError("unit-test takes an agent, such as dqn or mine:train; --list shows the tests.")
    from assay.door.unit_test import complete, result_of, start

    names = [name.strip() for each in only or () for name in each.split(",")]
    battery = start(agent, seed, names, parse_settings(settings, steps), continuous)
    progress = Progress()
    try:
        complete(battery, junit, progress)
    finally:
        progress.close()
    result = result_of(battery)
    if json:
        print_json(as_json(result, seed))
    else:
        print_result(result)
    if not result.passed:
        raise typer.Exit(1)


def print_tests(json: bool) -> None:
    from assay.battery.battery_tests import TESTS

    if json:
        return print_json([{"name": t.name, "asks": t.asks, "part": t.part} for t in TESTS])
    print_table(("test", "asks", "part"), [(t.name, t.asks, t.part) for t in TESTS], {1: None})


def as_json(result: UnitTestResult, seed: int) -> dict[str, object]:
    tests = [{**each._asdict(), "shares": dict(each.shares)} for each in result.tests]
    return {**result._asdict(), "seed": seed, "tests": tests}


def print_result(result: UnitTestResult) -> None:
    rows = [(each.name, each.verdict, each.asks, each.evidence) for each in result.tests]
    print_table(("test", "verdict", "asks", "evidence"), rows, {2: 34, 3: None})
    print_text(f"{result.agent}: {', '.join(count_verdicts(result))}", "bold")
    if result.likely_part:
        print_text(f"likely part: {result.likely_part}, because {result.why}", "bold red")
        print_text(f"next: {result.look}; then `assay unit-test` again")


def count_verdicts(result: UnitTestResult) -> list[str]:
    """How many tests passed, failed and were left out, of those that there are."""
    from assay.battery.judge import FAIL, NOT_APPLICABLE, NOT_JUDGED, PASS

    verdicts = [each.verdict for each in result.tests]
    words = {PASS: "passed", FAIL: "failed", NOT_APPLICABLE: "do not apply", NOT_JUDGED: "not judged"}
    return [f"{verdicts.count(verdict)} {said}" for verdict, said in words.items() if verdict in verdicts]
