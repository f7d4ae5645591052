"""The settings of agents, as `assay list agents` and `assay list dqn` show them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import asdict
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
    *records, _ = catalogue_agent(name).config.__mro__  # its own, and those whose settings it takes over
    for line in (line for record in records for line in inspect.getsource(record).splitlines()):
        if match := COMMENT.fullmatch(line):
            comments.setdefault(match[1], match[2])
    return [AgentSetting(key, value, comments.get(key, "")) for key, value in settings_of(name, {}).items()]


def list_agent(name: str, json: bool) -> None:
    """Prints an agent of the catalogue with its settings."""
    entry, settings = agent_entry(name), settings_of_agent(name)
    if json:
        told = [each._asdict() for each in settings]
        card = {"agent": name, "means": entry.means, "origin": entry.origin, "settings": told}
        return print_json(card | ({"weights": weights_of_agent(name)} if weights_of_agent(name) else {}))
    print_text(f"{name}: {entry.means}" + (f" ({entry.origin})" if entry.origin else ""), "bold")
    rows = [(f"{each.name}={print_value(each.default)}", each.means) for each in settings]
    print_table(("setting and default", "what it means"), rows, wraps={1: None})
    if weights := weights_of_agent(name):
        lines = [(key, show_fact(value)) for key, value in weights.items()]
        print_table(("weights", ""), lines, wraps={1: None})


def weights_of_agent(name: str) -> dict[str, object]:
    """The facts about weights that come with assay: how they were made, and their digest; {} without any."""
    from assay.plans.agents import catalogue_agent

    shipped = catalogue_agent(name).shipped
    return {**asdict(shipped.provenance()), "sha256": shipped.digest} if shipped else {}


def show_fact(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={each}" for key, each in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


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
    line = ", ".join(f"{each.name}={print_value(each.default)}" for each in settings)
    weights = weights_of_agent(name)
    if not weights:
        return line
    trained = f"{weights['agent']}, seed {weights['seed']}, {weights['steps']:,} steps on {weights['task']}"
    return f"{line}; weights: {trained}, SHA-256 {str(weights['sha256'])[:12]}"
