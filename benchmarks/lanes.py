"""Whether a job's bits depend on the lanes of its program: how many there are, and which one is its own.

    python benchmarks/lanes.py              # tabular_q and dqn on toy/discrete, 2, 5, 10 and 32 lanes
    python benchmarks/lanes.py dqn 10 100

Four seeds are trained and evaluated by programs of each width, in the first lanes and in the last ones, with
other seeds beside them. It prints for how many of them episodes, curves and weights have the digests that 2
lanes give.
"""

from __future__ import annotations

import sys
import time

from assay.plans.jobs import jobs_of
from assay.plans.make_plan import train_plan
from assay.results import Job
from assay.results.stored_result import digest_of_result
from assay.runs.batches import device
from assay.runs.cache import keep_programs
from assay.runs.native_jobs import execute

SEEDS = 4  # that are compared
STEPS = {"tabular_q": 5000, "dqn": 3000}
PIECES = ("episodes", "curves", "weights")


def main() -> None:
    agents = [word for word in sys.argv[1:] if not word.isdigit()] or list(STEPS)
    widths = [int(word) for word in sys.argv[1:] if word.isdigit()] or [2, 5, 10, 32]
    keep_programs()
    print(f"on {device()}")
    for agent in agents:
        jobs = planned(agent, max(widths))
        expected = digests(jobs[:2], 2) | digests(jobs[2:SEEDS], 2)
        for width in widths:
            begun = time.perf_counter()
            for where, batch in (("first", jobs[:width]), ("last", jobs[:width][::-1])):
                told, seconds = compared(digests(batch, width), expected), time.perf_counter() - begun
                print(f"{agent} {width} lanes, the {where} ones: {told} ({seconds:.0f} s)", flush=True)


def planned(agent: str, seeds: int) -> list[Job]:
    settings = {"steps": STEPS[agent]} | ({"learning_starts": 500} if agent == "dqn" else {})
    return jobs_of(train_plan(agent, "toy/discrete", seeds=seeds, episodes=5, settings=settings))


def digests(jobs: list[Job], lanes: int) -> dict[int, tuple[str, ...]]:
    """Of the first seeds in a batch, by seed."""
    wanted = {job.id: job for job in jobs}
    found = {}
    for result in execute(jobs, lanes):
        job = wanted[result.job]
        if job.seed < SEEDS:
            digest = digest_of_result(
                job, result.episodes, result.curves if result.curves is not None else (), result.weights
            )
            found[job.seed] = tuple(digest.split("-"))
    return found


def compared(found: dict[int, tuple[str, ...]], expected: dict[int, tuple[str, ...]]) -> str:
    same = [sum(found[seed][i] == expected[seed][i] for seed in found) for i in range(len(PIECES))]
    return ", ".join(f"{name} equal for {count} of {len(found)}" for name, count in zip(PIECES, same))


if __name__ == "__main__":
    main()
