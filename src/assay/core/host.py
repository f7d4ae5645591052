"""The loop over a stateful env: the same channels, streams and episodes as the native loop, in plain numpy.

Every episode reseeds the host from (seed, episode), and every stream has a generator of its own by (seed,
episode, name): episode 7 starts alike in a plain and a varied run, and no variation shifts another's draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from assay.core.clock import is_drawn
from assay.core.events import EventReport
from assay.core.inspection import Inspection
from assay.core.passage import Inside, Passage, ReportingPassage, Timed, namespace_for
from assay.core.space import Discrete, Space
from assay.core.streams import episode_number
from assay.core.variation import RUNNING, Channel, HostRule
from assay.errors import NotApplicable

Info = dict[str, Any]  # what an env tells beside a step, in Gymnasium's open form
Levels = dict[str, Any]  # by name of the axis
Timeable = TypeVar("Timeable", Channel, HostRule)

SEEN = ("observation",)  # what rules of the picture alone touch
CANNOT_SAVE = "the host of this task cannot be saved, so neither can the task."


@dataclass(frozen=True)
class Powers:
    """What a host can do beyond playing, each power a method of the host; None: this one cannot."""

    save: Callable[[], Any] | None = None  # its whole state
    restore: Callable[[Any], None] | None = None  # goes to what `save` gave
    set_level: Callable[[str, Any], None] | None = None  # name, level: of a HostRule while it plays
    refuse: Callable[[tuple[Channel, ...]], None] | None = None  # raises where channels do not fit beside it
    inside: Callable[[], Inspection] | None = None  # for the laws, of a host that takes HostRules
    observation_labels: Callable[[], dict[str, int]] | None = None  # where named things stand in what is seen
    # From now on it notes what its rules do; what comes back tells of the step before, by name of the axis.
    watch_events: Callable[[], Callable[[], Mapping[str, EventReport]]] | None = None
    # Is given the channels of the action as one function, and passes the action of every frame through it.
    on_frames: Callable[[Callable[[Any], Any]], None] | None = None
    # seed, noise: a reset after which what a task adds to the host draws from the streams of `noise`
    reset_apart: Callable[[int, int], tuple[Any, Info]] | None = None
    # The clock of a variation as this host counts steps, where it counts them in its own way. What is seen
    # after a step then belongs to that step, and not, as usual, to the next one.
    own_clock: Callable[[Any], Any] | None = None


class Host(Protocol):
    """Somebody's stateful env."""

    powers: Powers
    spaces: dict[str, Space]
    env: Any  # the Gymnasium env itself, for its pictures and for spaces of a kind that ours do not know
    action_space: Any  # its own spaces, as others made them
    observation_space: Any
    limit: float  # steps after which the loop cuts an episode; infinite where it does not
    ends_itself: bool  # whether an episode surely ends without our limit
    fresh: bool  # whether every observation and info is a new one, the agent's to keep

    def reset(self, seed: int) -> tuple[Any, Info]:
        """A new episode. All its randomness comes from `seed`, a number of 128 bits."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]: ...

    def latent(self) -> np.ndarray | None:
        """The hidden state where it can be read, else None."""

    def sample(self, rng: np.random.Generator) -> Any:
        """A random action, for the scripts of the laws."""

    def close(self) -> None: ...


class Moment(NamedTuple):
    """Where a hosted task stands."""

    host: Any  # what the host itself saved
    # The seed, that of the noise, the episode's number, and the steps lived before it.
    episode: tuple[int, int, int, int]
    time: int
    frames: int  # on which channels of the action acted, where they act on frames
    passages: list[tuple[Any, Any]]  # by channel: its memory and its clock
    insides: list[Any]  # by HostRule on a clock: that clock


class HostStep(NamedTuple):
    observation: Any  # the true last one at an end
    reward: float
    terminated: bool
    truncated: bool  # never together with terminated
    score: float  # what the host itself paid
    executed: Any  # the action that reached the host
    info: Info  # the host's own


class HostedTask:
    """A host and its channel variations, played episode after episode."""

    def __init__(
        self,
        host: Host,
        variations: tuple[Channel, ...],
        inside: tuple[HostRule, ...] = (),
        events: bool = False,
    ):
        if host.powers.own_clock is not None:
            variations = tuple(with_clock(each, host.powers.own_clock) for each in variations)
            inside = tuple(with_clock(each, host.powers.own_clock) for each in inside)
        self.host, self.variations, self.inside = host, variations, inside
        self._insides = [Inside(each, level_setter(host, each)) for each in inside if each.clock is not None]
        self.spaces = dict(host.spaces)
        self.passages: dict[str, list[Passage]] = {"action": [], "reward": [], "observation": []}
        for channel in variations:
            component = channel.components[0]
            space = self.spaces[component]
            kind = ReportingPassage if events and channel.report is not None else Passage
            self.passages[component].append(kind(channel, space, namespace_for(component, space)))
            self.spaces[component] = channel.space(space, channel.bound)
        self._actions, self._rewards, self._observations = self.passages.values()
        self._all = self._actions + self._rewards + self._observations
        timed = [each for each in self._all if each.channel.clock is not None]
        every: tuple[Timed, ...] = (*timed, *self._insides)
        self._drawn = [each for each in every if is_drawn(each.varied)]
        # What is seen after a step belongs to the time that follows it, so rules of the picture alone are
        # told of that time before the step that draws it. Where it belongs to the step, channels hear later.
        own = host.powers.own_clock is not None
        self._ahead = [each for each in self._insides if each.varied.components == SEEN and not own]
        self._late = [each for each in timed if each in self._observations and own]
        self._timed = [each for each in every if each not in (*self._ahead, *self._late)]
        self._reporting = [each for each in self._all if isinstance(each, ReportingPassage)]
        watch = host.powers.watch_events if events else None
        self._tell_rules = watch() if watch else dict
        on_frames = host.powers.on_frames if self._actions else None
        self._act_on_step = [] if on_frames else self._actions
        self._frames, self._framed_at = 0, -1  # that actions passed in this episode, and in which step last
        if on_frames:
            on_frames(self._pass_frame)
        self._host_step, self._limit = host.step, host.limit
        self.time, self._lived = 0, 0  # steps in this episode, and in those of this life before it
        self._episode = 0, 0, 0, 0

    def cut_after(self, steps: int) -> None:
        """Episodes end after so many steps at the latest; such an end is a truncation."""
        self._limit = min(self._limit, steps)

    def reset(
        self, seed: int, episode: int, anew: bool = False, noise_seed: int | None = None
    ) -> tuple[Any, Info]:
        """The first observation of episode `episode` under `seed`. Episode 0 begins a new life.

        Variations draw from the streams of `noise_seed`, where one is given.
        """
        noise = seed if noise_seed is None else noise_seed
        self._lived = 0 if anew or episode == 0 else self._lived + self.time
        self.time = 0
        self._frames, self._framed_at = 0, -1
        self._episode = seed, noise, episode, self._lived
        for passage in self._all:
            passage.renew(noise, episode, self._lived)
        for inside in self._insides:
            inside.wind(noise, episode, self._lived)
        observation, info = self._reset_host(seed, noise, episode)
        return self._see(observation, RUNNING) if self._observations else observation, info

    def _reset_host(self, seed: int, noise: int, episode: int) -> tuple[Any, Info]:
        number = episode_number(seed, episode, "host")
        reset_apart = self.host.powers.reset_apart
        if noise == seed or (reset_apart is None and not self.inside):
            return self.host.reset(number)
        if reset_apart is None:
            raise NotApplicable(
                f"the host of this task draws from one seed, for {self.inside[0].name} too; "
                "leave noise_seed out."
            )
        return reset_apart(number, episode_number(noise, episode, "host"))

    def drawn_levels(self) -> Levels:
        """The levels of this episode, of variations whose levels are drawn anew for each."""
        return {each.varied.name: each.clock for each in self._drawn}

    def events(self) -> dict[str, EventReport]:
        """What the host's rules and the channels report of the step before, if they were asked to."""
        return {**self._tell_rules(), **{each.channel.name: each.report for each in self._reporting}}

    def save(self) -> Moment:
        """Where the task stands, the host included; every stream as how far it was read."""
        save = self.host.powers.save
        if save is None:
            raise NotApplicable(CANNOT_SAVE)
        return Moment(
            save(), self._episode, self.time, self._frames,
            [(deepcopy(each.memory), each.save()) for each in self._all],
            [each.save() for each in self._insides],
        )  # fmt: skip

    def restore(self, saved: Moment) -> None:
        """Puts the task back. Each channel draws once a step, an observation's once more at the reset.

        Channels of the action that act on frames draw once for each of them.
        """
        restore = self.host.powers.restore
        if restore is None:
            raise NotApplicable(CANNOT_SAVE)
        self._episode, self.time, self._frames = saved.episode, saved.time, saved.frames
        self._framed_at = -1
        acted = self.time if self._act_on_step else self._frames
        _, noise, episode, self._lived = self._episode
        for passage, (memory, clock) in zip(self._all, saved.passages):
            passage.renew(noise, episode, self._lived)
            times = acted if passage in self._actions else self.time + (passage in self._observations)
            for _ in range(times):
                next(passage.draws)
            passage.memory = deepcopy(memory)
            passage.restore(clock, self.time)
        for inside, clock in zip(self._insides, saved.insides):
            inside.wind(noise, episode, self._lived)
            inside.restore(clock, self.time)
        restore(saved.host)

    def step(self, chosen: Any) -> HostStep:
        return self.execute(self.act(chosen))

    def act(self, chosen: Any) -> Any:
        """The action that reaches the host."""
        for passage in self._act_on_step:
            chosen = passage.pass_on(chosen, RUNNING)
        return chosen

    def _pass_frame(self, chosen: Any) -> Any:
        """The action of one frame, where channels act on frames."""
        first, self._framed_at = self.time != self._framed_at, self.time
        self._frames += 1
        for passage in self._actions:
            if isinstance(passage, ReportingPassage):
                passage.acted_on_step = not first
            chosen = passage.pass_on(chosen, RUNNING)
        return chosen

    def execute(self, sent: Any) -> HostStep:
        """The rest of a step, once it is known what reaches the host."""
        observation, reward, terminated, truncated, score, info = self.advance(sent)
        return HostStep(observation, reward, terminated, truncated, score, sent, info)

    def advance(self, sent: Any) -> tuple[Any, float, bool, bool, float, Info]:
        """`execute` as a bare tuple without the action: a named one costs as much as a channel."""
        time = self.time + 1
        for ahead in self._ahead:
            ahead.tick(time, self._lived + time)
        observation, reward, terminated, truncated, info = self._host_step(sent)
        self.time = time
        if terminated or truncated or time >= self._limit:
            ends = bool(terminated), not terminated
        else:
            ends = RUNNING
        paid = float(reward)
        score = info.get("credited", paid)  # a host of ours that pays otherwise tells what counts
        for passage in self._rewards:  # `pass_on`, without its call
            draw = next(passage.draws)
            passage.memory, paid = passage.apply(
                passage.xp, passage.level, passage.memory, draw, paid, ends, passage.space
            )
        for each in self._timed:
            each.tick(time, self._lived + time)
        if self._observations:
            observation = self._see(observation, ends)
        for late in self._late:
            late.tick(time, self._lived + time)
        return observation, paid, ends[0], ends[1], score, info

    def _see(self, observation: Any, ends: tuple[bool, bool]) -> Any:
        for passage in self._observations:
            observation = passage.pass_on(observation, ends)
        space = self.spaces["observation"]
        plain_number = isinstance(space, Discrete) and not space.shape
        return int(observation) if plain_number else np.asarray(observation, space.dtype)


def with_clock(varied: Timeable, own_clock: Callable[[Any], Any]) -> Timeable:
    """The variation on the clock that its host wants."""
    return varied if varied.clock is None else replace(varied, clock=own_clock(varied.clock))


def require_per_frame(channels: Iterable[Channel], env: str, setting: str) -> None:
    """Refuses what cannot act on frames, and a setting that finds nothing to act there."""
    acting = [channel for channel in channels if channel.components[0] == "action"]
    if not acting:
        raise NotApplicable(
            f"{setting} is about variations of the action, and this {env} task has none; drop it."
        )
    unable = [channel.name for channel in acting if not channel.per_frame]
    if unable:
        raise NotApplicable(f"{unable[0]} acts once a step, so it cannot stand beside {setting}; drop one.")


def level_setter(host: Host, rule: HostRule) -> Callable[[str, Any], None]:
    """How a host is told the levels of a rule on a clock; refused where it keeps those it was built with."""
    if host.powers.set_level is None:
        raise NotApplicable(
            f"{rule.name} cannot change over time, for its host keeps the levels that it was built with; "
            "drop its schedule."
        )
    return host.powers.set_level
