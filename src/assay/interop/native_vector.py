"""A native task as a Gymnasium vector env: one compiled call and one read per step for the whole batch.

Each mode of autoreset is one program. Their branches are taken only when some lane ended; never vmap them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from assay.core import step as loop
from assay.core.clock import is_drawn
from assay.core.env import Step, Task
from assay.core.events import EventReport
from assay.core.keys import Key, Keys, episode_key, root, seed_words, step_key
from assay.core.reports import reports
from assay.core.space import require_numbers
from assay.interop.checks import actions_of, out_of_turn_error, takes_beyond
from assay.interop.native_env import Form, Play, any_play, form_of, truth_of
from assay.interop.packing import Reader, pack
from assay.interop.spaces import outside
from assay.interop.vector import (
    add_events,
    lane_noises,
    lane_seeds,
    refuse_ended,
    reset_mask,
    with_masks,
)
from assay.native import build_native
from assay.tasks import Resolved

every = partial(loop.for_every_lane, 1)
pack_lanes = jax.vmap(pack, out_axes=(1, 0))  # (words, lanes): the words of one value lie together


@partial(jax.jit, static_argnames="form")
def begin(leaves: list, plays: Play, which: jax.Array, form: Form) -> tuple:
    """The next episode in the lanes of `which`; episode 0 begins a new life. Returns values of all lanes."""
    task = form.task(leaves)
    plays = begin_next(plays, which)
    new_life = which & (plays.episode == 0)
    life, clocks = jax.tree.map(
        lambda now: loop.pick(new_life, jnp.zeros_like(now), now), (plays.world.life, plays.world.clocks)
    )
    keys = step_keys(plays, 0)
    worlds = loop.renew_lanes(task, keys, replace(plays.world, life=life, clocks=clocks), which)
    observations, looked = every(loop.look)(task, keys, worlds)
    plays = replace(plays, world=jax.tree.map(partial(loop.pick, which), looked, worlds))
    return pack_lanes((observations, *form.watch(plays.world.state))), plays


@partial(jax.jit, static_argnames="form")
def next_step(leaves: list, plays: Play, over: jax.Array, chosen: jax.Array, form: Form) -> tuple:
    """A step of the lanes that are not over; those that are begin the next episode in place of it."""
    task = form.task(leaves)
    out = every(loop.advance)(task, step_keys(plays, plays.world.time + 1), plays.world, chosen)
    out = out._replace(terminated=out.terminated & ~over, truncated=out.truncated & ~over)

    def renew() -> Play:
        begun = begin_next(plays, over)
        held = jax.tree.map(partial(loop.pick, over), plays.world, out.state)
        return replace(begun, world=loop.renew_lanes(task, step_keys(begun, 0), held, over))

    plays = jax.lax.cond(over.any(), renew, lambda: replace(plays, world=out.state))
    # The world's time is the number of the step it was reached by, 0 in lanes that began anew.
    keys = step_keys(plays, plays.world.time)
    seen, worlds = every(loop.look)(task, keys, plays.world, (out.terminated, out.truncated))
    outputs = *step_outputs(out), seen, *form.watch(worlds.state)
    return pack_lanes(outputs), replace(plays, world=worlds)


@partial(jax.jit, static_argnames="form")
def same_step(leaves: list, plays: Play, over: jax.Array, chosen: jax.Array, form: Form) -> tuple:
    """A step; lanes that end begin the next episode at once, and their last observation is returned too."""
    task = form.task(leaves)
    begun = begin_next(plays, jnp.ones_like(over))
    keys, again = step_keys(plays, plays.world.time + 1), step_keys(begun, 0)
    seen, worlds, out, last = loop.autoreset(task, keys, again, plays.world, chosen)
    ends = out.terminated | out.truncated
    no_world: Any = None
    plays = jax.tree.map(
        partial(loop.pick, ends), replace(begun, world=no_world), replace(plays, world=no_world)
    )
    outputs = *step_outputs(out), seen, *form.watch(worlds.state), *form.watch(out.state.state), last
    return pack_lanes(outputs), replace(plays, world=worlds)


@partial(jax.jit, static_argnames="form")
def only_step(leaves: list, plays: Play, over: jax.Array, chosen: jax.Array, form: Form) -> tuple:
    """A step and nothing more."""
    task = form.task(leaves)
    out = every(loop.step)(task, step_keys(plays, plays.world.time + 1), plays.world, chosen)
    outputs = *step_outputs(out), out.observation, *form.watch(out.state.state)
    return pack_lanes(outputs), replace(plays, world=out.state)


@partial(jax.jit, static_argnames="form")
def report_events(leaves: list, plays: Play, chosen: jax.Array, form: Form) -> dict[str, EventReport]:
    """The reports of variations on the step that the other programs make of the same arguments, (lanes,)."""
    task = form.task(leaves)
    return every(reports)(task, step_keys(plays, plays.world.time + 1), plays.world, chosen)


def begin_next(plays: Play, which: jax.Array) -> Play:
    """The plays with the next episode's number and key in the lanes of `which`, and still the old worlds."""
    episode = plays.episode + which
    keys = jax.vmap(episode_key)(root(plays.seed), episode)
    return replace(plays, episode=episode, key=jax.random.key_data(keys))


def step_keys(plays: Play, step: Any) -> Key:
    """The keys of a step, the same for all lanes or one for each; both where noise has seeds of its own."""
    steps = jnp.broadcast_to(step, plays.episode.shape)
    keys = jax.vmap(step_key)(root(plays.key), steps)
    if plays.noise is None:
        return keys
    of_noise = jax.vmap(episode_key)(root(plays.noise), plays.episode)
    return Keys(keys, jax.vmap(step_key)(of_noise, steps))


def step_outputs(out: Step) -> tuple:
    return out.reward, out.terminated, out.truncated, out.score, out.executed


PROGRAMS = {
    AutoresetMode.NEXT_STEP: next_step,
    AutoresetMode.SAME_STEP: same_step,
    AutoresetMode.DISABLED: only_step,
}


class NativeVectorEnv(gymnasium.vector.VectorEnv):
    """Lanes of a native task behind Gymnasium's methods."""

    def __init__(self, resolved: Resolved, lanes: int, mode: AutoresetMode):
        self.task, self.num_envs, self.metadata = str(resolved.text), lanes, {"autoreset_mode": mode}
        self._mode, self._task = mode, build_native(resolved).task
        spaces = loop.spaces(self._task)
        self._our_actions, self._our_observations = require_numbers(spaces["action"]), spaces["observation"]
        self.single_action_space = outside(self._our_actions)
        self.single_observation_space = outside(self._our_observations)
        self.action_space = batch_space(self.single_action_space, lanes)
        self.observation_space = batch_space(self.single_observation_space, lanes)
        self._takes_beyond = takes_beyond(resolved)
        self._truth = truth_of(resolved, self._task.env.params, lanes)
        self._leaves, structure = jax.tree.flatten(self._task)
        self._form = form_of(structure, self._truth.watch)
        self._plays: Play | None = None
        self._over = np.zeros(lanes, bool)
        self._latest: Any = None  # observations; kept only where a mask may leave lanes alone

    def reset(self, *, seed: Any = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """All lanes, or those of options["reset_mask"]; lane i gets seed + i, or the i-th of a list."""
        mask = reset_mask(options, self.num_envs, self._mode, begun=self._plays is not None)
        seeds = lane_seeds(seed, self.num_envs, begun=self._plays is not None)
        noises = lane_noises(options, seed, self.num_envs)
        super().reset(seed=seeds[0])
        which = np.ones(self.num_envs, bool) if mask is None else mask
        plays = seed_plays(self._plays or blank(self._task, len(two_at_least(which))), seeds, noises, which)
        packed, self._plays = begin(self._leaves, plays, two_at_least(which), form=self._form)
        reader = Reader(packed, self.num_envs)
        observation, watched = reader.value(self._our_observations), reader.words(self._truth.watches)
        if mask is not None:
            observation[~mask] = self._latest[~mask]
        self._truth.begin(watched, np.flatnonzero(which))
        self._over = self._over & ~which
        self._keep(observation)
        return observation, with_masks(self._episode_info(), which)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        """One step of every lane; under next-step, lanes that ended begin anew in place of it."""
        if self._plays is None:
            raise out_of_turn_error(first=True)
        if self._mode is AutoresetMode.DISABLED:
            refuse_ended(self._over)
        chosen = actions_of(self._our_actions, actions, self.num_envs, self._takes_beyond)
        over, chosen = two_at_least(self._over), two_at_least(chosen)
        program = PROGRAMS[self._mode]
        packed, self._plays = program(self._leaves, self._plays, over, chosen, form=self._form)
        reader = Reader(packed, self.num_envs)
        reward, terminated = reader.floats(), reader.flags()
        truncated, score = reader.flags(), reader.floats()
        executed, observation = reader.value(self._our_actions), reader.value(self._our_observations)
        watched = reader.words(self._truth.watches)
        info: dict = {}
        if self._mode is AutoresetMode.SAME_STEP:
            began = terminated | truncated
            self._truth.step(reader.words(self._truth.watches), score)
            if began.any():
                final = {"score": score.copy(), "executed": executed.copy(), **self._truth.of_all()}
                final_obs = as_objects(reader.value(self._our_observations), began)
                info = with_masks({"final_obs": final_obs, "final_info": with_masks(final, began)}, began)
        else:
            began, self._over = self._over, terminated | truncated
            self._truth.step(watched, score)
            reward[began] = 0.0
        lanes = np.flatnonzero(began)
        if len(lanes):
            self._truth.begin(watched, lanes)
            score[lanes], executed[lanes] = 0, 0
        if len(lanes) < self.num_envs:
            info |= with_masks({"score": score, "executed": executed}, ~began)
        info |= with_masks(self._episode_info(), np.ones(self.num_envs, bool))
        self._keep(observation)
        return observation, reward, terminated, truncated, info

    def _episode_info(self) -> dict:
        """The ground truth, and the levels that the task draws anew for each episode, lane by lane."""
        assert self._plays is not None, "every lane has begun"
        pairs = zip(self._task.variations, self._plays.world.clocks)
        drawn = {v.name: np.asarray(level)[: self.num_envs] for v, level in pairs if is_drawn(v)}
        return {**({"drawn": drawn} if drawn else {}), **self._truth.of_all()}

    def _keep(self, observation: np.ndarray) -> None:
        if self._mode is AutoresetMode.DISABLED:
            self._latest = observation.copy()

    def facts(self) -> dict:
        """What the task's generated tables are."""
        return self._truth.facts()


class ReportingNativeVectorEnv(NativeVectorEnv):
    """Native lanes whose infos report what variations did in the step, by a second program."""

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        before, over = self._plays, self._over.copy()
        observation, reward, terminated, truncated, info = super().step(actions)
        chosen = two_at_least(actions_of(self._our_actions, actions, self.num_envs, self._takes_beyond))
        events = jax.device_get(report_events(self._leaves, before, chosen, form=self._form))
        events = jax.tree.map(lambda leaf: leaf[: self.num_envs], events)
        add_events(info, events, self._mode, over, terminated | truncated)
        return observation, reward, terminated, truncated, info


def blank(task: Task, lanes: int) -> Play:
    """The plays before the first reset."""
    shapes = jax.eval_shape(lambda: any_play(task))
    return jax.tree.map(lambda shape: np.zeros((lanes, *shape.shape), shape.dtype), shapes)


def seed_plays(plays: Play, seeds: list[int | None], noises: list[int | None], which: np.ndarray) -> Play:
    """The plays with new seeds where there are any, so that episode 0 comes next there.

    Once a lane has a noise seed, all have one. In a lane without one it is the lane's seed, which gives the
    same keys.
    """
    words, episode = np.array(plays.seed), np.array(plays.episode)
    noise = words.copy() if plays.noise is None else np.array(plays.noise)
    for lane in np.flatnonzero(which):
        seed, apart = seeds[lane], noises[lane]
        if seed is not None:
            words[lane], episode[lane] = seed_words(seed), -1
            noise[lane] = seed_words(seed if apart is None else apart)
    apart_at_all = plays.noise is not None or any(each is not None for each in noises)
    return replace(plays, seed=words, episode=episode, noise=noise if apart_at_all else None)


def two_at_least(per_lane: np.ndarray) -> np.ndarray:
    """A single lane gets a twin that is never read; `as_a_lane` says why."""
    return per_lane if len(per_lane) > 1 else np.repeat(per_lane, 2, axis=0)


def as_objects(values: np.ndarray, which: np.ndarray) -> np.ndarray:
    """The values of the lanes of `which` as objects, None in the others: Gymnasium's form of `final_obs`."""
    apart = np.full(len(which), None, object)
    for lane in np.flatnonzero(which):
        apart[lane] = values[lane]
    return apart
