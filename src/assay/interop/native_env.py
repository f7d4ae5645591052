"""A native task as one Gymnasium env: one compiled call and one read for each reset and each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import PyTreeDef

from assay.catalogue import load
from assay.core import step as loop
from assay.core.axis import show_value
from assay.core.clock import Random, is_drawn
from assay.core.env import Task, World, record
from assay.core.keys import Key, Keys, episode_key, root, seed_words, step_key
from assay.core.space import require_numbers
from assay.errors import NotApplicable
from assay.interop.checks import action_of, out_of_turn_error, takes_beyond
from assay.interop.gymnasium import TaskEnv
from assay.interop.packing import as_outside, one_value, pack, unpack, words_of
from assay.interop.spaces import outside
from assay.native import build_native
from assay.tasks import Resolved


@record
class Play:
    """The state that an env carries from call to call."""

    seed: Any  # (2,) uint32, the words of the seed
    episode: Any  # () int32, its number
    noise: Any  # (2,) uint32, the words of the noise seed; None where variations draw from the seed
    key: Any  # (2,) uint32, the words of the episode's key
    world: World


class NoTruth:
    """The ground truth of a task that keeps none."""

    watches = 0  # words

    def __init__(self, resolved: Resolved, params: Any, lanes: int = 1):
        self._task = str(resolved.text)

    @staticmethod
    def watch(state: Any) -> tuple:
        return ()

    def begin(self, watched: np.ndarray, which: Any = None) -> None: ...

    def step(self, watched: np.ndarray, score: Any) -> None: ...

    def of_lane(self, lane: int) -> dict:
        return {}

    def of_all(self) -> dict:
        return {}

    def save(self) -> tuple:
        return ()

    def restore(self, saved: tuple) -> None: ...

    def needs(self) -> set[str]:
        raise NotApplicable(f"the info of {self._task} holds no state; use save() and its snapshot.")

    def facts(self) -> dict:
        raise NotApplicable(f"{self._task} has no generated tables.")


def truth_of(resolved: Resolved, params: Any, lanes: int = 1) -> Any:
    """The ground truth that the task's entry names."""
    keeper = load(resolved.entry.truth) if resolved.entry.truth else NoTruth
    return keeper(resolved, params, lanes)


@dataclass(frozen=True, eq=False)
class Form:
    """The static argument of a program; `form_of` makes each once, so that a call compares nothing."""

    structure: PyTreeDef  # of the task, whose leaves are another argument
    watch: Callable  # state -> the values that the truth needs of it
    apart: bool  # whether noise has a seed of its own

    def task(self, leaves: list) -> Task:
        return jax.tree.unflatten(self.structure, leaves)

    def play(self, task: Task, carried: tuple) -> Play:
        return play_of(task, carried, self.apart)


@cache
def form_of(structure: PyTreeDef, watch: Callable, apart: bool = False) -> Form:
    return Form(structure, watch, apart)


# The programs are at module level, so that all tasks of one form share them. `begin` and `advance` return
# what the caller reads and what the next call takes.


@partial(jax.jit, static_argnames="form")
def begin(leaves: list, carried: tuple, form: Form) -> tuple:
    """The next episode; its reset is step 0."""
    task = form.task(leaves)
    play = form.play(task, carried)
    key = episode_key(root(play.seed), play.episode + 1)
    play = replace(play, episode=play.episode + 1, key=jax.random.key_data(key))
    observation, world = as_a_lane(first_look)(task, key_of_step(play, 0), play.world)
    return pack((observation, *form.watch(world.state))), pack(replace(play, world=world))


@partial(jax.jit, static_argnames="form")
def advance(leaves: list, carried: tuple, chosen: Any, form: Form) -> tuple:
    """A step; returns reward, flags, score and executed action, then what a reset returns."""
    task = form.task(leaves)
    play = form.play(task, carried)
    chosen = jnp.asarray(chosen, loop.spaces(task)["action"].dtype)
    out = as_a_lane(loop.step)(task, key_of_step(play, play.world.time + 1), play.world, chosen)
    outputs = out.reward, out.terminated, out.truncated, out.score, out.executed
    return pack((*outputs, out.observation, *form.watch(out.state.state))), pack(
        replace(play, world=out.state)
    )


def key_of_step(play: Play, step: Any) -> Key:
    """The key of a step of the episode, or both where noise has a seed of its own."""
    key = step_key(root(play.key), step)
    if play.noise is None:
        return key
    return Keys(key, step_key(episode_key(root(play.noise), play.episode), step))


def first_look(task: Task, key: Key, world: World) -> tuple[Any, World]:
    return loop.look(task, key, loop.start_after(task, key, world))


def as_a_lane(function: Callable) -> Callable:
    """Runs one lane as it would run among many, to the bit: beside its twin, in the vmapped program.

    Alone it is compiled to other code, whose floats differ in their last bit now and then; from two lanes on
    they are the same for any number. The fences keep the compiler from seeing that the twin is one.
    """

    def of_one(task: Task, *inputs: Any) -> Any:
        twins = loop.fence(jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), inputs))
        return jax.tree.map(lambda leaf: leaf[0], loop.fence(loop.for_every_lane(1, function)(task, *twins)))

    return of_one


def play_of(task: Task, carried: tuple, apart: bool) -> Play:
    row, large = carried
    return unpack(row, large, jax.eval_shape(lambda: any_play(task, apart)))


def any_play(task: Task, apart: bool = False) -> Play:
    """Some play of the task, for its shapes."""
    words = jnp.zeros(2, jnp.uint32)
    return Play(words, jnp.int32(0), words if apart else None, words, loop.start(task, root(words)))


def blank(task: Task, apart: bool) -> tuple:
    """The carried arrays, all zeros, as a life and its clocks begin; there is no memory yet."""
    shapes = jax.eval_shape(lambda: pack(any_play(task, apart)))
    return jax.tree.map(lambda shape: np.zeros(shape.shape, shape.dtype), shapes)


@dataclass(frozen=True)
class Snapshot:
    """A moment of a native env; pass it to `restore`."""

    task: str
    seed: int
    noise_seed: int | None
    episode: int
    live: bool
    carried: tuple
    truth: Any
    concepts: tuple[Any, ...] | None = None  # of an env with events: which concept holds


def require_pictures(resolved: Resolved, render_mode: str | None) -> None:
    if render_mode is not None and not resolved.entry.render:
        raise NotApplicable(f"{resolved.text.env} draws no pictures; leave render_mode={render_mode!r} out.")
    if render_mode not in (None, "rgb_array"):
        raise NotApplicable(f"{resolved.text.env} renders as rgb_array, not as {render_mode!r}.")


class NativeEnv(TaskEnv):
    """A native task behind Gymnasium's methods."""

    def __init__(self, resolved: Resolved, render_mode: str | None = None):
        super().__init__(resolved)
        self._task = build_native(resolved).task  # the record; `task` is its text
        self._resolved, self.render_mode = resolved, render_mode
        self.metadata = {"render_modes": ["rgb_array"] if resolved.entry.render else [], "render_fps": 4}
        require_pictures(resolved, render_mode)
        spaces = loop.spaces(self._task)
        self._our_actions, self._our_observations = require_numbers(spaces["action"]), spaces["observation"]
        self.action_space, self.observation_space = (
            outside(self._our_actions),
            outside(self._our_observations),
        )
        self._takes_beyond = takes_beyond(resolved)
        self._truth = truth_of(resolved, self._task.env.params)
        self._leaves, self._structure = jax.tree.flatten(self._task)
        self._form = form_of(self._structure, self._truth.watch)
        self._blank = blank(self._task, apart=False)
        self._carried: tuple | None = None
        self._drawn: dict = {}
        if render_mode is not None:
            # A task that cannot be drawn is refused now.
            jax.eval_shape(self._picture_of, jax.eval_shape(any_play, self._task).world)

    @property
    def _varied(self) -> tuple:
        return self._task.variations

    def _begin(self, seed: int, episode: int, anew: bool) -> tuple[Any, dict]:
        if anew:
            apart = self._noise_seed is not None
            if apart != self._form.apart:
                self._set_apart(apart)
            row, large = self._blank[0].copy(), self._blank[1]
            row[:2], row[2] = seed_words(seed).view(np.int32), episode - 1  # Play's first two fields
            if self._noise_seed is not None:
                row[3:5] = seed_words(self._noise_seed).view(np.int32)  # and its third
            self._carried = row, large
        (row, large), self._carried = begin(self._leaves, self._carried, form=self._form)
        observation, watched = self._read_observation(np.asarray(row), large)
        self._truth.begin(watched)
        self._drawn = self._drawn_now()
        return observation, {**self._drawn, **self._truth.of_lane(0)}

    def _set_apart(self, apart: bool) -> None:
        """Takes the programs in which noise has a seed of its own, or those in which it has not."""
        self._form = form_of(self._structure, self._truth.watch, apart)
        self._blank = blank(self._task, apart)

    def _play(self) -> Play:
        assert self._carried is not None, "an episode has begun"
        return self._form.play(self._task, self._carried)

    def _drawn_now(self) -> dict:
        """The levels of this episode, where the task draws any anew for each, for `info`."""
        if not any(map(is_drawn, self._task.variations)):
            return {}
        clocks = self._play().world.clocks
        pairs = zip(self._task.variations, clocks)
        return {"drawn": {v.name: np.asarray(level).item() for v, level in pairs if is_drawn(v)}}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        """One step; `info` holds the score, the action that was executed and the ground truth."""
        self._require_live()
        chosen = action_of(self._our_actions, action, self._takes_beyond)
        (row, large), self._carried = advance(self._leaves, self._carried, chosen, form=self._form)
        row = np.asarray(row)
        reward, _, _, score = row[:4].view(np.float32).tolist()
        terminated, truncated = bool(row[1]), bool(row[2])
        acted = words_of(self._our_actions)
        executed = (
            one_value(row[4 : 4 + acted], self._our_actions)
            if acted
            else as_outside(large[0], self._our_actions)
        )
        observation, watched = self._read_observation(row[4 + acted :], large)
        self._truth.step(watched, score)
        self._live = not (terminated or truncated)
        info = {"score": score, "executed": executed, **self._drawn, **self._truth.of_lane(0)}
        return observation, reward, terminated, truncated, info

    def _read_observation(self, row: np.ndarray, large: tuple) -> tuple[Any, np.ndarray]:
        """The observation, and the words that the truth watches, (words, 1)."""
        size = words_of(self._our_observations)
        observation = (
            one_value(row[:size], self._our_observations)
            if size
            else as_outside(large[-1], self._our_observations)
        )
        return observation, row[size:, None]

    def render(self) -> np.ndarray | None:
        """The picture of the current state, (height, width, 3) uint8, whatever the observation is."""
        if self.render_mode is None:
            return None
        if self._carried is None:
            raise out_of_turn_error(first=True)
        return np.asarray(self._picture_of(self._play().world)).swapaxes(0, 1)

    def _picture_of(self, world: World) -> Any:
        draw, settings = load(self._resolved.entry.render), self._resolved.settings
        _, params = loop.vary_component(self._task, world, "observation")
        return draw(settings, params, *loop.in_sight(world))

    def facts(self) -> dict:
        """What the task's generated tables are."""
        return self._truth.facts()

    def save(self) -> Snapshot:
        """This moment exactly: the world, the seed, the episode and the history that `info` shows."""
        if self._carried is None or self._seed is None:
            raise out_of_turn_error(first=True)
        return Snapshot(
            self.task, self._seed, self._noise_seed, self._episode, self._live, self._carried,
            self._truth.save(),
        )  # fmt: skip

    def restore(self, snapshot: Snapshot | Mapping[str, Any]) -> None:
        """Goes to a moment that `save` gave, of this env or of another one of the same task.

        It also takes the `info` of a reset or a step, and goes to the state in it, in the current episode.
        """
        if isinstance(snapshot, Mapping):
            return self._recall(snapshot)
        if not isinstance(snapshot, Snapshot) or snapshot.task != self.task:
            value = f"that of {snapshot.task}" if isinstance(snapshot, Snapshot) else show_value(snapshot)
            raise NotApplicable(f"restore takes what save() of {self.task} gave, not {value}.")
        self._seed, self._episode, self._live = snapshot.seed, snapshot.episode, snapshot.live
        self._noise_seed, self._carried = snapshot.noise_seed, snapshot.carried
        self._set_apart(snapshot.noise_seed is not None)
        self._drawn = self._drawn_now()
        self._truth.restore(snapshot.truth)

    def _recall(self, info: Mapping[str, Any]) -> None:
        if self._carried is None:
            raise out_of_turn_error(first=True)
        missing = sorted(self._truth.needs() - set(info))
        if missing:
            raise NotApplicable(
                f"this info has no {missing[0]}, which restore needs; use save() and its snapshot."
            )
        play = self._play()
        state = jax.tree.map(jnp.asarray, self._truth.state_of(info))
        time, waiting = jnp.int32(info["t"]), self._truth.waiting_in(info)
        memory = tuple(
            recall(v, kept, waiting, time) for v, kept in zip(self._task.variations, play.world.memory)
        )
        self._carried = pack(replace(play, world=replace(play.world, state=state, memory=memory, time=time)))
        self._truth.recall(info, np.asarray(pack(self._truth.watch(state))[0])[:, None])
        self._live = True


def recall(acts: Any, memory: tuple, waiting_by_name: Mapping[str, Any], time: jax.Array) -> tuple:
    """The memory of a variation at this step, as far as an info holds it: what waits in a delay line."""
    held = jax.tree.leaves(memory)
    if isinstance(acts.clock, Random) or is_drawn(acts) or (held and acts.name not in waiting_by_name):
        raise NotApplicable(f"an info does not hold the memory of {acts.name}; use save() and its snapshot.")
    if not held:
        return memory
    ring, waiting = jnp.zeros_like(memory[0]), jnp.asarray(waiting_by_name[acts.name], jnp.float32)
    # Entry number i of a ring lies in slot i modulo its size; the newest is number time - 1.
    slots = (time - len(waiting) + jnp.arange(len(waiting))) % len(ring)
    ring = ring.at[slots].set(waiting)
    return (ring, time, waiting.sum()) if len(memory) == 3 else (ring, time)
