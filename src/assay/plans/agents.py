"""Agents by name, with typed settings: ours from the catalogue, others through `interop.agents`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Collection, Mapping
from contextlib import redirect_stdout
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from assay.catalogue import agent_entry, env_entry, load
from assay.core.axis import as_plain_number, show_value
from assay.errors import AssayError, NotApplicable, UnknownName
from assay.interop.agents import LLM, Outside, is_outside, load_agent
from assay.interop.watching import watching
from assay.plans.question import RANDOM
from assay.task_text import Value, parse, unknown_name_error

if TYPE_CHECKING:
    from assay.agents.agent import Agent  # brings jax

CHECKPOINT = "sb3:"
__all__ = ["catalogue_agent", "has_training", "is_outside", "outside_agent", "settings_of", "steps_of"]


@cache
def catalogue_agent(name: str) -> Agent:
    """An agent of the catalogue."""
    from assay.agents.agent import Agent

    code = agent_entry(name).code
    agent = load(code)
    if not isinstance(agent, Agent):
        raise NotApplicable(
            f"{name} is in the catalogue as {code}, which is no assay.agents.agent.Agent; mend its package."
        )
    return agent


def outside_agent(name: str, trust: bool = False) -> Outside:
    """An agent from outside assay, loaded once per process, with a note of the files that loading read."""
    return load_outside(name, trust)


@cache
def load_outside(name: str, trust: bool) -> Outside:
    with redirect_stdout(sys.stderr), watching() as seen:  # what its module prints is no result
        agent = load_agent(name, trust)
    return agent._replace(seen=seen)


def settings_of(name: str, given: Mapping[str, Any]) -> dict[str, Value]:
    """All settings of an agent: its defaults, replaced by the given ones where the agent knows them."""
    if is_outside(name):
        if set(given) - {"steps"}:
            raise AssayError(
                f"{name} is not an agent of assay, so it takes no settings such as {next(iter(given))}."
            )
        return dict(given)
    config = catalogue_agent(name).config
    defaults = config()
    typed = {}
    for key, value in given.items():
        if key not in {field.name for field in dataclasses.fields(config)}:
            known = [field.name for field in dataclasses.fields(config)]
            raise unknown_name_error("setting", key, known, where=name, see=f"assay list {name}")
        typed[key] = as_typed(name, key, value, getattr(defaults, key))
    return dataclasses.asdict(dataclasses.replace(defaults, **typed))


def as_typed(agent: str, key: str, value: Any, default: Any) -> Any:
    """A setting converted to the type of its default; another type is refused."""
    if isinstance(default, tuple) and isinstance(value, (tuple, list)):
        return tuple(as_typed(agent, key, each, default[0]) for each in value)
    if type(default) is type(value) and isinstance(value, (bool, str)):
        return value
    number = as_plain_number(value)
    if number is not None and isinstance(default, float):
        return float(number)
    if (
        number is not None
        and isinstance(default, int)
        and not isinstance(default, bool)
        and number == int(number)
    ):
        return int(number)
    raise AssayError(
        f"{key} of {agent} takes a value such as {show_value(default)}, not {show_value(value)}."
    )


def config_of(name: str, settings: Mapping[str, Any]) -> Any:
    """The settings as the config record that the agent's `train` takes."""
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    return catalogue_agent(name).config(**plain)


def steps_of(settings: Mapping[str, Any]) -> int:
    """Env steps of training: the budget."""
    return int(settings.get("steps", 0))


def has_training(name: str, budget: int) -> bool:
    """Whether this agent is trained, seed by seed, so that seeds are the units."""
    if name.startswith(CHECKPOINT):
        return False
    return outside_agent(name).train is not None if is_outside(name) else budget > 0


def is_repeatable(name: str) -> bool:
    """Whether an agent's episodes come out the same again; answers of a language model need not."""
    return not name.startswith(LLM)


def learns(name: str) -> bool:
    """Whether an agent is one of ours that steps of training make better."""
    return not is_outside(name) and steps_of(settings_of(name, {})) > 0


def comes_trained(name: str) -> bool:
    """Whether the weights of an agent are shipped with assay."""
    return not is_outside(name) and catalogue_agent(name).shipped is not None


def why_unfit(
    name: str, spaces: Mapping[str, Any], native: bool = True, settings: Mapping[str, Any] | None = None
) -> str:
    """Why an agent of ours cannot act in these spaces, or ""; agents from outside raise when they act.

    With `settings`, also why these are of no use there.
    """
    if is_outside(name):
        return ""
    agent = catalogue_agent(name)
    fits = agent.fits if native or agent.learner is None else agent.learner.fits
    why = fits(dict(spaces))
    if why or settings is None:
        return why
    config = config_of(name, settings)
    if not native and agent.learner is not None:
        why = agent.learner.fits_settings(config, dict(spaces))
    return why or agent.fits_settings(config, dict(spaces))


def require_task(name: str, text: str, native: bool) -> None:
    """Refuses names that no agent has, and agents that cannot be trained on this kind of task."""
    if not is_outside(name):
        require_known(name)
    if not native and not is_outside(name) and name != RANDOM and not catalogue_agent(name).on_hosts:
        does = "plays only" if comes_trained(name) else "trains only on"
        raise NotApplicable(
            f"{name} {does} native tasks, and {text} is hosted; use one that trains there (`assay list "
            "agents`), or give an agent of your own, such as sb3:model.zip or mine:train."
        )


def require_trained_there(name: str, texts: Collection[str]) -> None:
    """Refuses pairs that train elsewhere than an agent that comes trained was: it cannot be retrained."""
    shipped = None if is_outside(name) else catalogue_agent(name).shipped
    home = shipped.provenance().task if shipped else ""
    others = [text for text in texts if text != home]
    if shipped and others:
        raise NotApplicable(
            f"{name} comes trained on {home} and cannot be retrained, and this trains on {others[0]}; "
            f"use ppo, or `assay examine {name} {home}`."
        )


def require_own_env(name: str, env: str) -> None:
    """Refuses an env other than that which an agent comes trained on, though what is seen looks alike."""
    shipped = None if is_outside(name) else catalogue_agent(name).shipped
    if shipped and parse(home := shipped.provenance().task).env != env:
        raise NotApplicable(f"{name} comes trained on {home}, and this is {env}; use ppo, or play it there.")


def require_one_kind(name: str, texts: Collection[str]) -> None:
    """Refuses a pair of a native and a hosted task: an agent of ours acts in one kind of program only."""
    native = [text for text in texts if env_entry(parse(text).env).native]
    hosted = [text for text in texts if text not in native]
    if native and hosted and not is_outside(name):
        raise NotApplicable(
            f"{name} cannot be trained and evaluated on both {native[0]}, which is native, and {hosted[0]}, "
            "which is hosted; pair tasks of one kind."
        )


def require_known(name: str) -> None:
    """Refuses a name that no agent of ours has; for a module of the user's own, the error shows the form."""
    try:
        agent_entry(name)
    except UnknownName:
        if not name.isidentifier() or find_spec(name) is None:
            raise
        raise UnknownName(
            f"no agent is called {name!r}; name the function of your own agent too, such as {name}:act."
        ) from None
