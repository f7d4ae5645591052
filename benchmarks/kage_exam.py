"""Examines the shipped PPO-CNN over every visual parameter of the platformer.

    .venv/bin/python benchmarks/kage_exam.py [--out runs/kage-exam] [--workers 2] [--minutes 9]

Each level is a program of its own that draws pictures, so nearly all of the time is compiling: about 80
minutes on two cores, some minutes on a machine with a GPU and 16 cores. Killed or out of time, it goes on
where it stopped. The page, its tables and the records are in the folder of the run.
"""

from __future__ import annotations

import argparse
import json
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

KEPT = Path(__file__).parent / "kage_exam"
EPISODES = (
    220  # fewer cannot show that an axis holds, for one episode can lose more than all there is to lose
)
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


def keep(run: Path, path: Path) -> None:
    """What the page needs of a report."""
    told = json.loads((run / "report.json").read_text())
    rows = [
        {name: finding[name] for name in ("axis", "side", "word", "level", "effect", "because", "holds_to")}
        for finding in told["findings"]
    ]
    kept = {name: told[name] for name in ("task", "episodes", "headline", "versions", "wall_s", "lowest")}
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps(kept | {"findings": rows}, indent=1) + "\n")
    aside.rename(path)


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
    parser.add_argument("--keep", type=Path, default=KEPT, help="small files of which the page is made")
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
        result = assay.examine(
            AGENT, task, axes=axes, episodes=EPISODES, out=asked.out / mark, workers=asked.workers
        )
        keep(asked.out / mark, asked.keep / f"{mark.replace('=', '-')}.json")
        print(f"{task}: {len(axes)} axes in {time.monotonic() - began:.0f} s\n{result}", flush=True)


if __name__ == "__main__":
    main()
