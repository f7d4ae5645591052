"""Plays a task beside its plain self, under the same seed and the same random actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from assay.catalogue import variations
from assay.errors import AssayError
from assay.interop.gymnasium import TaskEnv, make
from assay.task_text import TaskText
from assay.tasks import Resolved

EPISODES, MOST_STEPS = 200, 4000  # of random play behind the averages, whichever comes first


class Moment(NamedTuple):
    """What one step of one run gave; a reset gives an observation only."""

    observation: Any
    executed: Any = None
    reward: float | None = None
    end: str = ""  # "ends" where terminated, "cut" where truncated
    info: Mapping[str, Any] = MappingProxyType({})


class Row(NamedTuple):
    """A step of both runs; None where that run's episode is over."""

    episode: int
    t: int  # 0 is the reset
    action: Any
    plain: Moment | None
    varied: Moment | None


class Average(NamedTuple):
    """Means over random play; None where no episode came to an end."""

    episodes: int
    length: float | None
    paid: float | None
    score: float | None


def plain_beside(resolved: Resolved, varied: gymnasium.Env) -> tuple[TaskEnv | None, str]:
    """The plain env to put beside a task's, or None and why there is none.

    The task's plain self, or where that has other actions, the env with this task's structure.
    """
    structure = tuple(setting for setting in resolved.text.settings if setting.name in resolved.structure)
    alone = plain_side(resolved)
    if alone == resolved.text:
        return None, "it is a plain task"
    for text in (alone, TaskText(resolved.text.env, structure)):
        if text != resolved.text:
            plain = make(text)
            if plain.action_space == varied.action_space:
                return plain, ""
    return None, f"plain {alone} has other actions"


def side_by_side(plain: gymnasium.Env | None, varied: gymnasium.Env, seed: int, steps: int) -> list[Row]:
    """`steps` rows, and one per reset. When both runs are over, both begin the next episode, again alike."""
    runs = [Run(env, seed) if env else None for env in (plain, varied)]
    varied.action_space.seed(seed)
    rows: list[Row] = []
    episode, t = -1, 0
    for _ in range(steps):
        if not any(run and run.live for run in runs):
            episode, t = episode + 1, 0
            rows.append(Row(episode, t, None, *(run.begin() if run else None for run in runs)))
        t, action = t + 1, varied.action_space.sample()
        rows.append(Row(episode, t, action, *(run.step(action) if run else None for run in runs)))
    return rows


class Run:
    """One env and whether its episode is still going on."""

    def __init__(self, env: gymnasium.Env, seed: int):
        self.env, self.live = env, False
        self.seed: int | None = seed

    def begin(self) -> Moment:
        seed, self.seed = self.seed, None  # the first reset is seeded, the next ones go on from there
        self.live = True
        observation, info = self.env.reset(seed=seed)
        return Moment(observation, info=info)

    def step(self, action: Any) -> Moment | None:
        if not self.live:
            return None
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.live = not (terminated or truncated)
        end = "ends" if terminated else "cut" if truncated else ""
        return Moment(observation, info["executed"], float(reward), end, info)


def average(env: gymnasium.Env, seed: int) -> Average:
    """Random play of up to EPISODES whole episodes."""
    episodes = list(random_episodes(env, seed))
    if not episodes:
        return Average(0, None, None, None)
    return Average(len(episodes), *(float(value) for value in np.mean(episodes, axis=0)))


def random_episodes(env: gymnasium.Env, seed: int) -> Iterator[tuple[int, float, float]]:
    """Length, return and score of each."""
    env.action_space.seed(seed)
    env.reset(seed=seed)
    length, paid, score, done = 0, 0.0, 0.0, 0
    for _ in range(MOST_STEPS):
        _, reward, terminated, truncated, info = env.step(env.action_space.sample())
        length, paid, score = length + 1, paid + float(reward), score + info["score"]
        if terminated or truncated:
            yield length, paid, score
            done += 1
            if done == EPISODES:
                return
            env.reset()
            length, paid, score = 0, 0.0, 0.0


def differ(a: Any, b: Any) -> bool:
    """Whether two values are not the same, arrays of another shape included."""
    if isinstance(a, (np.ndarray, np.generic)) or isinstance(b, (np.ndarray, np.generic)):
        return not np.array_equal(a, b)
    return a != b


def plain_side(resolved: Resolved) -> TaskText:
    """The env alone, with those settings that make it what it is, such as the rule of rules/custom.

    No list of axes names them, and they are structure: without them there may be no task at all. A rule that
    goes by properties cannot be played without the table of its pieces, which is then kept beside it.
    """
    listed = {axis.name for axis in variations(resolved.text.env)}
    makes = resolved.structure.keys() - listed
    kept = tuple(each for each in resolved.text.settings if each.name in makes)
    if not kept or can_be_made(TaskText(resolved.text.env, kept)):
        return TaskText(resolved.text.env, kept)
    text = resolved.text
    for setting in resolved.text.settings:
        less = TaskText(text.env, tuple(each for each in text.settings if each != setting))
        if setting.name not in makes and can_be_made(less):
            text = less
    return text


def can_be_made(text: TaskText) -> bool:
    try:
        make(text)
    except AssayError:
        return False
    return True
