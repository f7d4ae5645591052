"""Chance in the world of a Gymnasium env: steps that are made twice or not at all, and jumps back in time.

The wrapped host draws from its own generator as before; what happens here has a stream of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from assay.core.events import EventReport
from assay.core.host import Powers
from assay.core.streams import Renewable, digest_number
from assay.errors import NotApplicable

Outcome = tuple[Any, float, bool, bool, dict]
BACK = 10  # steps that a jump goes back, or to the start of the episode


class HostWithChance:
    """A host in whose world something happens with a chance at every step."""

    def __init__(self, host: Any, name: str, chances: Mapping[str, float]):
        self.inner, self.chances = host, dict(chances)
        self.env, self.limit, self.ends_itself = host.env, host.limit, host.ends_itself
        self.action_space, self.observation_space = host.action_space, host.observation_space
        self.spaces, self.fresh = host.spaces, False  # a skipped step shows the last observation again
        self.powers = Powers(watch_events=self.watch, reset_apart=self.reset)
        self._streams = {event: Renewable() for event in self.chances}
        self._save, self._restore = host.powers.save, host.powers.restore
        if "jump_back" in self.chances and (self._save is None or self._restore is None):
            raise NotApplicable(
                f"jump_back needs a host that can be saved, and {name} cannot; leave it out, or take an env "
                "of classic control, of toy text or of MuJoCo without irrelevant_dims."
            )
        self._past: deque[tuple[Any, Any]] = deque(maxlen=BACK + 1)
        self._seen: Any = None
        self._happened: dict[str, EventReport] = {}

    def reset(self, seed: int, noise: int | None = None) -> tuple[Any, dict]:
        for event, stream in self._streams.items():
            stream.renew(digest_number(seed if noise is None else noise, event))
        self._seen, info = self.inner.reset(seed)
        self._past.clear()
        self._remember()
        return self._seen, info

    def step(self, action: Any) -> Outcome:
        happens = {event: self._draw(event) for event in self.chances}
        could = dict.fromkeys(self.chances, True)
        if happens.get("step_skip"):
            outcome: Outcome = (self._seen, 0.0, False, False, {})
            could["step_repeat"] = False
        else:
            outcome = self.inner.step(action)
            could["step_repeat"] = not (outcome[2] or outcome[3])
            if happens.get("step_repeat") and could["step_repeat"]:
                outcome = self._once_more(action, outcome)
        self._seen = outcome[0]
        could["jump_back"] = not (outcome[2] or outcome[3])  # an episode that has ended stays ended
        if happens.get("jump_back") and could["jump_back"]:
            outcome = self._go_back(outcome)
        self._remember()
        self._happened = {
            event: EventReport(could[event], could[event] and came) for event, came in happens.items()
        }
        return outcome

    def _draw(self, event: str) -> bool:
        return bool(self._streams[event].rng.random() < self.chances[event])

    def _once_more(self, action: Any, first: Outcome) -> Outcome:
        seen, reward, terminated, truncated, info = self.inner.step(action)
        return seen, float(first[1]) + float(reward), terminated, truncated, info

    def _go_back(self, outcome: Outcome) -> Outcome:
        """The oldest state that is remembered."""
        saved, self._seen = self._past[0]
        assert self._restore is not None, "checked when it was built"
        self._restore(saved)
        self._past.clear()
        return (self._seen, *outcome[1:])

    def _remember(self) -> None:
        if "jump_back" in self.chances and self._save is not None:
            self._past.append((self._save(), np.copy(self._seen)))

    def watch(self) -> Callable[[], Mapping[str, EventReport]]:
        self._happened = {event: EventReport(False, False) for event in self.chances}
        return lambda: self._happened

    def latent(self) -> np.ndarray | None:
        hidden: np.ndarray | None = self.inner.latent()
        return hidden

    def sample(self, rng: np.random.Generator) -> Any:
        return self.inner.sample(rng)

    def close(self) -> None:
        self.inner.close()
