"""A family of envs as one record: all that generic code may ask of it. Loads without jax.

Each family writes its record into its own folder, `envs/<family>/family.py`, and the catalogue names it in
one string. Code is named as text, "module:attribute", so that listing a family loads none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.core.axis import Axis
from assay.core.command import Command

# What a step costs: part of a compiled program, a call of somebody's env, or frames of an emulator.
Cost = Literal["compiled", "light", "emulator"]
# In an episode of unknown length, so many steps of training cost about as much.
EPISODE_WORK: Mapping[Cost, int] = {"compiled": 10, "light": 5000, "emulator": 5000}


@dataclass(frozen=True)
class EnvEntry:
    """An env by name. `native`: pure jax. Else hosted: `build(name, settings)` returns a stateful host.

    name, native, means, origin and build are asked of every env, and params and axes of one with axes of its
    own. Fields that hold code as text, "module:function": axes_of, spelled, elsewhere, data, modules, spaces,
    optimum, truth, measures, score_range, score_limits, drawing and render. Plain facts: varied_inside,
    workers, actions, pictures, contexts, idle, presets and examples. The comment at each field says what it
    is.
    """

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
    data: str = ""  # "module:function" of an env's name: its data files, as paths in the package
    modules: str = ""  # "module:function" of an env's name: the modules that its code is in, where not here
    spaces: str = ""  # "module:function" of what `build` receives: the spaces, without building anything
    varied_inside: bool = False  # hosted: whether `build` takes `inside`, HostRules that it applies
    workers: bool = False  # whether lanes are played in processes of their own
    optimum: str = ""  # "module:function" of the settings: the best possible return, where it can be computed
    truth: str = ""  # "module:class" that puts the ground truth into `info`
    measures: str = ""  # "module:attribute", `envs.measure.Measure`s of how an episode ended
    score_range: str = ""  # "module:function" of a task's text: where scores of episodes lie at every level
    # "module:function" of settings, other levels and steps: where scores lie at these very settings, or None.
    score_limits: str = ""
    actions: tuple[str, ...] = ()  # the names of numbered actions, where they have names
    drawing: str = ""  # "module:function" of an env's name and settings: its `Drawing`, or None
    render: str = ""  # "module:function" of settings, params and state: a picture for people, [x, y, 3]
    pictures: str = ""  # the setting that makes its observations pictures, where it has one
    contexts: tuple[tuple[str, str], ...] = ()  # axis and the settings beside which it can be felt here
    idle: Mapping[str, str] = field(default_factory=dict)  # generic axes that can do nothing here, and why
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of its axis `preset`
    examples: tuple[str, ...] = ()  # tasks that stand for an open family in `assay list` and `check`

    def covers(self, name: str) -> bool:
        return name == self.name or (self.name.endswith("/*") and name.startswith(self.name[:-1]))

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """The tasks on which it is listed and proved: itself, or the examples of an open family."""
        return self.examples or (self.name,)


@dataclass(frozen=True)
class ShowPolicy:
    """Actions in turn, whatever is seen, with which pictures show more than random play does."""

    name: str  # as `assay show --policy` names it
    says: str  # in a picture's title
    actions: tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """How a hosted task's observations are drawn for people, where they are no pictures as they stand."""

    draw: Callable[[Any, Callable[[], Any]], Any]  # observation, what renders the screen -> [y, x, 3] bytes
    says: str  # what the picture shows


@dataclass(frozen=True)
class Bench:
    """A benchmark of `assay bench`."""

    name: str
    env: str
    figures: str  # "module:function" of seconds and the env's name: its figures one by one
    sizes: str = ""  # "module:function": bytes of a lane's state, by the task's name
    then_trains: bool = False  # whether the training of an agent is measured after it


@dataclass(frozen=True)
class InsideLaws:
    """The settings under which hosts that vary their own inside are compared."""

    view: str = ""  # shows all that there is to see: "observation=palette"
    starts: str = ""  # makes the starts of other seeds differ: "noops=30"
    ways: tuple[str, ...] = ()  # ways of playing under each of which a start must be felt: "preset=paper"


@dataclass(frozen=True)
class Family:
    """A family: its envs, and what holds for all of them.

    name, envs, checker and cost are asked of every family. picture_axes and show_policy say how it is shown,
    world_seed, lasting and inside_laws how it is proved, members and own_members which envs an open family
    has, packages what its findings rest on; command and benches are its own. The comment behind each field
    says what it is.
    """

    name: str
    envs: tuple[EnvEntry, ...]
    checker: str  # "module:attribute" of the `proof.checker.Checker` that proves its axes
    cost: Cost
    picture_axes: Literal["yx", "xy"] = "yx"  # how its pictures are indexed: rows first, or columns first
    world_seed: str = ""  # the axis from which an env generates its world, where one does
    show_policy: ShowPolicy | None = None  # the policy that acts in pictures; None: random actions
    lasting: Mapping[str, str] = field(default_factory=dict)  # env -> "module:function", a long-lived policy
    members: str = ""  # "module:function": the rows of `assay list <family>`, where it is open but known
    own_members: str = ""  # "module:function": its envs that have variations of their own, where it is open
    inside_laws: InsideLaws = InsideLaws()
    packages: tuple[str, ...] = ()  # distributions whose versions a finding rests on
    command: Command | None = None
    benches: tuple[Bench, ...] = ()

    def __post_init__(self) -> None:
        foreign = [entry.name for entry in self.envs if entry.name.split("/")[0] != self.name]
        if foreign:
            raise ValueError(f"the family {self.name!r} holds {foreign[0]!r}, whose name begins otherwise.")

    def world_seed_of(self, axes: tuple[Axis, ...]) -> Axis | None:
        """The axis among those of one env that seeds its world; None where no world is generated."""
        return next((axis for axis in axes if self.world_seed and axis.name == self.world_seed), None)
