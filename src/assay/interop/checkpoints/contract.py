"""What every reader of checkpoints gives: a policy for an env, and a refusal of tasks it was not made for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import gymnasium

from assay.core.space import Opaque, Space
from assay.interop.policy import Policy
from assay.interop.spaces import outside

Build = Callable[[gymnasium.Env], Policy]


class Interface(NamedTuple):
    """What a task shows an agent and takes from it."""

    task: str
    observation: gymnasium.Space
    action: gymnasium.Space


class Checkpoint(NamedTuple):
    """A checkpoint that was read.

    `require_fit` refuses a task of another game, with other actions or other observations. A plan asks it
    before any work; the policy in an env asks it again, since a varied task may differ from the plain one.
    """

    build: Build
    require_fit: Callable[[Interface], None]
    digest: str  # of the very bytes that were read: the file may be another one by now


def interface_of(env: gymnasium.Env) -> Interface:
    return Interface(str(getattr(env, "task", env)), env.observation_space, env.action_space)


def planned_interface(task: str, observation: Space, action: Space) -> Interface | None:
    """The interface of a task that was not built; None where only its host knows its spaces."""
    if isinstance(observation, Opaque) or isinstance(action, Opaque):
        return None
    return Interface(task, outside(observation), outside(action))
