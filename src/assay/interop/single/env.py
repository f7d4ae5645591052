"""A native task as a Gymnasium env that steps in plain Python once it has been played for a while.

Bits are those of the compiled env, so the change is not seen. Where a task's program has what plain Python
is not taught, or the trial shows any difference, the compiled step stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from typing import Any

import jax
import numpy as np

from assay.core.keys import episode_key, root, seed_words
from assay.core.space import Box, Discrete, Space
from assay.interop.checks import action_of
from assay.interop.native_env import Form, NativeEnv, Play, Snapshot
from assay.interop.packing import pack
from assay.interop.single.flat import Unsupported
from assay.interop.single.pictures import Pictures
from assay.interop.single.plan import MOST_STEPS, Plan
from assay.interop.single.source import Undecided
from assay.interop.single.trial import settle
from assay.interop.single.truths import lane_of
from assay.tasks import Resolved

WARM = 256  # steps of a task in this process before its plan is made: short play is not worth the seconds
NUMBERS = 4096  # values of a space up to which they are made once
WHOLE = (int, np.int64)

Key = tuple[Form, bytes]
played: dict[Key, int] = {}  # compiled steps of each task
plans: dict[Key, Plan | None] = {}  # None: its steps stay compiled


class SingleEnv(NativeEnv):
    """A native task behind Gymnasium's methods, in plain Python where that gives the same bits."""

    def __init__(self, resolved: Resolved, render_mode: str | None = None):
        self._plain = False  # whether `_state` is the present moment, and not what compiled steps carry
        self._compiled: tuple | None = None
        # Whether the episode has gone on from its reset: who goes back to moments goes back often, and to
        # change over each time would cost more than compiled steps.
        self._steady = True
        self._plan: Plan | None = None
        super().__init__(resolved, render_mode)
        self._levels = digest_of(self._leaves)
        self._lane = lane_of(self._truth)
        self._observe, self._execute = giver(self._our_observations), giver(self._our_actions)
        actions = self._our_actions
        self._is_number = isinstance(actions, Discrete) and not actions.shape
        self._known = known_numbers(actions)

    # What compiled steps carry, as the methods of NativeEnv read and write it.

    @property
    def _carried(self) -> tuple | None:
        return self._pack() if self._plain else self._compiled

    @_carried.setter
    def _carried(self, carried: tuple | None) -> None:
        self._compiled, self._plain = carried, False

    def _pack(self) -> tuple:
        assert self._plan is not None and self._seed is not None, "it steps in plain Python"
        noise = None if self._noise_seed is None else seed_words(self._noise_seed)
        world = self._plan.world_of(self._state)
        return pack_play(seed_words(self._seed), np.int32(self._episode), noise, world)

    # Finding the plan

    def _find_plan(self) -> Plan | None:
        """The plan of this task, made when the task has been played for a while; None before and without."""
        key = self._form, self._levels
        if key not in plans:
            if played.get(key, 0) < WARM:
                return None
            plans[key] = make_plan(self._task, self._form)
        return plans[key]

    def _take(self, plan: Plan) -> None:
        """Uses a plan from now on, at the present seed and episode."""
        if plan is not self._plan:
            self._plan = plan
            self._resets, self._steps = plan.draws()
            self._pictures = None if plan.parts.observed else Pictures(plan, self._form)
            self._seeded: tuple | None = None
        assert self._seed is not None, "an episode begins or goes on"
        if self._seeded != (self._seed, self._noise_seed):
            self._seeded = self._seed, self._noise_seed
            for each in (self._resets, self._steps, self._pictures):
                if each is not None:
                    each.seed(self._seed, self._noise_seed)

    def _go_plain(self) -> None:
        """Goes on in plain Python from the present moment, if there is a plan for it."""
        plan = self._find_plan()
        if plan is None:
            return
        world = self._play().world
        state = plan.state_of(plan.numbers_in(world))
        if state is None or not plan.counts_on(state):
            return
        self._take(plan)
        self._state, self._time, self._plain = state, int(world.time), True
        self._steps.begin(self._episode)
        if self._pictures is not None:
            self._pictures.begin(self._episode)
        self._step_plain, self._draw = plan.step, self._steps.drawer()
        self._lane.read()

    # Playing

    def _begin(self, seed: int, episode: int, anew: bool) -> tuple[Any, dict]:
        apart = self._noise_seed is not None
        if anew and apart != self._form.apart:
            self._set_apart(apart)
        plan, self._steady = self._find_plan(), True
        state = self._state_before(plan, anew) if plan is not None else None
        if plan is None or state is None:
            return super()._begin(seed, episode, anew)
        self._take(plan)
        self._resets.begin(episode)
        length = self._time if self._plain else 0
        self._steps.begin(episode, length)
        seen, watched, self._state = plan.reset(state, self._resets.at(0))
        self._time, self._plain = 0, True
        self._step_plain, self._draw = plan.step, self._steps.drawer()
        if self._pictures is not None:
            self._pictures.begin(episode, length)
            observation = self._pictures.of(self._state, 0)
        else:
            observation = self._observe(seen)
        truth = self._lane.begin(watched)
        self._drawn = self._drawn_now()
        return observation, {**self._drawn, **truth}

    def _state_before(self, plan: Plan, anew: bool) -> tuple | None:
        """The state that the next reset begins from; None where the plan is not made for it."""
        if anew:
            return plan.state_of(plan.blank())
        if not self._plain:
            state = plan.state_of(plan.numbers_in(self._play().world))
        else:
            state = self._state
        return state if state is not None and plan.counts_on(state) else None

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        """One step; `info` holds the score, the action that was executed and the ground truth."""
        if not self._plain or not self._live or self._time >= MOST_STEPS:
            return self._step_compiled(action)
        if type(action) in WHOLE and action in self._known:
            sent: Any = int(action)
        else:
            chosen: Any = action_of(self._our_actions, action, self._takes_beyond)
            sent = int(chosen) if self._is_number else tuple(chosen.reshape(-1).tolist())
        time = self._time + 1
        try:
            reward, terminated, truncated, score, executed, seen, watched, state = self._step_plain(
                self._state, self._draw(time) if self._draw else (), sent
            )
        except Undecided:
            assert self._plan is not None, "it steps in plain Python"
            outcome = self._plan.step_anyhow(self._state, self._draw(time) if self._draw else (), sent)
            if outcome is None:
                return self._step_compiled(action)
            reward, terminated, truncated, score, executed, seen, watched, state = outcome
        self._state, self._time = state, time
        if terminated or truncated:
            self._live = False
        if self._pictures is not None:
            observation = self._pictures.of(state, time, (terminated, truncated))
        else:
            observation = self._observe(seen)
        info = {
            "score": score, "executed": self._execute(executed), **self._drawn,
            **self._lane.step(watched, score),
        }  # fmt: skip
        return observation, reward, terminated, truncated, info

    def _step_compiled(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        if self._plain:
            self._lane.write_back()
            self._carried = self._carried
        outcome = super().step(action)
        key = self._form, self._levels
        played[key] = played.get(key, 0) + 1
        if self._live and self._steady:
            self._go_plain()
        return outcome

    def save(self) -> Snapshot:
        if self._plain:
            self._lane.write_back()
        return super().save()

    def restore(self, snapshot: Snapshot | Mapping[str, Any]) -> None:
        if self._plain:
            self._lane.write_back()
        self._steady = False
        super().restore(snapshot)


@jax.jit
def pack_play(words: Any, episode: Any, noise: Any, world: Any) -> tuple:
    """What compiled steps carry."""
    key = jax.random.key_data(episode_key(root(words), episode))
    return pack(Play(words, episode, noise, key, world))


def digest_of(leaves: list) -> bytes:
    """A digest of a task's levels and tables."""
    digest = blake2b(digest_size=16)
    for leaf in map(np.asarray, leaves):
        digest.update(f"{leaf.shape} {leaf.dtype}".encode() + leaf.tobytes())
    return digest.digest()


def make_plan(task: Any, form: Form) -> Plan | None:
    """A plan that has given what the compiled step gives; None where there is none."""
    try:
        plan = Plan(task, form)
    except Unsupported:
        return None
    return plan if settle(plan, task, form) else None


def giver(space: Space) -> Callable[[Any], Any]:
    """A function from a number, or a tuple of them, to a value as Gymnasium has it."""
    if isinstance(space, Box):
        shape, dtype = space.shape, np.dtype(space.dtype)
        return partial(np.array, dtype=dtype) if len(shape) == 1 else partial(shaped, shape, dtype)
    assert isinstance(space, Discrete), "native spaces are of numbers"
    if isinstance(space.n, tuple):
        return partial(np.array, dtype=np.int64)
    if space.n > NUMBERS:
        return np.int64
    return {n: np.int64(n) for n in known_numbers(space)}.__getitem__


def shaped(shape: tuple[int, ...], dtype: np.dtype, numbers: Any) -> np.ndarray:
    return np.array(numbers, dtype).reshape(shape)


def known_numbers(space: Space) -> set[int]:
    """The values of a space of single whole numbers; of others, and of large ones, none."""
    if not isinstance(space, Discrete) or isinstance(space.n, tuple) or space.n > NUMBERS:
        return set()
    return set(range(space.start, space.start + space.n))
