"""The settings of agents, as `assay list agents` and `assay list dqn` show them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import NamedTuple

from assay.catalogue import agent_entry
from assay.cli.output import print_json, print_table, print_text
from assay.errors import AssayError
from assay.task_text import Value, print_value

COMMENT = re.compile(r"\s+(\w+): .*?  # (.+)")  # behind a field of a config


class AgentSetting(NamedTuple):
    name: str
    default: Value
    means: str  # "" where its config does not say


def settings_of_agent(name: str) -> list[AgentSetting]:
    """The settings that `--set` takes for an agent of the catalogue, with the comments of its config."""
    from assay.plans.agents import catalogue_agent, settings_of

    comments: dict[str, str] = {}
    for line in inspect.getsource(catalogue_agent(name).config).splitlines():
        if match := COMMENT.fullmatch(line):
            comments.setdefault(match[1], match[2])
    return [AgentSetting(key, value, comments.get(key, "")) for key, value in settings_of(name, {}).items()]


def list_agent(name: str, json: bool) -> None:
    """Prints an agent of the catalogue with its settings."""
    entry, settings = agent_entry(name), settings_of_agent(name)
    if json:
        told = [each._asdict() for each in settings]
        return print_json({"agent": name, "means": entry.means, "origin": entry.origin, "settings": told})
    print_text(f"{name}: {entry.means}" + (f" ({entry.origin})" if entry.origin else ""), "bold")
    rows = [(f"{each.name}={print_value(each.default)}", each.means) for each in settings]
    print_table(("setting and default", "what it means"), rows, wraps={1: None})


def add_settings(row: Mapping[str, object]) -> Mapping[str, object]:
    """An agent as JSON tells it, with its settings, or why one of another package does not load."""
    try:
        return {**row, "settings": [each._asdict() for each in settings_of_agent(str(row["name"]))]}
    except AssayError as error:
        return {**row, "settings": [], "error": str(error)}


def in_one_line(name: str) -> str:
    """All settings of an agent with their defaults, in one line; or why it does not load."""
    try:
        settings = settings_of_agent(name)
    except AssayError as error:  # of another package
        return str(error)
    return ", ".join(f"{each.name}={print_value(each.default)}" for each in settings)
