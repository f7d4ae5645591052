"""Agents of assay in the battery: trained on many tables in one program, and asked what they would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from assay.agents.agent import Act, Agent
from assay.agents.on_policy_config import NONE
from assay.battery.native_table import task_of
from assay.battery.own_settings import battery_settings
from assay.battery.spaces import BETWEEN, NUMBER, ROW, TWO, WIDEST, spaces_of
from assay.battery.subject import DETOUR, SCALE, SHIFT, Run, Traits, Way
from assay.battery.table import CELLS, LONGEST_PATH, MOST_QUESTIONS, Exam
from assay.battery.tasks import SHORTER
from assay.core.env import Task
from assay.core.keys import root_of, stream
from assay.errors import NotApplicable
from assay.plans.agents import catalogue_agent, config_of
from assay.task_text import Value

DRAWS = 32  # answers to each question, since some policies draw them
REPEATS = 5  # trainings for each test


def arrays_of(exam: Exam) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The looks that lead to each question, (MOST_QUESTIONS, LONGEST_PATH), and how many of them count."""
    looks = np.zeros((MOST_QUESTIONS, LONGEST_PATH), np.int32)
    lengths = np.ones(MOST_QUESTIONS, np.int32)
    for i, question in enumerate(exam.questions):
        looks[i, : len(question.path)] = exam.table.look[list(question.path)]
        lengths[i] = len(question.path)
    return looks, lengths


def see(task: Task, look: Any) -> Any:
    table = task.env.params
    return look if table.sees == NUMBER else table.rows[look]


def share_of(task: Task, action: jax.Array) -> jax.Array:
    """The share of the second action in an answer."""
    if task.env.params.acts == BETWEEN:
        return (action[0] + 1) / 2
    return action.astype(jnp.float32)


def answer(act: Act, task: Task, params: Any, memory: Any, key: jax.Array, look: Any) -> jax.Array:
    """The shares of some answers, (DRAWS,)."""

    def draw(key: jax.Array) -> jax.Array:
        return share_of(task, act(task, params, memory, key, see(task, look))[0])

    return jax.vmap(draw)(jax.random.split(key, DRAWS))


def ask(
    agent: Agent, act: Act, task: Task, params: Any, key: jax.Array, looks: jax.Array, length: jax.Array
) -> jax.Array:
    """The answers after so many observations in turn."""

    def remember(memory: Any, i: jax.Array) -> tuple[Any, None]:
        after = act(task, params, memory, jax.random.fold_in(key, i), see(task, looks[i]))[1]
        return jax.tree.map(partial(jnp.where, i < length - 1), after, memory), None

    memory = agent.start_memory(task, params)
    memory = jax.lax.scan(remember, memory, jnp.arange(LONGEST_PATH - 1))[0]
    return answer(act, task, params, memory, stream(key, "answers"), looks[length - 1])


def ask_after_detour(
    agent: Agent, act: Act, task: Task, params: Any, key: jax.Array, looks: jax.Array
) -> jax.Array:
    """The answers to questions of one observation, in an evaluation that saw other things before."""

    def stray(memory: Any, i: jax.Array) -> tuple[Any, None]:
        now = jax.random.fold_in(key, i)
        if task.env.params.sees == NUMBER:
            seen = jax.random.randint(now, (), 0, CELLS)
        else:
            seen = jnp.clip(SHIFT + SCALE * jax.random.normal(now, (CELLS,)), -WIDEST, WIDEST)
        return act(task, params, memory, now, seen)[1], None

    memory = jax.lax.scan(stray, agent.start_memory(task, params), jnp.arange(DETOUR))[0]
    keys = jax.random.split(stream(key, "after"), MOST_QUESTIONS)
    return jax.vmap(lambda key, row: answer(act, task, params, memory, key, row[0]))(keys, looks)


def learn_and_answer(
    agent: Agent, config: Any, detour: bool, task: Task, key: jax.Array, looks: jax.Array, lengths: jax.Array
) -> tuple[jax.Array, jax.Array | None]:
    params, act = agent.train(stream(key, "train"), task, config).params, agent.act_of(config)
    keys = jax.random.split(stream(key, "ask"), MOST_QUESTIONS)
    shares = jax.vmap(partial(ask, agent, act, task, params))(keys, looks, lengths)
    if not detour:
        return shares, None
    return shares, ask_after_detour(agent, act, task, params, stream(key, "detour"), looks)


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def learn_side_by_side(
    agent: Agent, config: Any, detour: bool, in_turn: bool, *rows: Any
) -> tuple[jax.Array, jax.Array | None]:
    """The same for every row: tasks, keys, looks, lengths."""
    one = partial(learn_and_answer, agent, config, detour)
    if in_turn:
        told: tuple[jax.Array, jax.Array | None] = jax.lax.map(lambda row: one(*row), rows)
    else:
        told = jax.vmap(one)(*rows)
    return told


def traits_of(name: str, agent: Agent, settings: Mapping[str, Any], continuous: bool) -> Traits:
    """What decides which tests apply to an agent of ours; refuses one that fits none of the spaces."""
    sees = seen_by(agent)
    fits = {acts: agent.fits(spaces_of(sees, acts)) for acts in (TWO, BETWEEN)}
    can = tuple(acts for acts in ((BETWEEN, TWO) if continuous else (TWO, BETWEEN)) if not fits[acts])
    if not can:
        raise NotApplicable(f"{name} cannot take the battery: {fits[TWO]}; try dqn, ppo or sac.")
    if continuous and BETWEEN not in can:
        raise NotApplicable(f"--continuous is not for {name}: {fits[BETWEEN]}; leave it out.")
    weight = settings.get("entropy_weight", settings.get("alpha"))
    draws = "" if weight else "it is not paid for the entropy of its policy"
    if settings.get("greedy") or settings.get("draw") is False:
        draws = "it is told to draw no actions"
    n = settings.get("n_step", 1)
    signs = next((setting for setting in ("clip", "signs") if settings.get(setting) is True), "")
    return Traits(
        discount=settings["discount"],
        steps=settings["steps"],
        actions=can,
        generalises=sees == ROW,
        n_step=n,
        replays="" if "replay" in settings else "it keeps no replay",
        settles="its actor seldom leaves a bound" if "noise_scale" in settings else "",
        draws=draws,
        remembers=settings.get("memory", NONE) != NONE,
        keeps_signs=f"{signs}=true" if signs else "",
        cuts_end="ending=kage" if settings.get("ending") == "kage" else "",
        frozen_target=frozen_target(settings),
        shorter_discount={"discount": SHORTER} if n > 1 else None,
        normalising={"normalise": True} if "normalise" in settings else None,
    )


def seen_by(agent: Agent) -> str:
    return NUMBER if agent.fits(spaces_of(ROW, TWO)) and not agent.fits(spaces_of(NUMBER, TWO)) else ROW


def frozen_target(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """The settings under which the target never moves."""
    if "target_every" in settings:
        return {"target_every": settings["steps"]}
    return {"tau": 0.0} if "tau" in settings else None


class NativeSubject:
    """An agent of assay; all of its trainings in the same way are one program."""

    def __init__(
        self, name: str, given: Mapping[str, Value], continuous: bool = False, agent: Agent | None = None
    ):
        """`agent` stands in for that of the catalogue, whose settings it shares."""
        self.name, self._agent = name, agent or catalogue_agent(name)
        self._settings = battery_settings(name, given)
        config_of(name, self._settings)  # refuses contradictions before anything is trained
        self.traits = traits_of(name, self._agent, self._settings, continuous)
        self.at_once = REPEATS

    def run(self, way: Way, exams: Sequence[Exam], seeds: Sequence[int]) -> list[Run]:
        config = config_of(self.name, {**self._settings, **dict(way.settings)})
        sees = seen_by(self._agent)
        tasks = [task_of(exam.table, sees, way.acts) for exam in exams]
        together = jax.tree.map(lambda *leaves: jnp.stack(leaves), *tasks)
        keys = jnp.stack([root_of(seed) for seed in seeds])
        looks, lengths = (np.stack(each) for each in zip(*map(arrays_of, exams)))
        # A loop with branches runs one after another: under `vmap` both sides of each would be computed.
        in_turn = callable(self._agent.alone) or bool(self._agent.alone)
        shares, after = learn_side_by_side(
            self._agent, config, way.detour, in_turn, together, keys, looks, lengths
        )
        told = np.asarray(shares), None if after is None else np.asarray(after)
        return [
            Run(told[0][i][:count], None if told[1] is None else told[1][i][:count])
            for i, count in enumerate(len(exam.questions) for exam in exams)
        ]
