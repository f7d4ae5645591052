"""The choices of policies in both renderings of their states: policies from records, tasks from texts.

Tasks are built without companions: a frame with all filters at neutral costs many times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from assay.agents.agent import Chances, how_many
from assay.core import step as loop
from assay.core.env import Task
from assay.core.keys import root_of, seed_words
from assay.interop.film import is_picture
from assay.plans.agents import catalogue_agent, config_of
from assay.plans.job_plan import job_plan
from assay.plans.plan import Weights
from assay.plans.protocol import measures_of
from assay.results import Job
from assay.results.record import NONE
from assay.runs.batches import builder_of
from assay.runs.evaluate import EvaluationSetup
from assay.runs.native_jobs import train_together
from assay.runs.program import build_alone, signature
from assay.runs.renderings import (
    Visited,
    chances_in,
    choose_steps,
    observe_episode,
    observe_states,
    play,
    visit,
)
from assay.runs.result import evaluation_seed
from assay.runs.training_records import stored_params

LONG = 100  # steps of an episode in which only numbers are seen, where nothing more is known


class Watched(NamedTuple):
    """A policy with its plain episodes, and its choices in the states that were picked from them."""

    job: Job
    params: Any
    setup: EvaluationSetup
    chances: Chances
    visited: Visited
    picks: list[np.ndarray]  # by episode, the steps
    told: list[np.ndarray]  # by episode, (states, actions): the probabilities

    @property
    def plain(self) -> Task:
        return build_alone(self.job.train_task)

    @property
    def words(self) -> np.ndarray:
        return seed_words(evaluation_seed(self.job.seed))

    @property
    def states(self) -> int:
        return sum(map(len, self.picks))

    @property
    def actions(self) -> int:
        return how_many(loop.spaces(self.plain)["action"])

    @property
    def has_pictures(self) -> bool:
        return is_picture(loop.spaces(self.plain)["observation"])


class Choices(NamedTuple):
    """A policy's choices at one level, by episode; (states, actions) and (episodes,)."""

    plain: list[np.ndarray]
    varied: list[np.ndarray]
    plain_scores: np.ndarray
    varied_scores: np.ndarray


def watch(job: Job, folder: Path | None, states: int, episodes: int) -> Watched:
    """Plays plain episodes of a job's policy, whose weights are in the run of that folder, if it left any."""
    agent, config = catalogue_agent(job.agent), config_of(job.agent, job_plan(job).settings)
    chances = agent.chances_of(config)
    assert chances is not None, "agents that cannot tell are refused before"
    params = params_of(job, folder)
    setup = EvaluationSetup(
        agent.act_of(config), measures_of(job.train_task), agent.uses_observations, agent.start_memory
    )
    words = seed_words(evaluation_seed(job.seed))
    visited = visit(build_alone(job.train_task), params, words, setup, episodes)
    watched = Watched(job, params, setup, chances, visited, choose_steps(visited.steps, states), [])
    return watched._replace(told=tell_choices(watched, watched.plain))


def shows_pictures(text: str) -> bool:
    return is_picture(loop.spaces(build_alone(text))["observation"])


class Extent(NamedTuple):
    programs: int  # different structures of tasks
    length: int  # the most steps of an episode, up to LONG where only numbers are seen
    pictures: bool  # whether pictures are drawn for the agent


def count_programs(agent: str, plain: str, varied: Sequence[str]) -> Extent:
    """How much there is to compile and to draw."""
    task = build_alone(plain)
    pictures = catalogue_agent(agent).uses_observations and shows_pictures(plain)
    kinds = {signature(build_alone(text)) for text in (plain, *varied)}
    longest = int(np.max(task.env.horizon(task.env.params)))
    return Extent(len(kinds), longest if pictures else min(longest, LONG), pictures)


def params_of(job: Job, folder: Path | None) -> Any:
    """The params of a job's policy: stored by it or by an earlier run, or made where nothing is learned."""
    agent, todo = catalogue_agent(job.agent), job_plan(job)
    config = config_of(job.agent, todo.settings)
    left = (job.digest or "").split("-")
    stored = todo.weights
    if stored is None and folder is not None and len(left) > 2 and left[2] != NONE:
        stored = Weights(str(folder), job.id, left[2])
    if stored is None:
        return jax.tree.map(lambda leaf: leaf[0], train_together(agent, config, [job], 0).params)
    shapes = jax.eval_shape(
        lambda key, task: agent.train(key, task, config).params,
        root_of(job.seed),
        builder_of(job)(job.train_task),
    )
    return stored_params(job, stored, shapes)


def tell_choices(watched: Watched, task: Task) -> list[np.ndarray]:
    """The policy's probabilities in the picked states, as a task renders them."""
    seen = None
    if watched.setup.looks:
        seen = observe_states(task, watched.words, watched.visited, watched.picks)
    return chances_in(watched.plain, watched.params, watched.visited, watched.picks, watched.chances, seen)


def tell_level(watched: Watched, text: str) -> Choices:
    """The choices in both renderings, and the scores of the same episodes, plain and varied."""
    task = build_alone(text)
    _, scores = play(task, watched.params, watched.words, watched.setup, len(watched.picks))
    return Choices(watched.told, tell_choices(watched, task), watched.visited.scores, scores)


def show_state(watched: Watched, text: str, episode: int, state: int) -> np.ndarray:
    """What a task shows in one of the picked states."""
    steps = watched.picks[episode][state : state + 1]
    shown: np.ndarray = observe_episode(build_alone(text), watched.words, watched.visited, episode, steps)[0]
    return shown
