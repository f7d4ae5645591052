"""A task as a Gymnasium vector env: `make_vec(text, num_envs)`. No jax here; native tasks load it.

Lane i seeded s plays exactly what `make` seeded s + i plays, in each of Gymnasium's three modes of autoreset.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from assay.core.axis import show_value
from assay.core.events import EVENTS, EventReport
from assay.core.space import Opaque
from assay.errors import AssayError, NotApplicable
from assay.interop.checks import (
    NOISE_SEED,
    OutOfTurn,
    actions_of,
    draw_seed,
    noise_seed_of,
    refuse_options,
    seed_of,
)
from assay.interop.gymnasium import HostedEnv, ReportingHostedEnv
from assay.task_text import TaskText
from assay.tasks import Resolved, resolve

MASK = "reset_mask"  # an option of reset
MODES = {
    "next-step": AutoresetMode.NEXT_STEP,
    "same-step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


def make_vec(
    text: str | TaskText,
    num_envs: int,
    config: Mapping[str, Any] | None = None,
    autoreset: str = "next-step",
    workers: int | None = None,
    events: bool = False,
) -> gymnasium.vector.VectorEnv:
    """Lanes of a task; `autoreset` is next-step, same-step or disabled, as Gymnasium defines them.

    `workers` is for games on the emulator: the processes that play the lanes, by default one per core; 0
    plays them in this process. With `events` infos have an entry "events": what variations did, by name of
    the axis, one value per lane.
    """
    if isinstance(num_envs, bool) or not isinstance(num_envs, (int, np.integer)) or num_envs < 1:
        raise AssayError(f"num_envs is a whole number from 1 up, not {show_value(num_envs)}.")
    if autoreset not in MODES:
        raise AssayError(f"autoreset is one of {', '.join(MODES)}, not {show_value(autoreset)}.")
    resolved = resolve(text, config)
    if resolved.entry.workers:
        from assay.interop.worker_vector import WorkerVectorEnv

        processes = workers_of(workers, int(num_envs))
        return WorkerVectorEnv(resolved, int(num_envs), MODES[autoreset], processes, events)
    if workers is not None:
        raise NotApplicable(
            f"workers is for games on the emulator; {resolved.text.env} is played in this process."
        )
    if not resolved.entry.native:
        kind = ReportingHostedVectorEnv if events else HostedVectorEnv
        return kind(resolved, int(num_envs), MODES[autoreset])
    from assay.interop import native_vector as native  # brings jax, which hosted tasks do without

    lanes = native.ReportingNativeVectorEnv if events else native.NativeVectorEnv
    return lanes(resolved, int(num_envs), MODES[autoreset])


def workers_of(workers: Any, lanes: int) -> int:
    """The number of processes: as asked, or one per core, never more than lanes."""
    if workers is None:
        return min(lanes, len(os.sched_getaffinity(0)))
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 0:
        raise AssayError(f"workers is a whole number from 0 up, not {show_value(workers)}.")
    return min(int(workers), lanes)


def make_vec_registered(
    num_envs: int,
    task: str = "",
    config: Mapping[str, Any] | None = None,
    autoreset: str = "next-step",
    workers: int | None = None,
    events: bool = False,
) -> gymnasium.vector.VectorEnv:
    """What `gymnasium.make_vec("assay/Task-v0", task=..., num_envs=...)` calls."""
    if not task:
        raise AssayError("assay/Task-v0 needs the text of a task; write for example task='toy/discrete'.")
    return make_vec(task, num_envs, config, autoreset, workers, events)


class HostedVectorEnv(SyncVectorEnv):
    """Hosted lanes one after the other in this process; Gymnasium's own loop, with our checks before it."""

    lane: ClassVar[type[HostedEnv]] = HostedEnv

    def __init__(self, resolved: Resolved, lanes: int, mode: AutoresetMode):
        super().__init__([partial(self.lane, resolved)] * lanes, autoreset_mode=mode)
        self.task = str(resolved.text)
        self._begun = False

    def reset(self, *, seed: Any = None, options: dict | None = None) -> tuple[Any, dict]:
        """All lanes, or those of options["reset_mask"]; lane i gets seed + i, or the i-th of a list."""
        mask = reset_mask(options, self.num_envs, self.autoreset_mode, self._begun)
        seeds = lane_seeds(seed, self.num_envs, self._begun)
        noises = lane_noises(options, seed, self.num_envs)
        for env, noise in zip(self.envs, noises):
            assert isinstance(env, HostedEnv), "every lane is one"
            env.noise_ahead = noise  # Gymnasium's loop gives all lanes the same options
        self._begun = True
        return super().reset(seed=seeds, options=None if mask is None else {"reset_mask": mask})

    def step(self, actions: Any) -> tuple:
        """One step of every lane."""
        if self.autoreset_mode == AutoresetMode.DISABLED:
            refuse_ended(self._autoreset_envs)
        first: Any = self.envs[0]
        space = first.inner.spaces["action"]
        if not isinstance(space, Opaque):
            actions_of(space, actions, self.num_envs)  # before any lane acts, so that none gets ahead
        return super().step(actions)


class ReportingHostedVectorEnv(HostedVectorEnv):
    """Hosted lanes whose infos report what variations did in the step."""

    lane: ClassVar[type[HostedEnv]] = ReportingHostedEnv

    def step(self, actions: Any) -> tuple:
        over = self._autoreset_envs.copy()
        observation, reward, terminated, truncated, info = super().step(actions)
        for each in (info, info.get("final_info", {})):  # Gymnasium's own batches hold one record per lane
            for name in (EVENTS, f"_{EVENTS}"):
                each.pop(name, None)
        lanes = [env for env in self.envs if isinstance(env, ReportingHostedEnv)]  # all of them
        events = batch_reports([env.reported for env in lanes])
        add_events(info, events, self.autoreset_mode, over, terminated | truncated)
        return observation, reward, terminated, truncated, info


def batch_reports(lanes: list[dict[str, EventReport]]) -> dict[str, EventReport]:
    """The reports of several lanes as one record of arrays for each axis."""
    return {name: stack_reports([lane[name] for lane in lanes]) for name in lanes[0]}


def stack_reports(reports: list[EventReport]) -> EventReport:
    opportunity, event, detail = zip(*reports)
    return EventReport(
        np.array(opportunity), np.array(event), None if detail[0] is None else np.stack(detail)
    )


def with_masks(info: dict, which: np.ndarray) -> dict:
    """An info as Gymnasium batches it: beside each entry `name`, as `_name`, which lanes have it."""
    return {**info, **{f"_{name}": which.copy() for name in info}}


def add_events(
    info: dict, events: dict[str, EventReport], mode: AutoresetMode, was_over: np.ndarray, ended: np.ndarray
) -> None:
    """Adds the reports of all lanes to a vector env's info, beside its scores and executed actions.

    A lane that began anew instead of making a step has nothing to report. Under same-step the report on a
    lane's last step is in `final_info`.
    """
    began = ended if mode is AutoresetMode.SAME_STEP else was_over
    info |= with_masks({EVENTS: events}, ~began)
    if "final_info" in info:
        info["final_info"] |= with_masks({EVENTS: events}, began)


def lane_seeds(seed: Any, lanes: int, begun: bool) -> list[int | None]:
    """A seed per lane; None goes on with the lane's next episode."""
    if seed is None:
        seed = [None] * lanes if begun else draw_seed(lanes)
    if isinstance(seed, (list, tuple, np.ndarray)) and np.ndim(seed):
        if len(seed) != lanes:
            raise AssayError(f"a list of seeds holds one for each of the {lanes} lanes, not {len(seed)}.")
        seeds = [None if each is None else seed_of(each) for each in seed]
        return seeds if begun else [draw_seed() if each is None else each for each in seeds]
    first = seed_of(seed)
    return [seed_of(first + lane) for lane in range(lanes)]


def lane_noises(options: Mapping[str, Any] | None, seed: Any, lanes: int) -> list[int | None]:
    """A noise seed per lane, n + i or the i-th of a list; None where the lane's own seed is the noise's."""
    noise = noise_seed_of(options, seeded=seed is not None)
    return [None] * lanes if noise is None else lane_seeds(noise, lanes, begun=True)


def reset_mask(options: Any, lanes: int, mode: AutoresetMode, begun: bool) -> np.ndarray | None:
    """The lanes that a reset is for, (lanes,) bool, or None for all."""
    refuse_options(options, known=(MASK, NOISE_SEED))
    if not options or MASK not in options:
        return None
    if mode is not AutoresetMode.DISABLED:
        raise NotApplicable("reset_mask is for autoreset='disabled'; here lanes begin anew by themselves.")
    mask = np.asarray(options[MASK])
    if mask.shape != (lanes,) or mask.dtype != bool or not mask.any():
        value = show_value(mask.tolist())
        raise NotApplicable(f"reset_mask is {lanes} booleans, at least one of them true, not {value}.")
    if not begun:
        raise OutOfTurn("no episode has begun yet; call reset() for all lanes before a reset_mask.")
    return mask


def refuse_ended(over: np.ndarray) -> None:
    if over.any():
        lane = int(np.flatnonzero(over)[0])
        raise OutOfTurn(f"lane {lane} has ended; reset it with options={{'reset_mask': mask}} before step().")
