"""Which shipped random play a task has, and by which rules it is played today.

Random play does not look, so a task has the random play of the same task under any observation. Nor does it
matter that all 18 actions of the console are asked for, where all of them have an effect in the game anyway.
What decides its scores is digested from data alone: the settings and the data files of the env, which hold
the rules. The code of the emulator's host is left out on purpose, or every change of it would put all of
random play in doubt; a test plays some of it again.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

import yaml

from assay.digests.imports import Stamp, stamp
from assay.plans.plan import RandomPlay
from assay.plans.sources import data_of
from assay.results.record import digest_of
from assay.task_spaces import SpaceTable
from assay.task_text import TaskText
from assay.tasks import Resolved, resolve

ACTIONS = "actions"  # the setting that chooses the game's own actions or all of the console's


def random_play_of(task: str) -> RandomPlay:
    """The task without what random play does not notice, and the digest of its rules."""
    resolved = resolve(task)
    seen = {axis.name for axis in resolved.axes if only_changes_observations(resolved, axis.name)}
    bare = without(resolved.text, seen)
    if any(setting.name == ACTIONS for setting in bare.settings):
        usual, spaces = without(bare, {ACTIONS}), SpaceTable()
        # One set of actions holds the other, so they are the same where they are equally many.
        bare = usual if spaces(usual)["action"] == spaces(bare)["action"] else bare
    return RandomPlay(str(bare), digest_of_rules(resolved, bare))


def without(text: TaskText, names: Collection[str]) -> TaskText:
    return TaskText(text.env, tuple(setting for setting in text.settings if setting.name not in names))


def only_changes_observations(resolved: Resolved, name: str) -> bool:
    axis = next(each for each in resolved.axes if each.name == name)
    return axis.kind == "structure" and axis.components == ("observation",)


def digest_of_rules(resolved: Resolved, bare: TaskText) -> str:
    """A digest of a task's text, of what its preset stands for, and of the data files of its env."""
    files = [digest_of_data(stamp(path)) for path in data_of(bare.env)]
    rules = [str(bare), sorted(resolved.preset.items()), files]
    return digest_of([json.dumps(rules, sort_keys=True, default=str).encode()])


@lru_cache(maxsize=256)
def digest_of_data(file: Stamp) -> str:
    """A digest of what a file says, whatever its comments and its layout."""
    content = yaml.safe_load(Path(file.path).read_text(encoding="utf-8"))
    return digest_of([json.dumps(content, sort_keys=True, default=str).encode()])
