"""What the commands that do work share: the options of an agent, progress, and the words at the end."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.catalogue import axis_of
from assay.cli.following import Follow, Interrupts, clock
from assay.cli.output import INDENT, print_json, width
from assay.errors import AssayError
from assay.names import Value, parse, parse_value
from assay.plans.defaults import EPISODES, EPISODES_ALONE, MAX_STEPS, SEEDS
from assay.plans.plan import ExamPlan, PairsPlan, Plan
from assay.report.formats import FORMATS
from assay.tasks import task as canonical_task

if TYPE_CHECKING:
    from assay.runs.executor import Executor

RUNS = Path("runs")

AGENTS = "dqn, tabular_q, random, mine:act, mine:train, sb3:model.zip, or run:FOLDER of `assay train`."
Agent = Annotated[str, typer.Argument(help=AGENTS)]
Task = Annotated[str, typer.Argument(help="A task, such as toy/discrete or gym/CartPole-v1.")]
Seeds = Annotated[int | None, typer.Option(help="How many agents are trained.", show_default=str(SEEDS))]
Episodes = Annotated[
    int | None,
    typer.Option(
        help="Episodes of evaluation per level.",
        show_default=f"{EPISODES}; of a given agent as many as could show that an axis holds, "
        f"{EPISODES_ALONE} or more",
    ),
]
Steps = Annotated[int | None, typer.Option(help="Env steps of training.", show_default="the agent's own")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A setting of the agent: --set learning_rate=0.001.")
]
MaxSteps = Annotated[
    int | None,
    typer.Option(
        help="Steps after which an episode is cut.",
        show_default=f"{MAX_STEPS} where an env has no limit",
        min=1,
    ),
]
Margin = Annotated[float, typer.Option(help="The loss that is too small to matter.")]
Trust = Annotated[
    bool, typer.Option("--trust", help="Let a checkpoint run the code inside it; else only weights are read.")
]
Transcripts = Annotated[
    bool, typer.Option("--transcripts", help="Keep every step of the evaluation, for replay and audits.")
]
Out = Annotated[
    Path | None, typer.Option(help="Folder of the run.", show_default="runs/<agent>-<task>-<digest>")
]
Unproved = Annotated[
    bool,
    typer.Option("--unproved", help="Go on with a variation of your own that breaks a law; it is marked."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and stop.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def settings(written: list[str] | None, steps: int | None) -> dict[str, Value]:
    """`--set name=value` and `--steps` as a dict."""
    found: dict[str, Value] = {} if steps is None else {"steps": steps}
    for each in written or ():
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise AssayError(f"--set takes name=value, such as --set learning_rate=0.001, not {each!r}.")
        if name in found:
            raise AssayError(f"{name} is set twice; set it once.")
        found[name] = parse_value(value)
    return found


def known_axes(task: str, written: list[str] | None) -> list[str]:
    """The axes of `--axes`, each known to the task; all of them where none is given."""
    if ":" in task or any(":" in each for each in written or ()):
        from assay.plans.sources import load_named  # modules of one's own are imported under its eyes

        load_named(task, [name for each in written or () for name in each.split(",")])
    env = canonical_task(task).env
    if written is None:
        return []
    names = [name.strip() for each in written for name in each.split(",")]
    if not all(names):
        raise AssayError("--axes takes names of axes with commas, such as --axes delay,action.sticky.")
    for each in written:
        if "=" in each:
            raise AssayError(
                f"--axes takes names alone, which are tried at levels of the catalogue; levels of your own "
                f"take `assay sweep AGENT {task} --axis {each}`."
            )
    for name in names:
        axis_of(env, name)
    return list(dict.fromkeys(names))


def require_used(
    plan: Plan,
    trust: bool = False,
    unproved: bool = False,
    retrain: bool = False,
    all_levels: bool = False,
) -> None:
    """Refuses options that this plan has no use for: what is accepted in silence would be taken for done."""
    if trust and not plan.trust:
        raise AssayError(f"--trust is for checkpoints, such as sb3:model.zip, and {plan.agent} is none.")
    for option, given in (("--retrain", retrain), ("--levels all", all_levels)):
        if given and not plan.trains:
            raise AssayError(f"{option} is for agents that are trained, and {plan.agent} is tried as it is.")
    if unproved and not any(":" in name for name in names_in(plan)):
        raise AssayError("--unproved is for variations of your own, such as mine:blink, and there is none.")


def names_in(plan: Plan) -> list[str]:
    """The axes that a plan asks about, and those that its tasks set."""
    asked = [each.axis for each in plan.questions] if isinstance(plan, ExamPlan) else []
    return asked + [setting.name for text in plan.tasks for setting in parse(text).settings]


def command() -> list[str]:
    """The command as it was typed."""
    return ["assay", *sys.argv[1:]]


def do(plan: Plan, out: Path | None, executor: Executor) -> tuple[Any, list[str]]:
    """Makes or finds the run of a plan and does what is left of it: the open run, and what failed."""
    from assay.conduct.conduct import open_or_create

    for line in beforehand(plan):
        if "cannot" in line:
            print(f"{INDENT}{line}", file=sys.stderr, flush=True)
    return carry_on(open_or_create(plan, out, command(), RUNS), executor)


def carry_on(run: Any, executor: Executor) -> tuple[Any, list[str]]:
    from assay.conduct.conduct import conduct
    from assay.runs.watch import Standing

    resume = shlex.join(["assay", "resume", shortest(run.folder)])
    stopped = f"{INDENT}stopped; what was finished is kept: {resume}"
    follow = Follow()
    try:
        with Interrupts(stopped) as interrupts:

            def tell(standing: Standing) -> None:
                interrupts.check()
                follow(standing)

            failed = conduct(run, executor, tell)
    except BaseException as error:
        follow.close()
        run.close()
        if isinstance(error, KeyboardInterrupt):
            print(stopped, file=sys.stderr, flush=True)
        raise
    follow.close()
    return run, failed


def tell_exam(
    run: Any,
    failed: list[str],
    json: bool,
    formats: tuple[str, ...] = FORMATS,
    to: Path | None = None,
    worked: bool = True,
) -> None:
    """The verdict on the screen and the report beside the records; exit code 2 if something failed."""
    from assay.analysis.findings import find
    from assay.door.run_result import write_reports
    from assay.report.table import as_json
    from assay.report.text import verdict_lines

    try:
        exam = find(run)
    except AssayError:
        end(failed or run.failures())  # why there is nothing to say
        raise
    pages = write_reports(run, exam, to, formats)
    if json:
        print_json(as_json(exam) | (told_of_reuse(run) if worked else {}))
    else:
        wide = min(width(), 112) - len(INDENT)
        print("\n".join(["", *(INDENT + line for line in verdict_lines(exam, wide)), ""]))
        tell_reuse(run, worked)
        print(f"{INDENT}report  {shortest(pages[0])}")
        print(f"{INDENT}again   {shlex.join(run.document.command)}   ({said_of_again(run)})")
    end(failed)


def tell_reuse(run: Any, worked: bool) -> None:
    """Says that results are not new, where a command that does work found them done."""
    from assay.conduct.reuse import replaced_in, reused_in

    if worked and (reused := reused_in(run)):
        print(f"{INDENT}{reused.says}")
    if worked and (replaced := replaced_in(run)):
        print(f"{INDENT}{replaced}")


def said_of_again(run: Any) -> str:
    """Whether the command, typed once more, would find its results; a result that is used once is not."""
    from assay.conduct.reuse import ONCE, outdated_jobs

    once = list(outdated_jobs(run).values())
    if once:
        return f"done anew each time: {once[0].removeprefix(ONCE)}"
    return "finished jobs of the same code are reused"


def told_of_reuse(run: Any) -> dict[str, Any]:
    from assay.conduct.reuse import replaced_in, reused_in

    found = reused_in(run)
    told = None if found is None else {**found._asdict(), "says": found.says}
    return {"reused": told, "replaced": replaced_in(run) or None}


def end(failed: list[str]) -> None:
    """Says what failed, if anything, and leaves with exit code 2."""
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise AssayError(f"{failed[0].rstrip('.')}{more}; what was finished is kept.")


def shortest(path: Path) -> str:
    """The path as one would type it from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def print_plan(plan: Plan, json: bool, out: Path | None = None) -> None:
    """What would be done."""
    from assay.plans.jobs import folder_name, jobs_of
    from assay.plans.plan import plan_to_json
    from assay.runs.estimate import episodes_of, estimate

    jobs = jobs_of(plan)
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
    print(f"{INDENT}{len(jobs)} jobs: {trained} agents to train, {steps:,} env steps; {episodes:,} episodes")
    told = (
        "not known: training is your own" if guess is None else f"about {clock(guess.seconds)}: {guess.how}"
    )
    print(f"{INDENT}time {told}")
    for line in beforehand(plan):
        print(f"{INDENT}{line}")
    if isinstance(plan, ExamPlan):
        for each in plan.questions:
            print(f"{INDENT}{each.arm:<6} {each.axis} at {', '.join(each.levels)}")
        for left in plan.not_asked:
            print(f"{INDENT}not asked: {', '.join(left.axes)}: {left.why}")
    if isinstance(plan, PairsPlan):
        for pair in plan.suite.pairs:
            print(f"{INDENT}train {pair.train}, evaluate {pair.evaluate}")
    if isinstance(plan, ExamPlan) and plan.trains:
        print(f"{INDENT}then, where a frozen agent breaks and no optimum is known: agents retrained there")
    print(f"{INDENT}into {out or RUNS / folder_name(plan)}")


def beforehand(plan: Plan) -> list[str]:
    """What the exam of a given agent can show with its episodes, before they are played."""
    from assay.report.attribution import cannot_hold
    from assay.stats.unseen import units_to_hold

    if not isinstance(plan, ExamPlan):
        return []
    if plan.margin == 0:
        return ['with --margin 0 "holds" cannot be reached: it says that a loss is smaller than the margin']
    known = plan.score_range is not None
    needed = None if plan.trains else units_to_hold(plan.margin, plan.columns, known=known)
    if needed is None:
        return []
    if plan.episodes < needed:
        return [cannot_hold(plan.episodes, needed)]
    return [
        f"{plan.episodes} episodes per level; {needed} are the least that could show that an axis holds, and "
        "more are needed where one episode can lose more than plain play is above random play"
    ]


def tell_pairs(
    run: Any,
    failed: list[str],
    json: bool,
    formats: tuple[str, ...] = FORMATS,
    to: Path | None = None,
    intervals: str = "",
    compat: str = "",
    worked: bool = True,
) -> None:
    """The pairs of a suite, or of the one task of `assay train`: a table, maps, and the report's files."""
    from assay.analysis.experiment import find_experiment
    from assay.cli.output import print_table, print_text
    from assay.door.run_result import write_reports
    from assay.report.gap_table import gap_tables, said_of_gaps
    from assay.report.pair_table import as_json, map_tables, table
    from assay.report.pair_text import shown_intervals
    from assay.report.unfinished import tell_unfinished

    found = find_experiment(run, intervals, compat)
    pages = write_reports(run, found, to, formats, intervals, compat) if found.findings else []
    if json:
        pairs = as_json(found)
        reuse = told_of_reuse(run) if worked else {}
        told = {"folder": str(run.folder), "pairs": pairs.pop("findings"), **pairs, "failed": failed}
        print_json(told | reuse)
        return end(failed)
    failed = failed or ([] if found.findings else run.failures())  # why there is nothing to say
    for sentence in tell_unfinished(found.unfinished, shortest(run.folder)):
        print_text(sentence, "bold", indent=2)
    if found.findings:
        headings, rows = table(list(found.findings))
        print_table(headings, rows, wraps={0: None, 1: None})
        for caption, heads, cells in map_tables(found):
            print()
            print_text(caption, "bold", indent=2)
            print_table(heads, cells)
        for caption, heads, cells in gap_tables(found.gaps):
            print()
            print_text(caption, "bold", indent=2)
            print_table(heads, cells, wraps={0: 40})
        if found.gaps and found.gaps.pairs:
            print_text(f"measures  {said_of_gaps(found.gaps)}", indent=2)
        print_text(f"intervals  {shown_intervals(found)}", indent=2)
        if found.compat:
            print_text(f"normalised  {found.compat}", indent=2)
        for sentence in found.uncovered:
            print_text(f"not covered  {sentence}", indent=2)
        tell_reuse(run, worked)
        print(f"{INDENT}report  {shortest(pages[0])}")
    print(f"{INDENT}records  {shortest(run.folder)}")
    end(failed)
