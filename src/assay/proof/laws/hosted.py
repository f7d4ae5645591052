"""The laws of hosted tasks, as measurements. The same idea as `laws.py`, over a stateful env.

The varied task is played, and the actions that reached its host are replayed on a plain one under the same
seed. What differs then was touched: nothing else may, for the plain host saw the same actions.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from assay.core.axis import COMPONENTS
from assay.core.events import EVENTS
from assay.core.host import HostedTask
from assay.core.streams import generator

SCRIPTS = ("random", "bursts", "hold")
LASTING = len(SCRIPTS)  # the script of an env for which a policy that lives long is known
BURST = 8
MARKS = (
    *COMPONENTS,
    "score",
    "info",
    "start",
)  # a start is marked where it is still felt after the first step


class HostTrace(NamedTuple):
    touched: dict[str, int]  # each of MARKS -> steps on which it was touched
    steps: int
    latent_read: bool
    terminated: bool  # whether any episode ended by itself
    digest: str  # of everything the agent met and did
    met: str  # of what it met alone: observations, rewards and ends


def differ(a: Any, b: Any) -> bool:
    """Whether two values differ in any bit; dicts and tuples of a host's space part by part."""
    if isinstance(a, dict):
        return any(differ(a[name], b[name]) for name in a)
    if isinstance(a, tuple):
        return any(differ(x, y) for x, y in zip(a, b))
    if type(a) is type(b) is bool or type(a) is type(b) is int:
        return bool(a != b)
    one, other = np.asarray(a), np.asarray(b)
    return one.shape != other.shape or one.dtype != other.dtype or one.tobytes() != other.tobytes()


def same_info(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two infos are equal in all that they tell but events."""
    names = set(a) - {EVENTS}
    return names == set(b) - {EVENTS} and not any(differ(a[name], b[name]) for name in names)


def follow(
    plain: HostedTask, varied: HostedTask, seed: int, script: int, steps: int, lasting: Any = None
) -> HostTrace:
    """`steps` steps of the varied task by a script, episode after episode, each judged by the plain host.

    `lasting` is a policy, of what the plain task shows, that plays long episodes.
    """
    touched = dict.fromkeys(MARKS, 0)
    digest, met, rng = (
        hashlib.blake2b(digest_size=16),
        hashlib.blake2b(digest_size=16),
        generator(seed, script),
    )
    chosen, episode, fresh, latent_read = plain.host.sample(generator("held")), 0, True, True
    terminated = apart = False
    for step in range(steps):
        marks = set()
        if fresh:
            (seen, info), (expected, plain_info) = varied.reset(seed, episode), plain.reset(seed, episode)
            apart = differ(latent_of(varied), latent_of(plain))
            marks |= {"initial"} if apart else set()
            marks |= {"observation"} if differ(seen, expected) else set()
            marks |= set() if apart or same_info(info, plain_info) else {"info"}
            episode += 1
        if script == LASTING:
            chosen = lasting(expected)
        elif script == 0 or (script == 1 and step % BURST == 0):
            chosen = plain.host.sample(rng)
        expected_action, sent = plain.act(chosen), varied.act(chosen)
        out, judged = varied.execute(sent), plain.execute(sent)
        hidden = latent_of(varied)
        latent_read &= hidden.size > 0
        terminated |= out.terminated
        pairs = {
            "action": (expected_action, sent),
            "transition": (hidden, latent_of(plain)),
            "terminal": (out[2:4], judged[2:4]),
            "score": (out.score, judged.score),
            "reward": (out.reward, judged.reward),
            "observation": (out.observation, judged.observation),
        }
        after = {name for name, pair in pairs.items() if differ(*pair)}
        if "initial" in marks and after & {"transition", "observation"}:
            marks.add("start")
        marks |= after
        apart |= "transition" in marks  # what an info tells of another state is no fault of its own
        marks |= set() if apart or same_info(out.info, judged.info) else {"info"}
        expected = judged.observation
        for name in marks:
            touched[name] += 1
        for part in (out.observation, out.reward, out[2:4]):
            met.update(as_bytes(part))
        digest.update(met.digest() + as_bytes(out.executed))
        fresh = out.terminated or out.truncated or judged.terminated or judged.truncated
    return HostTrace(touched, steps, latent_read, terminated, digest.hexdigest(), met.hexdigest())


def as_bytes(value: Any) -> bytes:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return b"".join(map(as_bytes, parts)) if parts else np.asarray(value).tobytes()


def latent_of(task: HostedTask) -> np.ndarray:
    """The hidden state; empty where it cannot be read."""
    hidden = task.host.latent()
    return np.zeros(0) if hidden is None else hidden
