"""How commands do a plan: what would be done, progress and Ctrl-C meanwhile, and the results at the end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.options import Work
from assay.cli.output import INDENT, print_json
from assay.cli.progress import Interrupts, RunProgress, clock
from assay.cli.results import shortest, tell_results
from assay.plans.plan import ExamPlan, PairPlan, PairsPlan, Plan
from assay.report.text import count

if TYPE_CHECKING:
    from assay.runs.executor import Executor

RUNS = Path("runs")
CANNOT_RETRAIN = (
    "{} comes trained and cannot be retrained: without an optimum it stays open whether a loss is the "
    "agent's or the task's"
)


def execute(
    plan: Plan,
    work: Work,
    prove: Callable[[Plan], Plan] | None = None,
    add: Callable[[Any], None] | None = None,
) -> None:
    """Does a plan and tells its results, or only says what would be done.

    `prove` puts the proofs of axes into the plan, after it is known that there is somebody to do the jobs.
    `add` measures something more of the finished run, before its results are told.
    """
    from assay.conduct.phases import open_or_create

    if work.dry_run:
        work.require_usable()
        return print_plan(plan, work.json, work.out)
    executor = work.executor()
    if prove:
        plan = prove(plan)
    for line in say_beforehand(plan):
        if "cannot" in line:
            print(f"{INDENT}{line}", file=sys.stderr, flush=True)
    run, failed = finish_run(open_or_create(plan, work.out, typed_command(), RUNS), executor)
    with run:
        if add and not failed:
            add(run)
        tell_results(run, failed, work.json)


def finish_run(run: Any, executor: Executor) -> tuple[Any, list[str]]:
    """Does what is left of a run: the run, still open, and a sentence for each failure."""
    from assay.conduct.phases import conduct
    from assay.runs.progress import Standing

    resume = shlex.join(["assay", "resume", shortest(run.folder)])
    stopped = f"{INDENT}stopped; finished jobs are kept: {resume}"
    progress = RunProgress()
    try:
        with Interrupts(stopped) as interrupts:

            def tell(standing: Standing) -> None:
                interrupts.check()
                progress(standing)

            failed = conduct(run, executor, tell)
    except BaseException as error:
        progress.close()
        run.close()
        if isinstance(error, KeyboardInterrupt):
            print(stopped, file=sys.stderr, flush=True)
        raise
    progress.close()
    return run, failed


def typed_command() -> list[str]:
    """The command as it was typed."""
    return ["assay", *sys.argv[1:]]


def print_plan(plan: Plan, json: bool, out: Path | None = None) -> None:
    """Says what would be done."""
    from assay.plans.job_plan import job_plan
    from assay.plans.jobs import folder_name, jobs_of
    from assay.plans.plan import plan_to_json
    from assay.runs.estimate import episodes_of, estimate

    # Agents of an earlier run are loaded: their budget was spent there.
    jobs = [replace(job, budget=0) if job_plan(job).weights else job for job in jobs_of(plan)]
    steps = sum(job.budget for job in jobs)
    trained = sum(job.budget > 0 for job in jobs)
    episodes = episodes_of(jobs)
    guess = estimate(plan, jobs)
    if json:
        return print_json(
            {
                "plan": plan_to_json(plan),
                "jobs": len(jobs),
                "agents_trained": trained,
                "training_steps": steps,
                "episodes": episodes,
                "seconds": None if guess is None else round(guess.seconds, 1),
            }
        )
    print(f"{INDENT}{count(len(jobs), 'job')}: {count(trained, 'agent')} to train, {steps:,} env steps; "
          f"{count(episodes, 'episode')}")  # fmt: skip
    unknown = "training is your own" if trained else "a trial of the language model would cost tokens"
    print(f"{INDENT}time " + (f"not known: {unknown}" if guess is None
          else f"about {clock(guess.seconds)}: {guess.how}"))  # fmt: skip
    for line in (*say_beforehand(plan), *say_of_tasks(plan)):
        print(f"{INDENT}{line}")
    print(f"{INDENT}into {out or RUNS / folder_name(plan)}")


def say_of_tasks(plan: Plan) -> list[str]:
    """The questions of an exam, or the pairs of a suite, a line each."""
    lines: list[str] = []
    if isinstance(plan, ExamPlan):
        lines += [f"{each.arm:<6} {each.axis} at {', '.join(each.levels)}" for each in plan.questions]
        lines += [f"not asked: {', '.join(left.axes)}: {left.why}" for left in plan.not_asked]
    if isinstance(plan, PairsPlan):
        lines += [say_pair(pair, plan.trains and not plan.weights) for pair in plan.suite.pairs]
    if isinstance(plan, ExamPlan) and plan.trains:
        lines.append("then agents are retrained wherever frozen ones break and no optimum is known")
    return lines


def say_pair(pair: PairPlan, trains: bool) -> str:
    """What is done for a pair, behind its name where it has one; an agent that learns nothing plays."""
    tasks = dict.fromkeys(pair.tasks)
    done = f"train {pair.train}, evaluate {pair.evaluate}" if trains else f"play {' and '.join(tasks)}"
    return f"{pair.name}: {done}" if pair.name else done


def say_beforehand(plan: Plan) -> list[str]:
    """What the exam of a given agent can show, before it is played."""
    from assay.plans.agents import comes_trained

    if not isinstance(plan, ExamPlan):
        return []
    if comes_trained(plan.agent):
        return [CANNOT_RETRAIN.format(plan.agent), *say_of_episodes(plan)]
    return say_of_episodes(plan)


def say_of_episodes(plan: ExamPlan) -> list[str]:
    """What so many episodes can show."""
    from assay.report.attribution import cannot_hold
    from assay.stats.unseen_share import units_to_hold, units_to_plan

    if plan.margin == 0:
        return ['with --margin 0 "holds" cannot be reached: it says that a loss is smaller than the margin']
    known = plan.score_range is not None
    least = units_to_hold(plan.margin, plan.columns, known=known)
    enough = units_to_plan(plan.margin, plan.columns, known=known)
    if plan.trains or least is None or enough is None:
        return []
    if plan.episodes < least:
        return [cannot_hold(plan.episodes, enough)]
    return [
        f"{plan.episodes} episodes per level; {least} are the least that could show that an axis holds, and "
        f"{enough} leave room for episodes that lose more than plain play is above random play"
    ]
