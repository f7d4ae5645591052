"""The functions of `import assay`: examine an agent, train one, prove a variation, open a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.conduct.phases import conduct, open_or_create
from assay.conduct.proving import with_proofs
from assay.conduct.records import require_intact
from assay.door.arguments import (
    read_axes,
    read_executor,
    require_numbers,
    require_share,
    require_targets,
    speaks_python,
)
from assay.door.run_result import RunResult, read_result, write_reports
from assay.errors import NotApplicable
from assay.plans.defaults import MARGIN
from assay.plans.make_plan import exam_plan, sweep_plan, train_plan
from assay.plans.of_trained import exam_of_trained
from assay.plans.plan import Plan
from assay.proof.certificate import Certificate
from assay.proof.run import check_all, what_to_check
from assay.results import Run
from assay.results import open_run as open_records
from assay.runs.choose_executor import executor_of as choose_executor
from assay.runs.executor import Executor
from assay.runs.processes import hide_main_script
from assay.runs.progress import Listener, no_listener

RUNS = Path("runs")
TRAINED = "run:"  # before the folder of trained agents


@speaks_python
def examine(
    agent: str | Callable[..., Any],
    task: str,
    *,
    axes: str | Sequence[str] | Mapping[str, Any] = (),
    seeds: int | None = None,
    first_seed: int = 0,
    episodes: int | None = None,
    steps: int | None = None,
    settings: Mapping[str, Any] | None = None,
    margin: float = MARGIN,
    all_levels: bool = False,
    retrain: bool = False,
    max_steps: int | None = None,
    trust: bool = False,
    unproved: bool = False,
    transcripts: bool = False,
    out: str | Path | None = None,
    workers: int = 0,
    executor: Executor | None = None,
    tell: Listener = no_listener,
) -> RunResult:
    """Tries the axes of a task on an agent: which break it, from which level on, and how sure that is.

    `agent` is a name (`"dqn"`), one of your own (`"mine:act"`, `"mine:train"`, or a function of a module), a
    checkpoint (`"sb3:model.zip"`), or one of assay's own trained before (`"run:runs/first"`). `axes` lists
    the names of axes, or maps them to levels, `{"delay": [1, 2, 4]}` or `{"hue": "0:180:20"}`; without it
    all axes are tried. `seeds` and `steps` belong to training, `episodes` to evaluation; `transcripts` keeps
    every step of the evaluation. `out` is the folder of the run; the same call with the same code finds its
    results there. The jobs are done by `workers` processes of this machine, or by an `executor`, such as
    `assay.executor_of(ray="local")`.

        result = assay.examine("tabular_q", "toy/discrete", axes=["transition_noise"], seeds=5, steps=2000)
        result.verdicts["transition_noise"]
    """
    name = name_of(agent)
    require_numbers(
        seeds=seeds, first_seed=first_seed, episodes=episodes, steps=steps, max_steps=max_steps,
        workers=workers,
    )  # fmt: skip
    require_share(margin)
    wanted, hands = read_axes(axes), read_executor(executor, workers)
    asked: dict[str, Any] = {
        "margin": margin, "seeds": seeds, "first_seed": first_seed, "episodes": episodes, "trust": trust,
        "settings": all_settings(settings, steps), "max_steps": max_steps,
        "transcripts": transcripts,
    }  # fmt: skip
    trained = name.startswith(TRAINED)
    if wanted.levels is not None:
        if trained:
            raise NotApplicable(
                f"{name} is tried at levels of the catalogue: give `axes` as a list of names, without levels."
            )
        plan = sweep_plan(name, task, wanted.levels, **asked)
    else:
        make_plan = exam_of_trained if trained else exam_plan
        plan = make_plan(
            name.removeprefix(TRAINED), task, only=wanted.names, all_levels=all_levels, retrain=retrain,
            **asked,
        )  # fmt: skip
    return do_plan(with_proofs(plan, to_stderr, unproved), out, hands, tell)


@speaks_python
def train(
    agent: str | Callable[..., Any],
    task: str,
    *,
    seeds: int | None = None,
    first_seed: int = 0,
    episodes: int | None = None,
    steps: int | None = None,
    settings: Mapping[str, Any] | None = None,
    transcripts: bool = False,
    out: str | Path | None = None,
    workers: int = 0,
    executor: Executor | None = None,
    tell: Listener = no_listener,
) -> RunResult:
    """Trains an agent on a task, seed by seed, and scores it there.

    The weights of assay's own agents are kept for `examine("run:FOLDER", task)`. Training of your own leaves
    none with assay: `examine("mine:train", task)` trains and examines it.
    """
    require_numbers(seeds=seeds, first_seed=first_seed, episodes=episodes, steps=steps, workers=workers)
    hands = read_executor(executor, workers)
    plan = train_plan(
        name_of(agent), task, seeds=seeds, first_seed=first_seed, episodes=episodes,
        settings=all_settings(settings, steps), transcripts=transcripts,
    )  # fmt: skip
    return do_plan(plan, out, hands, tell)


@speaks_python
def open_run(folder: str | Path, intervals: str = "", compat: str = "") -> RunResult:
    """The result of the run in a folder; an unfinished run says so, and altered records are refused.

    For runs of pairs, `intervals` is percentile, bca or t, and `compat` playground or kage (`assay report`).
    """
    with open_records(folder, sweep=False) as run:
        require_intact(run)
        return read_result(run, run.failures(), intervals, compat)


@speaks_python
def check(*targets: str, on: str | None = None) -> list[Certificate]:
    """Proves that variations change what they declare and nothing else; a certificate for each.

    A target is a family (`"toy"`), an env, an axis (`"toy/discrete+delay"`), or a variation of your own
    (`"mine:blink"`) with the env `on` which it is checked. `certificate.holds` says whether every law does.
    """
    require_targets(targets, on)
    with hide_main_script():  # some laws are checked in processes of their own
        return check_all(what_to_check(list(targets), on))


executor_of = speaks_python(choose_executor)


def do_plan(plan: Plan, out: str | Path | None, executor: Executor, tell: Listener) -> RunResult:
    """Does a plan as far as possible and writes the report beside the records."""
    with open_or_create(plan, None if out is None else Path(out), command(), RUNS) as run:
        return conclude(run, conduct(run, executor, tell))


def conclude(run: Run, failed: Sequence[str]) -> RunResult:
    result = read_result(run, failed)
    write_reports(run, result._findings)
    return result


def name_of(agent: str | Callable[..., Any]) -> str:
    """The text by which every worker finds an agent."""
    if isinstance(agent, str):
        return agent
    module, name = getattr(agent, "__module__", "__main__"), getattr(agent, "__qualname__", "")
    if module == "__main__" or not name.isidentifier():
        raise NotApplicable(
            "workers import an agent by name, and this one has none: put it into a module of your own and "
            "write it as 'mine:act'."
        )
    return f"{module}:{name}"


def all_settings(settings: Mapping[str, Any] | None, steps: int | None) -> Mapping[str, Any]:
    return dict(settings or {}) | ({} if steps is None else {"steps": steps})


def command() -> list[str]:
    """How this process was called, which the report names as the command that made the run."""
    return ["python", *sys.argv] if sys.argv and sys.argv[0] else ["python"]


def to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
