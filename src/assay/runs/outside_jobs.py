"""Jobs of somebody else's agent, and of random play on a hosted task: plain Python, step after step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
from gymnasium.spaces import Box, Discrete, MultiDiscrete

from assay.core.events import StepTaken
from assay.core.streams import digest_number
from assay.errors import AssayError
from assay.interop.gymnasium import TaskEnv, make
from assay.interop.play import Otherwise, Played, play, play_again, play_side_by_side
from assay.interop.policy import Policy, as_policy
from assay.interop.watching import watching
from assay.plans.agents import is_outside, outside_agent
from assay.plans.job_plan import Try, job_plan
from assay.plans.protocol import measures_of
from assay.plans.question import PLAIN, RANDOM
from assay.plans.sources import provenance_of_result, sources_of_job
from assay.results import Episode, Job
from assay.runs.result import Meter, Result, episode_rows, evaluation_seed
from assay.runs.transcript_rows import transcript_of
from assay.task_text import parse

Binds = Callable[[TaskEnv], Any]  # an env -> what acts in it


def one_by_one(job: Job) -> Result:
    """Somebody else's agent, or random play on a hosted task."""
    meter = Meter()
    sources = sources_of_job(job)  # before the agent is loaded, which may make other modules importable
    try:
        with watching() as seen:
            acts, tries = acting(job), job_plan(job).tries
            episodes, transcript = evaluated_here(job, acts)
            if job.budget and is_outside(job.agent):
                require_no_history(job, acts, tries, episodes)
        made = provenance_of_result(job, sources, seen)
        return Result(job.id, episodes, None, None, meter.read(), made_with=made, transcript=transcript)
    except AssayError as error:
        return Result(job.id, [], None, None, meter.read(), str(error))


class EvaluatedHere(NamedTuple):
    """Every try of a job, in order."""

    episodes: list[Episode]
    transcript: pa.Table | None  # None where none is asked for


def evaluated_here(job: Job, acts: Binds) -> EvaluatedHere:
    todo, episodes = job_plan(job), []
    steps: list[tuple[str, list[tuple[StepTaken, ...]]]] = []
    for each in todo.tries:
        played = play_here(job, acts, each.task, each.arm)
        episodes += episode_rows(job, each, played)
        if todo.transcripts:
            steps.append((each.task, [one.transcript for one in played]))
    return EvaluatedHere(episodes, transcript_of(steps))


def play_here(job: Job, acts: Binds, task: str, arm: str, seed: int | None = None) -> list[Played]:
    """The episodes of one task, side by side where the agent acts on batches and no episode needs another.

    They are those of a seed, or where none is given of the job's evaluation, of which there are transcripts.
    """
    names = [measure.name for measure in measures_of(task)]
    transcribes = job_plan(job).transcripts and seed is None
    made = partial(limited, job, task, events=transcribes)
    env = made()
    try:
        policy = as_policy(acts(env))
        seed = evaluation_seed(job.seed) if seed is None else seed
        how = job.agent, seed, job_plan(job).episodes, names, transcribes
        batched = plays_batches(policy, env)
        played = play_side_by_side(policy, made, *how) if batched else play(policy, env, *how)
    finally:
        env.close()
    if is_outside(job.agent) and arm == PLAIN and not env.remembers:
        again = partial(limited, job, task)
        require_repeatable(play_again(policy, again, *how[:2], 0, played[0].digest, batched), task)
    return played


def require_repeatable(difference: Otherwise | None, task: str) -> None:
    """Refuses what plays an episode otherwise the second time.

    A variation of the user's own that draws without its seed has failed its laws, and whoever let it pass
    with `--unproved` was told.
    """
    if difference and not (difference.by_task and has_own(task)):
        raise AssayError(difference.says)


def has_own(task: str) -> bool:
    """Whether a task contains a variation of the user's own."""
    return any(":" in setting.name for setting in parse(task).settings)


def plays_batches(policy: Policy, env: TaskEnv) -> bool:
    stackable = isinstance(env.observation_space, (Box, Discrete, MultiDiscrete))
    return policy.batches and stackable and not env.remembers


def require_no_history(job: Job, acts: Binds, tries: Sequence[Try], episodes: list[Episode]) -> None:
    """Refuses a trained agent that plays otherwise after all it has played: the first episodes once more.

    The last task comes first, so that each is met after others than before.
    """
    first = {each.task: each.digest for each in episodes if each.episode == 0}
    for each in reversed(tries):
        env = limited(job, each.task)
        policy = as_policy(acts(env))
        remembers, batched = env.remembers, plays_batches(policy, env)
        env.close()
        if not remembers:
            made = partial(limited, job, each.task)
            seed = evaluation_seed(job.seed)
            again = play_again(policy, made, job.agent, seed, 0, first[each.task], batched)
            require_repeatable(again, each.task)


def limited(job: Job, task: str, events: bool = False) -> TaskEnv:
    """The env of a task, cut after the steps that the plan allows where the env has no limit of its own."""
    env = make(task, events=events)
    if (limit := job_plan(job).max_steps) is not None:
        env.cut_after(limit)
    return env


def acting(job: Job) -> Binds:
    """A function of the env that gives what acts in it; the agent is trained here where it can be."""
    if job.agent == RANDOM:
        return partial(random_actions, seed=job.seed)
    agent = outside_agent(job.agent, job_plan(job).trust)
    if agent.train is None:
        return agent.bind
    env = make(job.train_task)
    try:
        trained = agent.train(env, job.seed, job.budget)
    finally:
        env.close()
    return lambda env: trained


def random_actions(env: Any, seed: int) -> Any:
    """Actions drawn from the env's own space, by a seed of their own."""
    env.action_space.seed(digest_number(seed, "random agent") % 2**31)
    return lambda observation: env.action_space.sample()
