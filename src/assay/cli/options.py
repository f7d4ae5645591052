"""The options that commands share, one by one and in groups, and how their texts are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from assay.catalogue import axis_of
from assay.errors import AssayError
from assay.plans.defaults import EPISODES, EPISODES_ALONE, MARGIN, MAX_STEPS, SEEDS
from assay.plans.plan import ExamPlan, Plan
from assay.plans.scheduled_axis import require_no_schedule
from assay.task_text import Value, parse, parse_value
from assay.tasks import task as canonical_task

if TYPE_CHECKING:
    from assay.runs.executor import Executor

AGENTS = (
    "dqn, rainbow, ppo, a2c, ddpg, td3, sac, ppo-hackatari, tabular_q, double_q, sarsa, linear_q, those that "
    "come trained (ppo-platformer, ppo-boxing, ppo-freeway, ppo-pong, taught-boxing, taught-freeway, "
    "taught-pong), random, blind, oracle, your own (mine:act or mine:train), a checkpoint (sb3:model.zip, "
    "torch:FILE, flax:FILE), or a language model (llm:player.yaml)"
)
LEARNERS = (
    "dqn, rainbow, ppo, a2c, ddpg, td3, sac, ppo-hackatari, tabular_q, double_q, sarsa, linear_q, blind, or "
    "training of your own (mine:train)"
)
Agent = Annotated[str, typer.Argument(help=f"An agent: {AGENTS}.")]
Learner = Annotated[str, typer.Argument(help=f"An agent that is trained: {LEARNERS}.")]
Task = Annotated[str, typer.Argument(help="A task, such as toy/discrete or gym/CartPole-v1.")]
Folder = Annotated[Path, typer.Argument(help="The folder of a run.")]
Trust = Annotated[
    bool,
    typer.Option("--trust", help="Let a checkpoint run the code inside it; otherwise only weights are read."),
]
Unproved = Annotated[
    bool,
    typer.Option("--unproved", help="Go on although a variation of your own breaks a law; reports mark it."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and stop.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class PlanArguments(TypedDict):
    """What every kind of plan may be given; None stands for the default."""

    seeds: int | None
    first_seed: int
    episodes: int | None
    settings: dict[str, Value]
    max_steps: int | None
    transcripts: bool


@dataclass(frozen=True)
class Training:
    """How agents are trained and evaluated."""

    seeds: Annotated[
        int | None, typer.Option(help="How many agents are trained, one per seed.", show_default=str(SEEDS))
    ] = None
    episodes: Annotated[
        int | None,
        typer.Option(
            help="Episodes of evaluation per level.",
            show_default=f"{EPISODES}; for a given agent as many as could show that an axis holds, at least "
            f"{EPISODES_ALONE}",
        ),
    ] = None
    steps: Annotated[
        int | None, typer.Option(help="Env steps of training.", show_default="the agent's own")
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of the agent: --set learning_rate=0.001; may be repeated."),
    ] = None
    first_seed: Annotated[int, typer.Option(help="The first seed; the others follow it.", min=0)] = 0
    max_steps: Annotated[
        int | None,
        typer.Option(
            help="Steps after which an episode is cut off.",
            show_default=f"{MAX_STEPS} where an env has no limit",
            min=1,
        ),
    ] = None
    transcripts: Annotated[
        bool, typer.Option("--transcripts", help="Keep every step of the evaluation, for replay and audits.")
    ] = False

    def plan_arguments(self) -> PlanArguments:
        return {
            "seeds": self.seeds, "first_seed": self.first_seed, "episodes": self.episodes,
            "settings": parse_settings(self.settings, self.steps), "max_steps": self.max_steps,
            "transcripts": self.transcripts,
        }  # fmt: skip


@dataclass(frozen=True)
class ExamOptions(Training):
    """The same for an exam or a sweep, with the rules of its verdict."""

    margin: Annotated[
        float,
        typer.Option(
            help="The loss that is too small to matter, as a share of the way from plain to random play."
        ),
    ] = MARGIN
    trust: Trust = False
    unproved: Unproved = False


@dataclass(frozen=True)
class SuiteTraining(Training):
    """The same for a suite, which has seeds and episodes of its own."""

    seeds: Annotated[
        int | None,
        typer.Option(help="How many agents are trained per pair.", show_default="the suite's"),
    ] = None
    episodes: Annotated[
        int | None, typer.Option(help="Episodes of evaluation per task.", show_default="the suite's")
    ] = None


@dataclass(frozen=True)
class Executors:
    """The processes or the cluster that do the jobs."""

    workers: Annotated[
        int, typer.Option(help="How many processes do the jobs.", show_default="one per core", min=0)
    ] = 0
    ray: Annotated[
        str,
        typer.Option(help="Let Ray do the jobs: local, or HOST:PORT of a cluster.", show_default="no Ray"),
    ] = ""
    lanes: Annotated[
        int | None,
        typer.Option(
            help="How many agents one program trains at once.",
            show_default="10 on a CPU, 100 on a GPU",
            min=1,
        ),
    ] = None
    job_timeout: Annotated[
        float | None,
        typer.Option(help="Seconds after which a job that still runs is ended.", show_default="no limit"),
    ] = None
    parts: Annotated[
        str,
        typer.Option(
            help="URL of a folder to which Ray's workers write curves and weights.",
            show_default="the run's folder",
        ),
    ] = ""

    def require_usable(self) -> None:
        """Refuses options that cannot work, for a dry run."""
        from assay.runs.choose_executor import require_options

        require_options(self.workers, self.ray, self.lanes, self.job_timeout, self.parts)

    def executor(self) -> Executor:
        from assay.runs.choose_executor import executor_of

        return executor_of(self.workers, self.ray, self.lanes, self.job_timeout, self.parts)


@dataclass(frozen=True)
class Work(Executors):
    """How a new run is done: by whom, in which folder, and what is printed."""

    out: Annotated[
        Path | None, typer.Option(help="Folder of the run.", show_default="runs/<agent>-<task>-<digest>")
    ] = None
    dry_run: DryRun = False
    json: Json = False


def parse_settings(written: list[str] | None, steps: int | None) -> dict[str, Value]:
    """`--set name=value` and `--steps` as a dict."""
    settings: dict[str, Value] = {} if steps is None else {"steps": steps}
    for each in written or ():
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise AssayError(f"--set takes name=value, such as --set learning_rate=0.001, not {each!r}.")
        if name in settings:
            raise AssayError(f"{name} is set twice; set it once.")
        settings[name] = parse_value(value)
    return settings


def known_axes(task: str, written: list[str] | None) -> list[str]:
    """The axes of `--axes`, each known to the task; all of them where none is given."""
    for each in written or ():
        require_no_schedule(each)
    if ":" in task or any(":" in each for each in written or ()):
        from assay.plans.sources import load_own_modules  # records which files are imported

        load_own_modules(task, [name for each in written or () for name in each.split(",")])
    env = canonical_task(task).env
    if written is None:
        return []
    names = [name.strip() for each in written for name in each.split(",")]
    if not all(names):
        raise AssayError("--axes takes names of axes with commas, such as --axes delay,action.sticky.")
    for each in written:
        if "=" in each:
            raise AssayError(
                f"--axes takes names alone, tried at levels of the catalogue; levels of your own take "
                f"`assay sweep AGENT {task} --axis {each}`."
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
    """Refuses options that this plan has no use for: an option without effect would be taken for done."""
    if trust and not plan.trust:
        raise AssayError(
            f"--trust is for checkpoints of Stable-Baselines3, such as sb3:model.zip; {plan.agent} is none."
        )
    for option, is_set in (("--retrain", retrain), ("--levels all", all_levels)):
        if is_set and not plan.trains:
            raise AssayError(f"{option} is for agents that are trained, and {plan.agent} is tried as it is.")
    if unproved and not any(":" in name for name in axis_names(plan)):
        raise AssayError("--unproved is for variations of your own, such as mine:blink, and there is none.")


def axis_names(plan: Plan) -> list[str]:
    """The axes that a plan asks about, and those that its tasks set."""
    asked = [each.axis for each in plan.questions] if isinstance(plan, ExamPlan) else []
    return asked + [setting.name for text in plan.tasks for setting in parse(text).settings]
