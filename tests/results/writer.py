"""A process that works on a run until nothing is left; told to, it stops at a stage and waits to be killed.

    python writer.py FOLDER JOBS [STAGE BARRIER]

At its stage it writes the barrier file and goes on once that file is gone.
"""

import sys
import time
from pathlib import Path

from sample import job, result

from assay.results import open_run, parts

folder, jobs = Path(sys.argv[1]), int(sys.argv[2])
stage, barrier = (sys.argv[3], Path(sys.argv[4])) if len(sys.argv) > 3 else ("none", Path())
FIRST, LAST = parts.SUFFIX[parts.CURVES], parts.SUFFIX[parts.WEIGHTS]  # the order in which files are renamed


def at(here: str) -> None:
    global stage
    if stage == here:
        stage = "none"
        barrier.write_text(here)
        while barrier.exists():
            time.sleep(0.005)


def linger() -> None:
    """Where a kill comes at random: most of the time passes inside `finish`, and no job is too quick."""
    if stage == "at random":
        time.sleep(0.01)


def write_in_halves(file, data):
    file.write(data[: len(data) // 2])
    file.flush()
    at("a part half written")
    linger()
    file.write(data[len(data) // 2 :])


def put_with_stops(aside, path, put=parts.put_in_place):
    if path.suffix == FIRST:
        at("both files written aside")
    put(aside, path)
    linger()
    at("one file renamed" if path.suffix == FIRST else "both files renamed, not committed")


parts.write_all = write_in_halves
parts.put_in_place = put_with_stops

with open_run(folder) as run:
    at("before the jobs are added")
    run.add_jobs(job(number) for number in range(jobs))
    done = 0
    while claimed := run.claim():
        if done == 1:
            at("a job claimed")
        run.finish(claimed[0].id, **result(claimed[0]))
        done += 1
print(done)
