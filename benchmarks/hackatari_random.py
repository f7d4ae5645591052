"""Measures random play on every task of the suites `hackatari/*`, and keeps it in the package.

    nice -n 5 .venv/bin/python benchmarks/hackatari_random.py    # what is missing or out of date
    .venv/bin/python benchmarks/hackatari_random.py --only Pong,Boxing    # of some games
    .venv/bin/python benchmarks/hackatari_random.py --with actions=full    # for runs with this setting

What is measured is kept task by task, so a script that was stopped goes on where it stood. Where the rules of
a task have changed since, its first episodes are played again: if they come out as they were, the change did
not touch it and the rest is kept too; else the task is measured anew. Random play does not look, so it is
played with the console's memory as the observation, which costs least. All tasks play the same seed, so the
episodes of a game and of its variations are pairs. The file has a digest of itself, which assay checks. Its
seed is none of the suites', so a run with `--agent random` plays other episodes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from assay.digests.own_code import version_of
from assay.interop.gymnasium import make
from assay.interop.play import play
from assay.plans.question import RANDOM
from assay.plans.random_play import random_play_of
from assay.runs.outside_jobs import random_actions
from assay.suites.hackatari import CONTROLS, PAPER_32, pairs_of
from assay.suites.hackatari_random import FILE, digest_of_table
from assay.task_text import parse

SEED = 19_000
CHEAP = "+observation=ram+stack=1"
EPISODES = 60
OF_GAMES = {  # more of quick games, fewer of slow ones
    "Amidar": 120, "Asterix": 120, "BankHeist": 120, "Breakout": 120, "DoubleDunk": 30, "Freeway": 40,
}  # fmt: skip
AGAIN = 3  # episodes by which a change of the rules is told from one of this task's rules
PACKAGES = ("rl-assay", "ale-py", "gymnasium", "numpy")
Kept = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="games, with commas")
    parser.add_argument(
        "--with", dest="settings", default="", help="settings in every task, as in `assay run`"
    )
    parser.add_argument("--file", type=Path, default=FILE)
    asked = parser.parse_args()
    only = asked.only.split(",") if asked.only else []
    games = {game: (*PAPER_32.get(game, ()), *CONTROLS.get(game, ())) for game in {**PAPER_32, **CONTROLS}}
    kept: Kept = json.loads(asked.file.read_text()) if asked.file.is_file() else {"cpu_s": 0.0, "tasks": {}}
    more = f"+{asked.settings}" if asked.settings else ""
    tasks = [f"{pair.evaluate}{more}" for game, names in games.items() for pair in pairs_of(game, names)
             if not only or game in only]  # fmt: skip
    for number, task in enumerate(tasks, start=1):
        before, todo = time.process_time(), random_play_of(task)
        old = kept["tasks"].get(todo.task)
        if old and old["rules"] == todo.rules and is_by(kept["versions"]):
            continue
        game = parse(task).env.partition("/")[2]
        count = OF_GAMES.get(game, EPISODES)
        scores = renew(todo.task, old["scores"]) if old else []
        kind = "kept" if scores else "measured"
        scores = scores or play_at_random(todo.task, count)
        kept["tasks"][todo.task] = {"rules": todo.rules, "scores": scores}
        spent = time.process_time() - before
        kept |= {"cpu_s": round(kept["cpu_s"] + spent, 1), "seed": SEED,
                 "command": "python benchmarks/hackatari_random.py",
                 "versions": {name: version_of(name) for name in PACKAGES}}  # fmt: skip
        write(asked.file, kept)
        print(f"{number:3d}/{len(tasks)} {kind} {todo.task}: {sum(scores) / len(scores):.2f} over "
              f"{len(scores)} episodes, {spent:.0f} CPU s", file=sys.stderr, flush=True)  # fmt: skip


def is_by(versions: Kept) -> bool:
    """Whether the emulator is the one of the measurement; other packages do not decide scores."""
    return versions["ale-py"] == version_of("ale-py")


def renew(task: str, scores: list[float]) -> list[float]:
    """The scores that were kept, if the first of them come out again; else none."""
    return scores if play_at_random(task, AGAIN) == scores[:AGAIN] else []


def play_at_random(task: str, episodes: int) -> list[float]:
    env = make(f"{task}{CHEAP}")
    try:
        act = partial(random_actions, seed=SEED)(env)
        played = play(act, env, RANDOM, SEED, episodes)
    finally:
        env.close()
    return [round(float(one.score), 6) for one in played]


def write(file: Path, kept: Kept) -> None:
    """The file, a line per task, whole or as it was."""
    rows = [f"  {json.dumps(task)}: {json.dumps(row)}" for task, row in kept["tasks"].items()]
    head = {name: kept[name] for name in ("command", "versions", "seed", "cpu_s")}
    head["digest"] = digest_of_table(kept)
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    aside = file.with_suffix(".part")
    aside.write_text("\n".join(["{", *lines, ' "tasks": {', ",\n".join(rows), " }", "}"]) + "\n")
    aside.replace(file)


if __name__ == "__main__":
    main()
