"""Examines the shipped PPO-CNN over every visual parameter of the platformer.

    .venv/bin/python benchmarks/kage_exam.py [--out runs/kage-exam] [--workers 2] [--minutes 9]

Each level is a program of its own that draws pictures, so nearly all of the time is compiling: about 80
minutes on two cores, some minutes on a machine with a GPU and 16 cores. Killed or out of time, it goes on
where it stopped. The page, its tables and the records are in the folder of the run.
"""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
from collections import defaultdict
from pathlib import Path

import assay
from assay.catalogue import env_entry
from assay.errors import NotApplicable
from assay.plans.make_plan import exam_plan

AGENT, TASK = "ppo-platformer", "platformer/run"
FIRST = ("filters.", "background.", "character.", "npc.", "distractors.", "effects.", "layout.", "preset")


def visual_axes() -> dict[str, list[str]]:
    """By base: the axes that touch what is seen and nothing else, those of the platformer itself.

    What acts only beside another setting, such as the number of distractors, is tried with that one on.
    """
    found = defaultdict(list)
    for axis in env_entry(TASK).axes:
        if set(axis.components) == {"observation"} and axis.name.startswith(FIRST):
            bases = (TASK, f"{TASK}+{axis.context}") if axis.context else (TASK,)
            able = [base for base in bases if can_be_asked(base, axis.name)]
            if able:
                found[able[0]].append(axis.name)
            else:
                print(f"{axis.name}: not asked", flush=True)
    return dict(found)


def can_be_asked(task: str, axis: str) -> bool:
    """Whether a frozen agent can be tried on it."""
    try:
        exam_plan(AGENT, task, only=[axis])
    except NotApplicable:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/kage-exam"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=600.0, help="after these it stops, as if killed")
    parser.add_argument(
        "--but", default="", help="bases that are left out, such as plain,background.mode=image"
    )
    asked = parser.parse_args()
    alarm = threading.Timer(60 * asked.minutes, os.kill, (os.getpid(), signal.SIGTERM))
    alarm.daemon = True
    alarm.start()
    for task, axes in visual_axes().items():
        began, mark = time.monotonic(), task.removeprefix(TASK).removeprefix("+") or "plain"
        if mark in asked.but.split(","):
            continue
        result = assay.examine(AGENT, task, axes=axes, out=asked.out / mark, workers=asked.workers)
        print(f"{task}: {len(axes)} axes in {time.monotonic() - began:.0f} s\n{result}", flush=True)


if __name__ == "__main__":
    main()
