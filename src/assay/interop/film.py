"""The pictures of one episode of a task, one for every step, under given actions.

A picture is the agent's observation. A host whose observations are numbers is rendered instead, and one whose
family says how its observations are drawn is drawn that way.
A native episode is one compiled scan over the streams of `make`, so the pictures are its observations; where
filters compute in floats, one byte in a million may be off by one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium
import numpy as np

from assay.catalogue import family_of, load
from assay.core.family import Drawing
from assay.core.space import Box
from assay.errors import NotApplicable
from assay.interop.gymnasium import TaskEnv, make
from assay.task_text import TaskText
from assay.tasks import Resolved, resolve


class Film(NamedTuple):
    """Pictures (moments, height, width, 3) uint8, the reset's first; `ends` if the episode ended."""

    pictures: np.ndarray
    ends: bool
    says: str = ""  # what they show, where they are not just the observation or the screen

    def at(self, step: int) -> np.ndarray:
        """The picture after `step` steps; the last one if the episode ended before."""
        return self.pictures[min(step, self.last)]

    @property
    def last(self) -> int:
        return len(self.pictures) - 1


def film(text: str | TaskText, seed: int, actions: Any) -> Film:
    """Episode 0 of a seed, until it ends or the actions do."""
    resolved = resolve(text)
    require_pictures(resolved)
    return (
        native_film(resolved, seed, actions)
        if resolved.entry.native
        else hosted_film(resolved, seed, actions)
    )


def action_space(text: str | TaskText) -> gymnasium.Space:
    env = make(text)
    env.close()
    return env.action_space


def has_pictures(resolved: Resolved) -> bool:
    """Whether the observations of a task are pictures."""
    if not resolved.entry.native:
        return is_picture(make(resolved.text).observation_space)
    from assay.native import build_native  # brings jax, which hosted tasks do without

    return is_picture(build_native(resolved).spaces["observation"])


def is_picture(space: Any) -> bool:
    """Whether values of a space, ours or Gymnasium's, can be shown: rows, columns, channels."""
    boxed = isinstance(space, (Box, gymnasium.spaces.Box))
    return boxed and np.dtype(space.dtype) == np.uint8 and len(space.shape) == 3


def require_pictures(resolved: Resolved) -> None:
    """Refuses a native task whose observations are numbers; a host may still be rendered."""
    if resolved.entry.native and not has_pictures(resolved):
        way = way_to_pictures(resolved)
        raise NotApplicable(f"{resolved.text} has no pictures{f'; {way}' if way else ''}.")


def way_to_pictures(resolved: Resolved) -> str:
    """Advice on how to make a task's observations pictures, or ""."""
    for axis in resolved.entry.axes:
        if axis.name == "observation" and "pixels" in axis.choices:
            return "set observation=pixels"
    return f"add {resolved.entry.pictures}" if resolved.entry.pictures else ""


def to_pictures(resolved: Resolved, pictures: np.ndarray) -> np.ndarray:
    """Observations (moments, ...) as pictures (moments, rows, columns, 3); of a stack the last frame."""
    pictures = pictures[..., -3:] if pictures.shape[-1] % 3 == 0 else pictures[..., -1:]
    if family_of(resolved.text.env).picture_axes == "xy":
        pictures = pictures.swapaxes(1, 2)
    return np.broadcast_to(pictures, (*pictures.shape[:3], 3))


def native_film(resolved: Resolved, seed: int, actions: Any) -> Film:
    from assay.interop.native_film import play_film  # brings jax, which hosted tasks do without

    pictures, over = play_film(resolved, seed, actions)
    last = int(np.argmax(over)) if over.any() else len(over) - 1
    return Film(to_pictures(resolved, pictures[: last + 1]), bool(over.any()))


def hosted_film(resolved: Resolved, seed: int, actions: Any) -> Film:
    drawing = drawing_of(resolved)
    env, draws = host_of(resolved)

    def picture_of(observation: Any) -> Any:
        if drawing:
            return drawing.draw(observation, env.render)
        return env.render() if draws else observation

    try:
        observation, over = env.reset(seed=seed)[0], False
        pictures = [picture_of(observation)]
        for action in actions:
            observation, _, terminated, truncated, _ = env.step(action)
            pictures.append(picture_of(observation))
            over = terminated or truncated
            if over:
                break
    except gymnasium.error.DependencyNotInstalled as error:
        raise NotApplicable(f"{resolved.text.env} cannot be drawn: {error}.") from None
    finally:
        env.close()
    return Film(to_pictures(resolved, np.stack(pictures)), over, drawing.says if drawing else "")


def drawing_of(resolved: Resolved) -> Drawing | None:
    """How the observations of a hosted task are drawn, where its family says so."""
    entry = resolved.entry
    if not entry.drawing:
        return None
    drawing: Drawing | None = load(entry.drawing)(resolved.text.env, resolved.structure)
    return drawing


def host_of(resolved: Resolved) -> tuple[TaskEnv, bool]:
    """The env, and whether its pictures are rendered because its observations are none."""
    env = make(resolved.text)
    if is_picture(env.observation_space):
        return env, False
    env.close()
    try:
        return make(resolved.text, render_mode="rgb_array"), True
    except gymnasium.error.DependencyNotInstalled as error:
        raise NotApplicable(f"{resolved.text.env} cannot be drawn: {error}.") from None
