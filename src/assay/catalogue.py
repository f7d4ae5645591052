"""The tables: every family, variation, suite and agent by name. Loads without jax.

A new family is a line here; other packages add theirs by the entry-point group `assay.catalogue`, which names
a `Family`, or an `Entries` that holds more.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from assay.core.axis import Axis
from assay.core.family import EnvEntry, Family
from assay.entries import AgentEntry, Entries
from assay.envs.settings_by_name import SettingsByName
from assay.errors import AssayError, NotApplicable, UnknownName
from assay.ids import task_of_gymnasium_id
from assay.own_variation import own_axis
from assay.suites import (
    gohr,
    hackatari,
    kage,
    playground,
    playground_complex,
    playground_continuous,
    playground_images,
    playground_tuning,
    stori,
)
from assay.suites.suite import Suite
from assay.task_text import suggest, unknown_name_error
from assay.variations import action, concealment, observation, picture, reward
from assay.variations.named import named_axis

ENTRY_POINTS = "assay.catalogue"
PICTURE_AXES = picture.AXES + concealment.PICTURE_AXES
FAMILIES = (
    "assay.envs.toy.family:FAMILY",
    "assay.envs.platformer.family:FAMILY",
    "assay.envs.atari.family:FAMILY",
    "assay.envs.gym.family:FAMILY",
    "assay.envs.rules.family:FAMILY",
)


def load(code: str) -> Any:
    """The object that "module:attribute" names; UnknownName says which half is missing."""
    module, _, attribute = code.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise UnknownName(f"{code!r} names nothing; write module:attribute, such as mine:blink.")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise UnknownName(
            f"{code!r} does not load: {error}; run where {module}.py is, or install it."
        ) from None
    except AttributeError:
        raise UnknownName(
            f"the module {module!r} has no {attribute!r}; write module:attribute, such as mine:blink."
        ) from None
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        if isinstance(error, AssayError):
            raise
        says = " ".join(f"{type(error).__name__}: {error}".split())
        raise AssayError(f"{code!r} does not load: {module} raised {says}; mend that first.") from error


def with_keys(entries: Entries) -> Entries:
    """The entries, with each variation naming the key of a family that has the same effect, if any."""
    keys = {axis.doubles: axis.name for entry in entries.envs for axis in entry.axes if axis.doubles}
    known = tuple(replace(axis, same_as=keys.get(axis.name, "")) for axis in entries.variations)
    return replace(entries, variations=known)


OURS = with_keys(Entries(
    families=tuple(load(each) for each in FAMILIES),
    variations=action.AXES + reward.AXES + observation.AXES + concealment.AXES + PICTURE_AXES,
    suites=playground.SUITES
    + playground_images.SUITES
    + playground_continuous.SUITES
    + playground_complex.SUITES
    + playground_tuning.SUITES
    + kage.SUITES
    + gohr.SUITES
    + stori.SUITES
    + hackatari.SUITES,
    agents=(
        AgentEntry("random", "assay.agents.random:AGENT", "uniformly random actions"),
        AgentEntry("blind", "assay.agents.blind:AGENT", "the best of a family of policies that do not look"),
        AgentEntry(
            "tabular_q", "assay.agents.tabular_q:AGENT", "tabular Q-learning, for whole-number observations",
            "Watkins 1989, settings of MDP Playground",
        ),
        AgentEntry(
            "double_q", "assay.agents.double_q:AGENT", "tabular Q-learning, two tables that judge each other",
            "van Hasselt 2010, settings of MDP Playground",
        ),
        AgentEntry(
            "sarsa", "assay.agents.sarsa:AGENT", "tabular SARSA: the value of the action that is taken next",
            "Rummery and Niranjan 1994, settings of MDP Playground",
        ),
        AgentEntry(
            "dqn", "assay.agents.dqn:AGENT", "deep Q-network, two hidden layers of 256",
            "Mnih et al. 2015, settings of MDP Playground",
        ),
        AgentEntry(
            "rainbow", "assay.agents.rainbow:AGENT", "DQN with all of its switches on",
            "Hessel et al. 2018, settings of MDP Playground",
        ),
        AgentEntry(
            "a2c", "assay.agents.a2c:AGENT", "advantage actor-critic, standing for A3C; three layers of 128",
            "Mnih et al. 2016, settings of MDP Playground",
        ),
        AgentEntry(
            "ppo", "assay.agents.ppo:AGENT", "PPO on any actions; convolutions on pictures, else full layers",
            "Schulman et al. 2017, settings of KAGE-Bench",
        ),
        AgentEntry(
            "ddpg", "assay.agents.ddpg:AGENT", "deep deterministic policy gradients, for continuous actions",
            "Lillicrap et al. 2015, settings of MDP Playground",
        ),
        AgentEntry(
            "td3", "assay.agents.td3:AGENT", "DDPG with twin critics and a delayed actor",
            "Fujimoto et al. 2018, settings of MDP Playground",
        ),
        AgentEntry(
            "sac", "assay.agents.sac:AGENT", "soft actor-critic, for continuous actions",
            "Haarnoja et al. 2018, settings of MDP Playground",
        ),
        AgentEntry(
            "ppo-hackatari", "assay.agents.ppo_hackatari:AGENT",
            "PPO for games, with residual convolutions on pictures and masks",
            "settings of HackAtari's paper",
        ),
        AgentEntry(
            "linear_q", "assay.agents.linear_q:AGENT", "DQN, linear in features of a move on a board",
            "the paper of the Game of Hidden Rules",
        ),
        AgentEntry(
            "oracle", "assay.agents.oracle:AGENT", "a player that knows the rule; needs +show_buckets",
        ),
        AgentEntry(
            "ppo-platformer", "assay.agents.ppo_platformer:AGENT",
            "PPO-CNN, trained 25 M steps on the plain platformer, weights shipped",
            "the base config of KAGE-Bench",
        ),
        AgentEntry(
            "ppo-boxing", "assay.agents.ppo_games:BOXING",
            "PPO on the objects of Boxing, trained 1 M steps, weights shipped",
            "HackAtari's protocol, the plain game",
        ),
        AgentEntry(
            "ppo-freeway", "assay.agents.ppo_games:FREEWAY",
            "PPO on the objects of Freeway, trained 0.4 M steps, weights shipped",
            "HackAtari's protocol, the plain game",
        ),
        AgentEntry(
            "ppo-pong", "assay.agents.ppo_games:PONG",
            "PPO on the objects of Pong, trained 2.9 M steps, weights shipped",
            "HackAtari's protocol, the plain game",
        ),
        AgentEntry(
            "taught-boxing", "assay.agents.taught_games:BOXING",
            "a network of pictures that learned Boxing from ppo-boxing, weights shipped",
            "HackAtari's protocol, the plain game",
        ),
        AgentEntry(
            "taught-freeway", "assay.agents.taught_games:FREEWAY",
            "a network of pictures that learned Freeway from ppo-freeway, weights shipped",
            "HackAtari's protocol, the plain game",
        ),
        AgentEntry(
            "taught-pong", "assay.agents.taught_games:PONG",
            "a network of pictures that learned Pong from ppo-pong, weights shipped",
            "HackAtari's protocol, the plain game",
        ),
    ),
))  # fmt: skip


@cache
def entries() -> Entries:
    """Our entries, then those of installed packages. A name that is taken is an error, never replaced."""
    joined = OURS
    for point in entry_points(group=ENTRY_POINTS):
        more = point.load()
        more = Entries(families=(more,)) if isinstance(more, Family) else more
        if not isinstance(more, Entries):
            raise AssayError(
                f"the entry point {point.name!r} in {ENTRY_POINTS} must name a Family or an "
                "assay.catalogue.Entries."
            )
        joined = join_entries(joined, more, point.name)
    return with_keys(joined)


def join_entries(known: Entries, more: Entries, owner: str) -> Entries:
    for table in ("families", "envs", "variations", "suites", "agents"):
        taken = {entry.name for entry in getattr(known, table)}
        for entry in getattr(more, table):
            if entry.name in taken:
                raise AssayError(
                    f"{owner} adds {entry.name!r} to the {table}, but that name is taken; rename it."
                )
    ours = {axis.name for entry in known.envs for axis in entry.axes} | {a.name for a in known.variations}
    for axis in more.variations:
        if axis.name in ours:
            raise AssayError(f"{owner} adds the variation {axis.name!r}, but that name is taken; rename it.")
    return Entries(
        known.families + more.families,
        known.variations + more.variations,
        known.suites + more.suites,
        known.agents + more.agents,
    )


def env_entry(name: str) -> EnvEntry:
    """The env called `name`, or UnknownName with a suggestion."""
    # An exact name comes before a family that takes every name.
    for entry in sorted(entries().envs, key=lambda entry: entry.name != name):
        if entry.covers(name):
            return specialise(entry, name)
    known = [name for entry in entries().envs for name in entry.stand_ins]
    if other := task_of_gymnasium_id(name):
        raise UnknownName(f"{name} is {other} here; write that.")
    family, families = name.split("/")[0], sorted(each.name for each in entries().families)
    if "/" in name and family not in families and not suggest(name, known):
        raise UnknownName(
            f"{name} belongs to the family {family!r}, which is not installed; the families are "
            f"{', '.join(families)}."
        )
    raise unknown_name_error("env", name, known, see="assay list envs", shown=len(entries().envs))


def specialise(entry: EnvEntry, name: str) -> EnvEntry:
    """The entry as it is for one env of an open family: with the axes and the settings of that env."""
    if entry.axes_of:
        entry = replace(entry, axes=load(entry.axes_of)(name))
    if entry.params and issubclass(entry.params, SettingsByName):
        entry = replace(entry, params=entry.params.of_env(name))
    return entry


def family_of(env: str) -> Family:
    """The family of the env called `env`, or UnknownName with a suggestion."""
    known = {family.name: family for family in entries().families}
    return known[env_entry(env).name.split("/")[0]]


def world_seed_of(env: str) -> Axis | None:
    """The axis from which an env generates its world; None where none is generated."""
    return family_of(env).world_seed_of(variations(env))


def variations(name: str) -> tuple[Axis, ...]:
    """Every axis of the env called `name`: its own first, then those of any task."""
    known = entries().axes_by_env
    if name not in known:
        known[name] = all_axes(name)
    return known[name]


def all_axes(name: str) -> tuple[Axis, ...]:
    entry = env_entry(name)
    own = {axis.name for axis in entry.axes}
    more = (axis for axis in entries().variations if axis.name not in own and axis.name not in entry.idle)
    return tuple(in_context(entry, axis) for axis in (*entry.axes, *more))


def in_context(entry: EnvEntry, axis: Axis) -> Axis:
    """The axis with the context in which this env proves it; axes of pictures need one with pictures."""
    context = dict(entry.contexts).get(axis.name) or (entry.pictures if axis in PICTURE_AXES else "")
    return replace(axis, context=context) if context else axis


def axis_of(env: str, name: str) -> Axis:
    """One axis by name; `module:attribute` or `file.yaml:name` is a variation of the user's own."""
    if ":" in name and ".yaml:" not in name:
        plain = {axis.name: axis.neutral for axis in variations(env)}
        return own_axis(name, load(name), known_names(), plain)
    axes = {axis.name: axis for axis in variations(env)}
    if name in axes:
        return axes[name]
    entry = env_entry(env)
    if name in entry.idle:
        raise NotApplicable(f"{name} has nothing to do on {env}: {entry.idle[name]}.")
    other = named_axis(name)
    if other is None and entry.spelled:
        other = load(entry.spelled)(env, name)
    if other is None:
        raise unknown_variation_error(entry, env, name, list(axes))
    return other


def unknown_variation_error(entry: EnvEntry, env: str, name: str, known: list[str]) -> UnknownName:
    hint = load(entry.elsewhere)(env, name) if entry.elsewhere else ""
    if hint:
        return UnknownName(f"no variation of {env} is called {name!r}; {hint}. `assay list {env}` shows all.")
    doubled = any(axis.same_as in known for axis in variations(env))  # which `assay list` leaves out
    see = f"assay list {env} --all" if doubled else f"assay list {env}"
    return unknown_name_error("variation", name, known, where=env, see=see)


def known_names() -> set[str]:
    """The names of all axes."""
    own = {axis.name for entry in entries().envs for axis in entry.axes}
    return own | {axis.name for axis in entries().variations}


def agent_entry(name: str) -> AgentEntry:
    """The agent called `name`, or UnknownName with a suggestion."""
    agents = {entry.name: entry for entry in entries().agents}
    if name not in agents:
        raise unknown_name_error("agent", name, list(agents), see="assay list agents")
    return agents[name]


def suites() -> tuple[Suite, ...]:
    """Every suite."""
    return entries().suites


def suite(name: str) -> Suite:
    """The suite called `name`, or UnknownName with a suggestion."""
    suites = {entry.name: entry for entry in entries().suites}
    if name not in suites:
        raise unknown_name_error("suite", name, list(suites), see="assay list suites")
    return suites[name]
