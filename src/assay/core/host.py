"""The loop over a stateful env: the same channels, streams and episodes as the native loop, in plain numpy.

Every episode reseeds the host from (seed, episode), and every stream has a generator of its own by (seed,
episode, name): episode 7 starts alike in a plain and a varied run, and no variation shifts another's draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from assay.core import scalars
from assay.core.clock import Random, clock_memory, now, tick
from assay.core.space import Discrete, Space
from assay.core.streams import digest_number, generator
from assay.core.variation import Channel

BLOCK = 64  # draws taken at a time: one call of numpy's generator costs as much as sixty of its numbers


class Host(Protocol):
    """Somebody's stateful env."""

    spaces: dict[str, Space]
    env: Any  # the Gymnasium env itself, for its pictures and for spaces of a kind that ours do not know

    def reset(self, seed: int) -> tuple[Any, dict]: ...

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]: ...

    def latent(self) -> np.ndarray | None:
        """The hidden state where it can be read, else None."""

    def sample(self, rng: np.random.Generator) -> Any:
        """A random action, for the scripts of the laws."""

    def close(self) -> None: ...


class HostStep(NamedTuple):
    observation: Any  # the true last one at an end
    reward: float
    terminated: bool
    truncated: bool  # never together with terminated
    score: float  # what the host itself paid
    executed: Any  # the action that reached the host
    info: dict  # the host's own


class Passage:
    """One channel on one host: its memory, its clock and its draws in the episode under way."""

    def __init__(self, channel: Channel, space: Space, namespace: Any):
        self.channel, self.space, self.xp = channel, space, namespace
        self.apply, self.level = channel.apply, channel.level
        self.wanted = channel.draw(space, channel.bound)
        self.clock: Any = clock_memory(channel)
        self.draws: Iterator = iter(())
        self.flips: Iterator = iter(())
        self.memory: Any = ()

    def renew(self, seed: int, episode: int, life: int) -> None:
        name = self.channel.name
        self.memory = self.channel.memory(self.xp, self.space, self.channel.bound)
        if self.wanted:
            self.draws = drawn(generator(seed, episode, name), *self.wanted, as_numbers=self.xp is scalars)
        if isinstance(self.channel.clock, Random):
            self.flips = drawn(generator(seed, episode, f"{name}@clock"), "uniform", (), as_numbers=True)
        if self.channel.clock is not None and not (self.channel.clock.life and life):
            self.clock = clock_memory(self.channel)
        self.set_level(0, life)

    def pass_on(self, value: Any, ends: tuple[bool, bool]) -> Any:
        draw = next(self.draws) if self.wanted else ()
        self.memory, value = self.apply(self.xp, self.level, self.memory, draw, value, ends, self.space)
        return value

    def tick(self, time: int, life: int) -> None:
        """Moves the clock on to the step that begins now."""
        if isinstance(self.channel.clock, Random):
            self.clock = tick(self.channel, self.clock, next(self.flips))
        self.set_level(time, life)

    def set_level(self, time: int, life: int) -> None:
        self.level = now(scalars, self.channel, self.clock, time, life)


def drawn(rng: np.random.Generator, kind: str, shape: tuple[int, ...], as_numbers: bool) -> Iterator:
    """An endless row of draws, taken in blocks."""
    draw = rng.random if kind == "uniform" else rng.standard_normal
    while True:
        block = draw((BLOCK, *shape), dtype=np.float32)
        yield from block.tolist() if as_numbers else block


class HostedTask:
    """A host and its channel variations, played episode after episode."""

    def __init__(self, host: Host, variations: tuple[Channel, ...]):
        self.host, self.variations = host, variations
        self.spaces = dict(host.spaces)
        self.passages: dict[str, list[Passage]] = {"action": [], "reward": [], "observation": []}
        for channel in variations:
            component = channel.components[0]
            space = self.spaces[component]
            self.passages[component].append(Passage(channel, space, namespace_for(component, space)))
            self.spaces[component] = channel.space(space, channel.bound)
        self.timed = [
            p for passages in self.passages.values() for p in passages if p.channel.clock is not None
        ]
        self.seed, self.episode, self.time, self.life = 0, 0, 0, 0

    def reset(self, seed: int, episode: int) -> tuple[Any, dict]:
        """The first observation of episode `episode` under `seed`. Episode 0 begins a new life."""
        self.seed, self.episode, self.time = seed, episode, 0
        self.life = 0 if episode == 0 else self.life
        for passages in self.passages.values():
            for passage in passages:
                passage.renew(seed, episode, self.life)
        observation, info = self.host.reset(host_seed(seed, episode))
        return self._see(observation, (False, False)), info

    def step(self, chosen: Any) -> HostStep:
        return self.execute(self.act(chosen))

    def act(self, chosen: Any) -> Any:
        """The action that reaches the host."""
        for passage in self.passages["action"]:
            chosen = passage.pass_on(chosen, (False, False))
        return chosen

    def execute(self, sent: Any) -> HostStep:
        """The rest of a step, once it is known what reaches the host."""
        observation, reward, terminated, truncated, info = self.host.step(sent)
        ends = (bool(terminated), bool(truncated) and not terminated)
        score = paid = float(reward)
        for passage in self.passages["reward"]:
            paid = passage.pass_on(paid, ends)
        self.time += 1
        self.life += 1
        for passage in self.timed:
            passage.tick(self.time, self.life)
        return HostStep(self._see(observation, ends), paid, *ends, score, sent, info)

    def _see(self, observation: Any, ends: tuple[bool, bool]) -> Any:
        passages = self.passages["observation"]
        if not passages:
            return observation
        for passage in passages:
            observation = passage.pass_on(observation, ends)
        space = self.spaces["observation"]
        plain_number = isinstance(space, Discrete) and not space.shape
        return int(observation) if plain_number else np.asarray(observation, space.dtype)


def namespace_for(component: str, space: Space) -> Any:
    """Plain Python numbers where one number is passed on, numpy for arrays and for all observations."""
    return scalars if component != "observation" and not space.shape else np


def host_seed(seed: int, episode: int) -> int:
    """What the host is reseeded with: 31 bits, which every env takes."""
    return digest_number(seed, episode, "host") % 2**31
