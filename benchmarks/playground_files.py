"""Loads every experiment file of MDP Playground in a folder, and counts what is built and what is refused.

    pip download mdp-playground==1.0.0 --no-binary :all: --no-deps
    tar xzf mdp_playground-1.0.0.tar.gz
    python benchmarks/playground_files.py mdp_playground-1.0.0/experiments

A point is one combination of what a file varies, seeds left out; a config is what it says of the env alone.
The settings of every point are given to our agent, which may refuse them too.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import assay
from assay.plans.agents import settings_of

KEY = re.compile(r"[\w.]+")


def key_of(why: str) -> str:
    """The key that a refusal names: its first word, after what is said of the file."""
    found = KEY.search(why.rpartition("as an experiment: ")[2])
    return found[0] if found else why


def family_of(task: object) -> str:
    return str(task).split("/")[0]


def main(folder: str) -> None:
    files, points, configs = Counter(), Counter(), Counter()
    refused: dict[str, list[str]] = {}
    left_out: Counter[tuple[str, str]] = Counter()
    seeds = 0
    for path in sorted(Path(folder).glob("*.py")):
        try:
            experiment = assay.from_playground_experiment(path, skip_refused=True)
        except assay.AssayError as error:
            files["refused"] += 1
            refused.setdefault(key_of(str(error)), []).append(path.name)
            continue
        files["whole" if not experiment.refused else "in part" if experiment.points else "refused"] += 1
        tasks = set()
        for point in experiment.points:
            settings_of(experiment.agent, point.settings)
            points[family_of(point.task)] += 1
            tasks.add((str(point.task), str(point.evaluate)))
        seeds += experiment.seeds * len(experiment.points)
        configs.update(family_of(train) for train, _ in tasks)
        for each in experiment.refused:
            refused.setdefault(key_of(each.why), []).append(path.name)
        left_out.update(experiment.dropped.items())
    print(f"files: {dict(files)}")
    print(f"points built: {sum(points.values())} {dict(points)}; agents to train: {seeds}")
    print(f"configs of envs built: {sum(configs.values())} {dict(configs)}")
    print(f"points refused: {sum(map(len, refused.values()))}")
    for key, where in sorted(refused.items(), key=lambda item: -len(item[1])):
        print(f"  {key}: {len(where)} in {len(set(where))} files")
    print("keys left out, by the files that have them:")
    for (key, why), count in sorted(left_out.items(), key=lambda item: (item[0][1], -item[1])):
        print(f"  {count:4d}  {key}: {why}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
