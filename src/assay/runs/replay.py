"""Given agents play some episodes once more, in a process of their own and in another order.

An agent that keeps something from what it played before, or draws without a seed, then plays them otherwise;
its scores would be taken for effects of axes, and doing the same jobs again in the same order would agree.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Collection, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from assay.core.streams import digest_number
from assay.errors import AssayError
from assay.interop.gymnasium import TaskEnv
from assay.interop.play import not_repeatable, play, play_again
from assay.interop.policy import Policy, as_policy
from assay.plans.agents import is_outside
from assay.plans.job_plan import Try, job_plan
from assay.plans.question import PLAIN
from assay.results import Job, Run, open_run
from assay.runs.outside_jobs import acting, has_own, limited, plays_batches, require_repeatable
from assay.runs.processes import deaf_children, end_with_parent
from assay.runs.result import evaluation_seed
from assay.runs.staleness import PlannedSources, what_changed


def give_up_unrepeatable(run: Run, on: PlannedSources, looked_at: Collection[str]) -> None:
    """Fails all jobs of a given agent where an episode comes out otherwise when it is played again.

    One such episode puts all others in doubt. `looked_at` are the jobs of a run that was at its end before.
    Where code or files changed while the run was on, the jobs that met that have failed for it already, and
    nothing can be played again as it was.
    """
    jobs = [job for job in run.jobs(status="done") if is_outside(job.agent) and not job.budget]
    if all(job.id in looked_at for job in jobs) or what_changed(on, jobs[0]):
        return
    ids = [job.id for job in jobs]
    says = in_another_process(run.folder, ids)
    if says is None:  # made by hand in this process, as in a notebook: another order is all that can be had
        says = unlike(run, ids)
    if says:
        for job in jobs:
            run.give_up_results({job.id: f"given up: {says}"})
            run.claim(ids=[job.id])
            run.fail(job.id, says)


def in_another_process(folder: Path, jobs: Sequence[str]) -> str | None:
    """A sentence on an episode that came out otherwise, or ""; None where nothing can be loaded there."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=replay_worker, args=(str(folder), list(jobs), theirs), daemon=True)
    with deaf_children():
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
    with open_run(folder, sweep=False) as run:
        parent.send(unlike(run, jobs) if can_be_loaded(run, jobs[0]) else None)


def can_be_loaded(run: Run, job_id: str) -> bool:
    """Whether the agent and its env are there for other processes too."""
    job = run.job(job_id)
    try:
        env = limited(job, job.train_task)
        try:
            acting(job)(env)
        finally:
            env.close()
    except AssayError:
        return False
    return True


def unlike(run: Run, ids: Sequence[str]) -> str:
    """What plays otherwise here, in a sentence: the last task first, of each the last episode and one more.

    Where a task remembers episodes, all of them have to be played, so only the last and the plain one are.
    """
    jobs = {job.id: job for job in run.jobs(id=list(ids))}
    todo = [(jobs[each], one) for each in reversed(ids) for one in reversed(job_plan(jobs[each]).tries)]
    try:
        for place, (job, each) in enumerate(todo):
            require_same(run, job, each, whole=place == 0 or each.arm == PLAIN)
    except AssayError as error:
        return str(error)
    return ""


def require_same(run: Run, job: Job, each: Try, whole: bool) -> None:
    """Raises a sentence on an episode of one task that is not as it was."""
    rows = run.episodes(job=job.id, arm=each.arm, task=each.task).to_pylist()
    was = {row["episode"]: row["digest"] for row in rows}
    numbers = sorted({max(was), digest_number(job.id, each.task) % len(was)})
    env = limited(job, each.task)
    try:
        policy, seed = as_policy(acting(job)(env)), evaluation_seed(job.seed)
        batched, made = plays_batches(policy, env), partial(limited, job, each.task)
        if env.remembers:
            return require_same_whole(job, each, policy, env, was) if whole else None
    finally:
        env.close()
    for number in numbers:
        difference = play_again(policy, made, job.agent, seed, number, was[number], batched)
        require_repeatable(difference, each.task)


def require_same_whole(job: Job, each: Try, policy: Policy, env: TaskEnv, was: dict[int, str]) -> None:
    """All episodes of a task that carries something over from one to the next."""
    again = play(policy, env, job.agent, evaluation_seed(job.seed), len(was))
    for number, one in enumerate(again):
        if one.digest != was[number] and not has_own(each.task):
            raise AssayError(not_repeatable(job.agent, f"episode {number} of {each.task}", batched=False))
