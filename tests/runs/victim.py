"""Makes a process of assay stop at a known moment, to be killed there.

Every process loads this file when it starts, driver and workers (`test_kill.load_victim`). At the NUMBER-th
MOMENT the process writes where it stands into MARKER and waits for its end.
"""

import os
import time
from pathlib import Path

from assay.results import parts, store

MARKER, MOMENT, NUMBER = (
    Path(os.environ["VICTIM_MARKER"]),
    os.environ["VICTIM_MOMENT"],
    int(os.environ["VICTIM_NUMBER"]),
)
seen = 0


def reached(moment: str) -> None:
    """Stops here for good if this is the moment."""
    global seen
    if moment != MOMENT or MARKER.exists():
        return
    seen += 1
    if seen == NUMBER:
        MARKER.write_text(moment)
        time.sleep(120)


def half_written(file, data):
    file.write(data[: len(data) // 2])
    file.flush()
    reached("a part half written")
    file.write(data[len(data) // 2 :])


def claimed(self, *words, **more):
    found = claim(self, *words, **more)
    if found:
        reached("a job in flight")
    return found


def renamed(aside, path):
    put_in_place(aside, path)
    reached("a part renamed, its job not committed")


def added(self, jobs):
    reached("before the jobs are planned")
    return add_jobs(self, jobs)


claim, put_in_place, add_jobs = store.Run.claim, parts.put_in_place, store.Run.add_jobs
parts.write_all = half_written
parts.put_in_place = renamed
store.Run.claim = claimed
store.Run.add_jobs = added
