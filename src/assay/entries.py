"""What an entry of the catalogue is: an env, an agent, and what a package adds. Loads without jax."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.core.axis import Axis
from assay.suites.suite import Suite


@dataclass(frozen=True)
class EnvEntry:
    """An env by name. `native`: pure jax. Else hosted: `build(name, settings)` returns a stateful host."""

    name: str  # "toy/discrete"; "gym/*" stands for every name of its family
    native: bool
    means: str
    origin: str
    build: str  # "module:function"
    params: type | None = None  # the settings record whose fields are axes
    axes: tuple[Axis, ...] = ()  # all of the family's own, its channels in the order in which they act
    axes_of: str = ""  # "module:function" of an env's name: its axes, where each env of a family has others
    spelled: str = ""  # "module:function" of an env and a name: the axis so spelled otherwise, or None
    elsewhere: str = ""  # "module:function" of the same: where else that name means something, in words
    members: str = ""  # "module:function": the rows of `assay list <family>`, where it is open but known
    data: str = ""  # "module:function" of an env's name: its data files, as paths in the package
    modules: str = ""  # "module:function" of an env's name: the modules that its code is in, where not here
    spaces: str = ""  # "module:function" of what `build` receives: the spaces, without building anything
    workers: bool = False  # whether lanes are played in processes of their own
    optimum: str = ""  # "module:function" of the settings: the best possible return, where it can be computed
    truth: str = ""  # "module:class" that puts the ground truth into `info`
    measures: str = ""  # "module:attribute", `envs.measure.Measure`s of how an episode ended
    score_range: str = ""  # "module:function" of a task's text: where scores of episodes lie at every level
    actions: tuple[str, ...] = ()  # the names of numbered actions, where they have names
    render: str = ""  # "module:function" of settings, params and state: a picture for people, [x, y, 3]
    pictures: str = ""  # the setting that makes its observations pictures, where it has one
    contexts: tuple[tuple[str, str], ...] = ()  # axis and the settings beside which it can be felt here
    idle: Mapping[str, str] = field(default_factory=dict)  # generic axes that can do nothing here, and why
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of its axis `preset`
    examples: tuple[str, ...] = ()  # tasks that stand for an open family in `assay list` and `check`

    def covers(self, name: str) -> bool:
        return name == self.name or (self.name.endswith("/*") and name.startswith(self.name[:-1]))


@dataclass(frozen=True)
class AgentEntry:
    """An agent by name; `code` is "module:attribute" of an `agents.agent.Agent`."""

    name: str
    code: str
    means: str
    origin: str = ""


@dataclass(frozen=True)
class Entries:
    """What a package adds to the catalogue."""

    envs: tuple[EnvEntry, ...] = ()
    variations: tuple[Axis, ...] = ()
    suites: tuple[Suite, ...] = ()
    agents: tuple[AgentEntry, ...] = ()

    @cached_property
    def axes_by_env(self) -> dict[str, tuple[Axis, ...]]:
        """What `variations` found so far: a plan asks for it a thousand times."""
        return {}
