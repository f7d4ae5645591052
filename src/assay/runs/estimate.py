"""How long a plan may take, for `--dry-run`: a guess, and what it rests on.

Agents of ours declare the cost of a training step, or count it from their settings and the task's spaces.
Compiling is counted per program. Outside agents and hosted envs are tried: a second of play in the plain task
shows their pace and the length of an episode.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from assay.catalogue import variations
from assay.interop.play import LANES, Lane, action_of, begin_agent
from assay.interop.policy import as_policy
from assay.plans.agents import catalogue_agent, config_of, is_outside, is_repeatable
from assay.plans.job_plan import job_plan
from assay.plans.plan import ExamPlan, Plan
from assay.plans.question import LEARN
from assay.results import Job
from assay.runs.batches import is_native
from assay.runs.local import cores
from assay.runs.outside_jobs import PolicyMaker, make_limited_env, policy_maker, random_actions
from assay.runs.progress import PROGRAM_S, picture_episode_s, programs_of, sees_pictures
from assay.runs.result import evaluation_seed
from assay.task_spaces import SpaceTable
from assay.task_text import parse

TRIED_S = 1.0  # of play on trial
COMPILE_S = 8.0  # CPU-seconds of one program, trained or evaluated
STEP_S = 2e-6  # of an evaluated step of a native task
LONG = 100  # steps of a native episode, where nothing more is known
PICTURE_SIDES = 3  # of a picture of a hosted task: height, width and its channels or frames
START_S = 4.0  # of a process: its imports, and the page at the end
BATCHED = 0.4  # share of the time that a step takes where the agent acts on LANES rows at once


class Guess(NamedTuple):
    seconds: float
    how: str


def estimate(plan: Plan, jobs: Sequence[Job], workers: int = 0) -> Guess | None:
    """The time that these jobs may take on this machine; None if an agent from outside is trained.

    None for a language model too: a trial of its pace would cost money.
    """
    hands = workers or cores()
    unknown = [job for job in jobs if is_outside(job.agent) and (job.budget or not is_repeatable(job.agent))]
    if unknown:
        return None
    spaces_of = SpaceTable()
    native = [job for job in jobs if is_native(job)]
    hosted = [job for job in jobs if not is_native(job)]
    spent, how = START_S * hands, []
    if native:
        questions = plan.questions if isinstance(plan, ExamPlan) else ()
        programs = 2 + sum(len(each.levels) for each in questions if each.arm == LEARN)
        programs += count_own_programs(native)
        spent += sum(job.budget * cost_of_step(job, spaces_of) for job in native)
        if sees_pictures(native[0].train_task):
            programs = sum(map(programs_of, native))
            spent += programs * PROGRAM_S
            spent += sum(episodes_of([job]) * picture_episode_s(job) for job in native)
        else:
            spent += programs * COMPILE_S + episodes_of(native) * LONG * STEP_S
        trained = any(job.budget for job in native)
        how.append(f"{programs} programs compiled" + ", training at the pace of a plain core" * trained)
    if hosted:
        pace, length, ended = try_out(hosted[0])
        played = episodes_of(hosted)
        spent += played * length * pace
        learned = [job for job in hosted if job.budget]
        spent += sum(job.budget * (pace + cost_of_step(job, spaces_of)) for job in learned)
        spent += COMPILE_S * hands * bool(learned)
        how += ["updates of agents at the pace of a plain core"] if learned else []
        how.append(
            f"episodes of {'about' if ended else 'at least'} {length:.0f} steps at {1 / pace:,.0f} steps a "
            f"second, measured just now{'' if ended else '; none ended meanwhile, so it takes longer'}"
        )
    return Guess(spent / hands, "; ".join(how))


def count_own_programs(jobs: Sequence[Job]) -> int:
    """The evaluations that share no program: of tasks that differ from the plain one in their structure."""
    own = set()
    for job in jobs:
        structural = {each.name for each in variations(parse(job.train_task).env) if each.kind == "structure"}
        own |= {(job.agent, each.task) for each in job_plan(job).tries if each.axis in structural}
    return len(own)


def cost_of_step(job: Job, spaces_of: SpaceTable) -> float:
    """CPU-seconds of a training step of one of our agents, beside those of a hosted env."""
    agent = catalogue_agent(job.agent)
    if agent.step_cost and job.budget:
        config = config_of(job.agent, job_plan(job).settings)
        return agent.step_cost(config, spaces_of(parse(job.train_task)))
    if not agent.picture_step_s or not job.budget:
        return agent.step_s
    if is_native(job):
        return agent.picture_step_s if sees_pictures(job.train_task) else agent.step_s
    seen = spaces_of(parse(job.train_task))["observation"]
    return agent.picture_step_s if len(getattr(seen, "shape", ())) == PICTURE_SIDES else agent.step_s


def episodes_of(jobs: Sequence[Job]) -> int:
    """How many episodes are played, all tries of all jobs together."""
    return sum(len(todo.tries) * todo.episodes for todo in map(job_plan, jobs))


def trial_policy_maker(job: Job) -> PolicyMaker:
    """How the policy on trial is made: that of the agent itself, or random play for a learner of ours."""
    return policy_maker(job) if is_outside(job.agent) else partial(random_actions, seed=job.seed)


def try_out(job: Job) -> tuple[float, float, bool]:
    """Seconds per step of the plain task, and steps per episode, measured in TRIED_S of play.

    The steps are those of episodes that ended meanwhile; where none did, those of the one that was begun.
    """
    env = make_limited_env(job, job_plan(job).tries[0].task)
    try:
        policy, seed, steps, ends = as_policy(trial_policy_maker(job)(env)), evaluation_seed(job.seed), 0, 0
        whole = 0  # steps of episodes that ended
        lane, begun = Lane(env, job.agent, seed), time.perf_counter()
        while time.perf_counter() - begun < TRIED_S and ends < 20:
            if not lane.live:
                begin_agent(policy, job.agent, seed, ends)
                lane.begin(ends, *env.begin(seed, ends))
            lane.step(action_of(policy, lane))
            steps += 1
            if not lane.live:
                ends, whole = ends + 1, steps
        pace = (time.perf_counter() - begun) / steps
    finally:
        env.close()
    todo = job_plan(job)
    batched = policy.batches and todo.episodes >= LANES // 2
    longest = todo.max_steps or math.inf
    length = whole / ends if ends else steps
    return pace * (BATCHED if batched else 1.0), min(length, longest), bool(ends) or steps >= longest
