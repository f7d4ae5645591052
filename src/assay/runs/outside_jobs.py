"""Jobs of agents from outside, and of random play on hosted tasks: plain Python, step after step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from gymnasium.spaces import Box, Discrete, MultiDiscrete

from assay.core.events import StepTaken
from assay.core.streams import digest_number
from assay.errors import AssayError
from assay.interop.gymnasium import TaskEnv, make
from assay.interop.play import Difference, Played, play, play_again, play_side_by_side
from assay.interop.policy import Policy, as_policy
from assay.interop.watching import watching
from assay.plans.agents import is_outside, is_repeatable, outside_agent
from assay.plans.job_plan import Try, job_plan
from assay.plans.protocol import measures_of
from assay.plans.question import PLAIN, RANDOM
from assay.plans.sources import provenance_of_result, sources_of_job
from assay.results import Episode, Job
from assay.results.parts import notes_of
from assay.runs.result import Meter, Result, episode_rows, evaluation_seed
from assay.runs.transcript_rows import transcript_of
from assay.task_text import parse

PolicyMaker = Callable[[TaskEnv], Any]  # an env -> the policy that acts in it


def do_outside_job(job: Job, run: Path | None = None) -> Result:
    """The result of an agent from outside, or of random play on a hosted task.

    A language model keeps its answers in the folder `run`.
    """
    meter = Meter()
    sources = sources_of_job(job)  # before the agent is loaded, which may make other modules importable
    try:
        # What an agent prints is for people: results alone go to stdout, and may be read as JSON.
        with redirect_stdout(sys.stderr), watching() as accesses:
            make_policy, tries = policy_maker(job, run), job_plan(job).tries
            episodes, transcript = evaluate_in_python(job, make_policy)
            if job.budget and is_outside(job.agent):
                require_no_history(job, make_policy, tries, episodes)
        made = provenance_of_result(job, sources, accesses)
        return Result(job.id, episodes, None, None, meter.read(), made_with=made, transcript=transcript)
    except AssayError as error:
        return Result(job.id, [], None, None, meter.read(), str(error))


class Evaluation(NamedTuple):
    """The evaluation of every try of a job, in order."""

    episodes: list[Episode]
    transcript: pa.Table | None  # None where none is asked for


def evaluate_in_python(job: Job, make_policy: PolicyMaker) -> Evaluation:
    todo, episodes = job_plan(job), []
    steps: list[tuple[str, list[tuple[StepTaken, ...]]]] = []
    for each in todo.tries:
        played = play_task(job, make_policy, each.task, each.arm)
        episodes += episode_rows(job, each, played)
        if todo.transcripts:
            steps.append((each.task, [one.transcript for one in played]))
    return Evaluation(episodes, transcript_of(steps))


def play_task(
    job: Job, make_policy: PolicyMaker, task: str, arm: str, seed: int | None = None
) -> list[Played]:
    """The episodes of one task, side by side if the agent acts on batches and no episode needs another.

    They are those of `seed`, or if it is None those of the job's evaluation, which may be transcribed.
    """
    names = [measure.name for measure in measures_of(task)]
    transcribes = job_plan(job).transcripts and seed is None
    counts = job_plan(job).counts_events and seed is None
    make_env = partial(make_limited_env, job, task, events=transcribes or counts)
    env = make_env()
    try:
        policy = as_policy(make_policy(env))
        seed = evaluation_seed(job.seed) if seed is None else seed
        settings = job.agent, seed, job_plan(job).episodes, names, transcribes, counts
        batched = plays_batches(policy, env)
        played = play_side_by_side(policy, make_env, *settings) if batched else play(policy, env, *settings)
    finally:
        env.close()
    if is_outside(job.agent) and is_repeatable(job.agent) and arm == PLAIN and not env.remembers:
        again = partial(make_limited_env, job, task)
        require_repeatable(play_again(policy, again, *settings[:2], 0, played[0].digest, batched), task)
    return played


def require_repeatable(difference: Difference | None, task: str) -> None:
    """Raises an error if an episode came out differently the second time.

    A variation of the user's own that draws without its seed is let pass: it has failed its laws, and the
    user was warned and gave `--unproved`.
    """
    if difference and not (difference.by_task and has_own_variation(task)):
        raise AssayError(difference.says)


def has_own_variation(task: str) -> bool:
    """Whether a task contains a variation of the user's own."""
    return any(":" in setting.name for setting in parse(task).settings)


def plays_batches(policy: Policy, env: TaskEnv) -> bool:
    stackable = isinstance(env.observation_space, (Box, Discrete, MultiDiscrete))
    return policy.batches and stackable and not env.remembers


def require_no_history(
    job: Job, make_policy: PolicyMaker, tries: Sequence[Try], episodes: list[Episode]
) -> None:
    """Refuses a trained agent that plays the first episode of a task differently after all others.

    The last task comes first, so that each follows other tasks than before.
    """
    digests = {each.task: each.digest for each in episodes if each.episode == 0}
    for each in reversed(tries):
        env = make_limited_env(job, each.task)
        policy = as_policy(make_policy(env))
        remembers, batched = env.remembers, plays_batches(policy, env)
        env.close()
        if not remembers:
            make_env = partial(make_limited_env, job, each.task)
            seed = evaluation_seed(job.seed)
            again = play_again(policy, make_env, job.agent, seed, 0, digests[each.task], batched)
            require_repeatable(again, each.task)


def make_limited_env(job: Job, task: str, events: bool = False) -> TaskEnv:
    """The env of a task, cut after the steps that the plan allows where the env has no limit of its own."""
    env = make(task, events=events)
    if (limit := job_plan(job).max_steps) is not None:
        env.cut_after(limit)
    return env


def policy_maker(job: Job, run: Path | None = None) -> PolicyMaker:
    """A function that gives the policy for an env; an agent that can be trained is trained here."""
    if job.agent == RANDOM:
        return partial(random_actions, seed=job.seed)
    agent = outside_agent(job.agent, job_plan(job).trust)
    if agent.train is None:
        # The units of an exam are single episodes, which may not depend on each other; those of a suite are
        # seeds, whose episodes are a series.
        return partial(agent.bind, notes=notes_of(run, job.id) if run else None, series=bool(job.suite))
    env = make(job.train_task)
    try:
        trained = agent.train(env, job.seed, job.budget)
    finally:
        env.close()
    return lambda env: trained


def random_actions(env: Any, seed: int) -> Any:
    """A policy of random actions of the env's action space, with a seed of its own."""
    env.action_space.seed(digest_number(seed, "random agent") % 2**31)
    return lambda observation: env.action_space.sample()
