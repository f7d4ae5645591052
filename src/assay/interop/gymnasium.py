"""A task as a Gymnasium env: `make(text)`. No jax here; native tasks load it with `native_env.py`.

Seeding is one rule for all: `reset(seed=s)` begins episode 0 of seed s, `reset()` the next one of that seed.
With `options={"noise_seed": n}` beside a seed, variations and their clocks draw from n until the next seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import gymnasium
import numpy as np

from assay.core.clock import outlasts_episodes
from assay.core.events import EVENTS
from assay.core.host import Moment
from assay.core.space import Discrete, Opaque, Space
from assay.errors import AssayError, NotApplicable
from assay.hosted import build_hosted
from assay.interop.checks import (
    NOISE_SEED,
    WrongAction,
    action_of,
    draw_seed,
    noise_seed_of,
    out_of_turn_error,
    refuse_options,
    seed_of,
)
from assay.interop.concepts import ConceptCount, require_counted
from assay.interop.spaces import outside
from assay.task_text import TaskText
from assay.tasks import Resolved, resolve

WHOLE = (int, np.int64)  # the types of nearly every action; other types take a slower path


def make(
    text: str | TaskText,
    config: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
    events: bool = False,
) -> TaskEnv:
    """The task that a text names as a Gymnasium env, seeded by reset(seed=).

    With `events` the info of a step has an entry "events": what variations did in it, by name of the axis.
    """
    resolved = resolve(text, config)
    if not resolved.entry.native:
        return (ReportingHostedEnv if events else HostedEnv)(resolved, render_mode)
    # These bring jax, which hosted tasks do without.
    if events:
        from assay.interop.native_events import ReportingNativeEnv

        return ReportingNativeEnv(resolved, render_mode)
    from assay.interop.single.env import SingleEnv

    return SingleEnv(resolved, render_mode)


def make_registered(
    task: str = "",
    config: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
    events: bool = False,
) -> gymnasium.Env:
    """What `gymnasium.make("assay/Task-v0", task=...)` calls."""
    if not task:
        raise AssayError("assay/Task-v0 needs the text of a task; write for example task='toy/discrete'.")
    return make(task, config, render_mode, events)


class TaskEnv(gymnasium.Env, ABC):
    """What native and hosted envs share: the seeding rule, and when a step is allowed."""

    def __init__(self, resolved: Resolved):
        self.task = str(resolved.text)
        self._actions = resolved.entry.actions
        self._seed: int | None = None
        self._noise_seed: int | None = None  # where variations have a seed of their own
        self.noise_ahead: int | None = None  # the noise seed of the next reset that is seeded
        self._episode = 0
        self._live = False  # between a reset and an end

    def cut_after(self, steps: int) -> None:
        """Cuts episodes after so many steps, where the env itself does so later or never."""
        raise NotApplicable(f"{self.task} has an axis that limits its steps; set that axis.")

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[Any, dict]:
        """Begins episode 0 of `seed`, or the next episode of the last seed; the OS draws the first seed."""
        refuse_options(options, known=(NOISE_SEED,))
        noise = noise_seed_of(options, seeded=seed is not None)
        if seed is not None or self._seed is None:
            self._noise_seed = self.noise_ahead if noise is None else seed_of(noise)
            self.noise_ahead = None
            self._seed, self._episode = draw_seed() if seed is None else seed_of(seed), 0
            super().reset(seed=self._seed)
        else:
            self._episode += 1
        observation, info = self._begin(self._seed, self._episode, anew=self._episode == 0)
        self._live = True
        return observation, info

    def begin(self, seed: int, episode: int) -> tuple[Any, dict]:
        """Begins episode number `episode` of a seed, without those before it, as the first of a new life."""
        self._seed, self._noise_seed, self._episode = seed_of(seed), None, episode
        observation, info = self._begin(self._seed, self._episode, anew=True)
        self._live = True
        return observation, info

    def action_meanings(self) -> tuple[str, ...]:
        """The names of numbered actions, in order; empty if they have no names."""
        return self._actions

    def observation_labels(self) -> dict[str, int]:
        """The positions of named entries of an observation, by name; empty if nothing is named."""
        return {}

    @property
    def remembers(self) -> bool:
        """Whether an episode depends on those before it, through a clock or a memory that outlasts them."""
        return any(outlasts_episodes(varied) or getattr(varied, "lasts", False) for varied in self._varied)

    @property
    @abstractmethod
    def _varied(self) -> tuple:
        """The variations of the task."""

    @abstractmethod
    def _begin(self, seed: int, episode: int, anew: bool) -> tuple[Any, dict]:
        """The first observation and info of an episode; `anew` begins a new life."""

    def _require_live(self) -> None:
        if not self._live:
            raise out_of_turn_error(first=self._seed is None)


class HostedSnapshot(NamedTuple):
    """A moment of a hosted env."""

    task: str
    seed: int
    noise_seed: int | None
    episode: int
    live: bool
    state: Moment
    concepts: tuple[Any, ...] | None = None  # of an env with events: which concept holds


class HostedEnv(TaskEnv):
    """A hosted task: an env from outside with the channels of the task around it."""

    reports: ClassVar[bool] = False  # whether its variations report what they do

    def __init__(self, resolved: Resolved, render_mode: str | None = None):
        super().__init__(resolved)
        self.inner = build_hosted(resolved, render_mode=render_mode, events=self.reports)
        self._host_env = self.inner.host.env
        self.metadata, self.render_mode = dict(self._host_env.metadata), render_mode
        self.action_space = self._space_of("action", self.inner.host.action_space)
        self.observation_space = self._space_of("observation", self.inner.host.observation_space)
        spaces = self.inner.spaces
        # The fast path of an action that no channel changes: a known number, as numpy's, because a Discrete
        # space takes longer to check Python's.
        self._known = {} if self.inner.passages["action"] else numbers_of(spaces["action"])
        self._keep_action, keep = keeper(spaces["action"]), keeper(spaces["observation"])
        self._keep_observation = None if keep is copy_value and self.inner.host.fresh else keep

    def _space_of(self, component: str, plain: gymnasium.Space) -> gymnasium.Space:
        # The host's own space where no channel changed it: it may be of a kind that ours do not know.
        space = self.inner.spaces[component]
        return plain if space is self.inner.host.spaces[component] else outside(space)

    @property
    def _varied(self) -> tuple:
        return (*self.inner.variations, *self.inner.inside)

    def cut_after(self, steps: int) -> None:
        self.inner.cut_after(steps)

    def _begin(self, seed: int, episode: int, anew: bool) -> tuple[Any, dict]:
        observation, info = self.inner.reset(seed, episode, anew, self._noise_seed)
        drawn = self.inner.drawn_levels()
        info = {**info, "drawn": drawn} if drawn else dict(info)
        return self._keep_observation(observation) if self._keep_observation else observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        """One step; `info` is the host's with the score and the action that was executed."""
        if not self._live:
            self._require_live()
        known = self._known.get(action) if type(action) in WHOLE else None
        sent = self.inner.act(self._check_action(action)) if known is None else known
        observation, reward, terminated, truncated, score, info = self.inner.advance(sent)
        if terminated or truncated:
            self._live = False
        if known is None:
            sent = self._keep_action(sent)
        if self._keep_observation:
            observation, info = self._keep_observation(observation), dict(info)
        info["score"], info["executed"] = score, sent
        return observation, reward, terminated, truncated, info

    def _check_action(self, action: Any) -> Any:
        space = self.inner.spaces["action"]
        if not isinstance(space, Opaque):
            return action_of(space, action)
        if not self.action_space.contains(action):
            raise WrongAction(f"an action is one of {self.action_space}, not {action!r}.")
        return action

    def action_meanings(self) -> tuple[str, ...]:
        """The names of numbered actions, from the host if it has any."""
        named = getattr(self._host_env.unwrapped, "get_action_meanings", None)
        return tuple(named()) if named else super().action_meanings()

    def observation_labels(self) -> dict[str, int]:
        """The positions of a game's named numbers, in observations of the RAM, labels, decoded or objects."""
        labels = self.inner.host.powers.observation_labels
        return labels() if labels else {}

    def render(self) -> Any:
        """The host's picture."""
        return self._host_env.render()

    def close(self) -> None:
        self.inner.host.close()

    def facts(self) -> dict:
        raise NotApplicable(f"{self.task} is hosted and has no generated tables.")

    def save(self) -> HostedSnapshot:
        """This moment exactly, if the host can be saved: its state, memory, streams, frame stack."""
        self._require_saving("saved")
        if self._seed is None:
            raise out_of_turn_error(first=True)
        return HostedSnapshot(
            self.task, self._seed, self._noise_seed, self._episode, self._live, self.inner.save()
        )

    def restore(self, snapshot: HostedSnapshot) -> None:
        """Goes to a moment that `save` gave, of this env or of another one of the same task."""
        self._require_saving("restored")
        if not isinstance(snapshot, HostedSnapshot) or snapshot.task != self.task:
            value = f"that of {snapshot.task}" if isinstance(snapshot, HostedSnapshot) else repr(snapshot)
            raise NotApplicable(f"restore takes what save() of {self.task} gave, not {value}.")
        self._seed, self._episode, self._live = snapshot.seed, snapshot.episode, snapshot.live
        self._noise_seed = snapshot.noise_seed
        self.inner.restore(snapshot.state)

    def _require_saving(self, what: str) -> None:
        if not self.inner.host.powers.save:
            raise NotApplicable(
                f"{self.task} is hosted, and its host cannot be {what}; native tasks and Atari games can."
            )


class ReportingHostedEnv(HostedEnv):
    """A hosted task whose infos report what its variations did in the step."""

    reports: ClassVar[bool] = True

    def __init__(self, resolved: Resolved, render_mode: str | None = None):
        super().__init__(resolved, render_mode)
        self.concepts = ConceptCount(resolved.text, self.inner.host.powers.own_clock)
        # Of the step before; a reset leaves them as they are.
        self.reported = self.inner.events() | self.concepts.at_rest()

    def _begin(self, seed: int, episode: int, anew: bool) -> tuple[Any, dict]:
        self.concepts.begin(new_life=anew)
        return super()._begin(seed, episode, anew)

    def save(self) -> HostedSnapshot:
        return super().save()._replace(concepts=self.concepts.save())

    def restore(self, snapshot: HostedSnapshot) -> None:
        require_counted(snapshot)
        super().restore(snapshot)
        if snapshot.concepts is not None:
            self.concepts.restore(snapshot.concepts)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        observation, reward, terminated, truncated, info = super().step(action)
        info[EVENTS] = self.reported = self.inner.events() | self.concepts.step()
        return observation, reward, terminated, truncated, info


def numbers_of(space: Space) -> dict[int, np.int64]:
    if not isinstance(space, Discrete) or isinstance(space.n, tuple):
        return {}
    return {n: np.int64(n) for n in range(space.start, space.start + space.n)}


def keeper(space: Space) -> Callable[[Any], Any]:
    """A function that makes a value safe to keep: an int64, or a copy of an array."""
    return np.int64 if isinstance(space, Discrete) and not space.shape else copy_value


def copy_value(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value
