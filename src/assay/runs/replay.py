"""Agents that are given as they are play some episodes again, in another process and another order.

An agent that keeps something from earlier episodes, or draws without a seed, then plays them differently. Its
scores would be taken for effects of axes, and jobs done again in the same order would not show it.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Collection, Sequence
from contextlib import redirect_stdout
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from assay.core.streams import digest_number
from assay.errors import AssayError
from assay.interop.gymnasium import TaskEnv
from assay.interop.play import not_repeatable, play, play_again
from assay.interop.policy import Policy, as_policy
from assay.plans.agents import is_outside, is_repeatable
from assay.plans.job_plan import Try, job_plan
from assay.plans.question import PLAIN
from assay.results import Job, Run, open_run
from assay.runs.outside_jobs import (
    has_own_variation,
    make_limited_env,
    plays_batches,
    policy_maker,
    require_repeatable,
)
from assay.runs.processes import block_interrupts, end_with_parent
from assay.runs.result import evaluation_seed
from assay.runs.staleness import PlannedSources, describe_change


def give_up_unrepeatable(run: Run, planned: PlannedSources, checked: Collection[str]) -> None:
    """Fails all jobs of a given agent if an episode comes out differently when it is played again.

    One such episode puts all others in doubt. `checked` are the jobs that were done when the run last came to
    its end. If code or files changed during the run, the jobs that met the change have failed already, and
    nothing can be played again as it was.
    """
    jobs = [
        job
        for job in run.jobs(status="done")
        if is_outside(job.agent) and is_repeatable(job.agent) and not job.budget
    ]
    if all(job.id in checked for job in jobs) or describe_change(planned, jobs[0]):
        return
    ids = [job.id for job in jobs]
    says = replay_in_new_process(run.folder, ids)
    if says is None:  # it exists in this process alone, as in a notebook; here at least the order is another
        says = find_difference(run, ids)
    if says:
        for job in jobs:
            run.give_up_results({job.id: f"given up: {says}"})
            run.claim(ids=[job.id])
            run.fail(job.id, says)


def replay_in_new_process(folder: Path, jobs: Sequence[str]) -> str | None:
    """A sentence on an episode that came out differently, or ""; None if the agent cannot be loaded there."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=replay_worker, args=(str(folder), list(jobs), theirs), daemon=True)
    with block_interrupts():
        process.start()
    theirs.close()
    try:
        answer: str | None = ours.recv()
        return answer
    except EOFError:
        raise AssayError(
            f"the process that plays episodes of {folder} again has died; `assay resume {folder}` goes on."
        ) from None
    finally:
        process.terminate()
        process.join()
        ours.close()


def replay_worker(folder: str, jobs: Sequence[str], parent: Connection) -> None:
    end_with_parent()
    with redirect_stdout(sys.stderr), open_run(folder, sweep=False) as run:
        parent.send(find_difference(run, jobs) if can_be_loaded(run, jobs[0]) else None)


def can_be_loaded(run: Run, job_id: str) -> bool:
    """Whether another process can load the agent and its env."""
    job = run.job(job_id)
    try:
        env = make_limited_env(job, job.train_task)
        try:
            policy_maker(job)(env)
        finally:
            env.close()
    except AssayError:
        return False
    return True


def find_difference(run: Run, ids: Sequence[str]) -> str:
    """A sentence on an episode that comes out differently here, or "".

    The last task comes first; of each task the last episode is played and one more. If a task remembers
    episodes, all of them have to be played, so this is done for the last task and the plain one alone.
    """
    jobs = {job.id: job for job in run.jobs(id=list(ids))}
    todo = [(jobs[each], one) for each in reversed(ids) for one in reversed(job_plan(jobs[each]).tries)]
    try:
        for number, (job, each) in enumerate(todo):
            require_same(run, job, each, whole=number == 0 or each.arm == PLAIN)
    except AssayError as error:
        return str(error)
    return ""


def require_same(run: Run, job: Job, each: Try, whole: bool) -> None:
    """Raises an error if an episode of a task comes out differently; `whole` allows playing all of them."""
    rows = run.episodes(job=job.id, arm=each.arm, task=each.task).to_pylist()
    digests = {row["episode"]: row["digest"] for row in rows}
    numbers = sorted({max(digests), digest_number(job.id, each.task) % len(digests)})
    env = make_limited_env(job, each.task)
    try:
        policy, seed = as_policy(policy_maker(job)(env)), evaluation_seed(job.seed)
        batched, make_env = plays_batches(policy, env), partial(make_limited_env, job, each.task)
        if env.remembers:
            return require_same_whole(job, each, policy, env, digests) if whole else None
    finally:
        env.close()
    for number in numbers:
        difference = play_again(policy, make_env, job.agent, seed, number, digests[number], batched)
        require_repeatable(difference, each.task)


def require_same_whole(job: Job, each: Try, policy: Policy, env: TaskEnv, digests: dict[int, str]) -> None:
    """Plays all episodes of a task that carries something over from one to the next."""
    again = play(policy, env, job.agent, evaluation_seed(job.seed), len(digests))
    for number, one in enumerate(again):
        if one.digest != digests[number] and not has_own_variation(each.task):
            raise AssayError(not_repeatable(job.agent, f"episode {number} of {each.task}", batched=False))
