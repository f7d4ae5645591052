"""Plans that play the agents which `assay train` left in a folder, with their seeds, settings and weights."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from assay.errors import AssayError, NotApplicable
from assay.plans.agents import is_outside
from assay.plans.make_plan import exam_plan, suite_plan
from assay.plans.plan import (
    TRAIN,
    ExamPlan,
    PairsPlan,
    TrainPlan,
    Weights,
    is_planned,
    plan_of,
)
from assay.plans.sources import file_changes
from assay.results import open_run
from assay.suites.suite import Suite
from assay.tasks import task as canonical_task


class TrainedAgents(NamedTuple):
    """The agents of a finished training."""

    folder: str  # as the user named it
    plan: TrainPlan
    weights: Mapping[str, Weights]  # by seed

    def refuse_own(self, asked: Mapping[str, Any]) -> None:
        """Refuses seeds and settings, which are those of the training."""
        given = {"seeds", "first_seed"} & {name for name, value in asked.items() if value}
        if given or asked.get("settings"):
            raise AssayError(
                f"the agents in {self.folder} are trained already, so their seeds "
                "and settings are fixed; drop these options."
            )

    def require_weights(self, seeds: tuple[int, ...]) -> None:
        missing = [seed for seed in seeds if str(seed) not in self.weights]
        if missing:
            raise AssayError(
                f"{self.folder} has no trained agent of seed {missing[0]}; run `assay resume {self.folder}` "
                "first."
            )

    def trained_as(self) -> dict[str, Any]:
        """The seeds and settings of the training, as plans take them."""
        seeds = self.plan.seeds
        return {"seeds": len(seeds), "first_seed": seeds[0], "settings": self.plan.settings}


def trained_agents(folder: str) -> TrainedAgents:
    with open_run(folder) as run:
        plan = plan_of(run) if is_planned(run.plan) else None
        jobs = [job for job in run.jobs(status="done") if job.digest]
        home, kept = str(run.folder), run.document.sources
    if isinstance(plan, TrainPlan) and is_outside(plan.agent):
        raise NotApplicable(
            f"{folder} holds no weights, since training by {plan.agent} leaves none with assay; "
            f"`{examine_command(plan)}` trains the same seeds again and examines them."
        )
    if not isinstance(plan, TrainPlan) or not jobs:
        raise AssayError(f"{folder} holds no trained agents; `assay train` makes such a folder.")
    if changes := file_changes(kept, plan):
        raise AssayError(
            f"{changes[0]} since the agents in {folder} were trained, so that this is another task; put it "
            f"back, or train anew: `{shlex.join(['assay', TRAIN, plan.agent, plan.task])}`."
        )
    weights = {str(job.seed): Weights(home, job.id, job.digest.split("-")[2]) for job in jobs if job.digest}
    return TrainedAgents(folder, plan, weights)


def exam_of_trained(folder: str, task: str, **asked: Any) -> ExamPlan:
    """An exam of the agents in a folder, on the task that they were trained on."""
    trained = trained_agents(folder)
    trained.refuse_own(asked)
    if str(canonical_task(task)) != trained.plan.task:
        raise NotApplicable(
            f"the agents in {folder} were trained on {trained.plan.task}; examine them there."
        )
    exam = exam_plan(trained.plan.agent, task, **(asked | trained.trained_as()))
    trained.require_weights(exam.seeds)
    return replace(exam, weights=trained.weights)


def suite_of_trained(suite: Suite, folder: str, **asked: Any) -> PairsPlan:
    """The pairs of a suite, played by the agents in a folder: all must train where these were trained."""
    trained = trained_agents(folder)
    trained.refuse_own(asked)
    require_home(suite, trained)
    plan = suite_plan(suite, trained.plan.agent, **(asked | trained.trained_as()))
    trained.require_weights(trained.plan.seeds)
    # Policies of their reports, which rollouts play, are not kept.
    shown = replace(plan.suite, rollouts=False)
    return replace(plan, seeds=trained.plan.seeds, suite=shown, weights=trained.weights)


def require_home(suite: Suite, trained: TrainedAgents) -> None:
    """Refuses a suite that trains elsewhere, or with settings of its own in each pair."""
    home, agent = trained.plan.task, trained.plan.agent
    others = [text for text in (str(canonical_task(pair.train)) for pair in suite.pairs) if text != home]
    if others:
        raise NotApplicable(
            f"the agents in {trained.folder} were trained on {home}, and {suite.name} trains on {others[0]}; "
            f"train them there (`assay {TRAIN} {agent} {others[0]}`), or examine them at home "
            f"(`assay examine run:{trained.folder} {home}`)."
        )
    if suite.settings:
        raise NotApplicable(
            f"{suite.name} trains with other settings in each pair, and the agents in {trained.folder} are "
            f"trained already; take {agent}."
        )


def examine_command(plan: TrainPlan) -> str:
    """The command that trains the agents of a plan once more and examines them."""
    words = ["assay", "examine", plan.agent, plan.task, "--seeds", str(len(plan.seeds))]
    words += ["--first-seed", str(plan.seeds[0])] if plan.seeds[0] else []
    words += ["--steps", str(plan.budget)] if "steps" in plan.settings else []
    return shlex.join(words)
