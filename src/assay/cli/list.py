"""`assay list`: what the catalogue holds."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import typer

from assay.catalogue import entries, load, variations
from assay.cli.axes import require_env, touches
from assay.cli.list_agents import add_settings, in_one_line, list_agent
from assay.cli.list_axes import (
    AxisFilter,
    Place,
    any_task,
    list_axes,
    place_of_env,
    place_of_family,
    refuse_unknown,
)
from assay.cli.output import print_json, print_table, print_text
from assay.core.axis import COMPONENTS, DIRECTIONS, Kind
from assay.core.taxonomy import TYPES
from assay.errors import AssayError
from assay.task_text import parse, unknown_name_error

EXAMPLES = (
    "assay list",
    "assay list toy/discrete",
    "assay list gym/CartPole-v1 --component reward",
    "assay list variations --kind switch --json",
    "assay list atari/Pong --direction harder",
    "assay list toy --tag stochastic",
    "assay list variations --type 3.2",
    "assay list dqn",
)
NEXT = "`assay list toy/discrete` shows the axes of an env, `assay show toy/discrete+delay=4` one task."
MOST_ROWS = 12  # of each table, when all are shown
TABLES = ("envs", "variations", "suites", "agents")


def run(
    what: Annotated[
        str,
        typer.Argument(
            help="An env, such as toy/discrete, for its axes; an agent, such as dqn, for its settings; or "
            "envs, variations, suites, agents, or a family.",
            show_default=False,
        ),
    ] = "",
    component: Annotated[
        str, typer.Option(help="Only axes that touch this component, such as reward.", show_default=False)
    ] = "",
    kind: Annotated[
        str,
        typer.Option(help="Only axes of this kind: dose, switch, choice or structure.", show_default=False),
    ] = "",
    direction: Annotated[
        str,
        typer.Option(
            help="Only axes that make the game so for a person: simplification, neutral, harder or unknown.",
            show_default=False,
        ),
    ] = "",
    tag: Annotated[
        str,
        typer.Option(
            help="Only axes with this tag: stochastic, stochastic-action (-transition, -reward, "
            "-observation), or the family that they come from.",
            show_default=False,
        ),
    ] = "",
    type_: Annotated[
        str,
        typer.Option(
            "--type",
            help="Only axes of this type of stochasticity: 0, 1, 2.1, 2.2, 3.1 or 3.2 "
            "(docs/stochasticity.md).",
            show_default=False,
        ),
    ] = "",
    controls: Annotated[
        bool | None,
        typer.Option(
            "--controls/--no-controls",
            help="Only variations with control levels, which restate the game; or only those without.",
            show_default=False,
        ),
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="Also variations for which the env has an axis of its own.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List envs and their axes, variations, suites and agents."""
    refuse_unknown("component", component, COMPONENTS)
    refuse_unknown("kind", kind, get_args(Kind))
    refuse_unknown("direction", direction, DIRECTIONS)
    refuse_unknown("type", type_, tuple(TYPES))
    wanted = AxisFilter(component, kind, direction, tag, type_, controls, all)
    if what in {entry.name for entry in entries().agents} and not wanted.is_set:
        return list_agent(what, json)
    place = place_of(what, wanted)
    if place is None:
        return list_tables(what, json)
    list_axes(place, wanted, json)


def place_of(what: str, wanted: AxisFilter) -> Place | None:
    """The env, family or any task whose axes are asked for; None where tables are."""
    families = {family.name for family in entries().families}
    if what == "variations":
        return any_task()
    if what.removesuffix("/*") in families and (wanted.is_set or what.endswith("/*")):
        return place_of_family(what.removesuffix("/*"))
    if "/" in what:
        env = require_env(parse(what).env)
        if env != what:
            raise AssayError(
                f"`assay list` takes an env without variations: `assay list {env}`; for a task, `assay show`."
            )
        return place_of_env(env)
    if wanted.is_set:
        raise AssayError(
            "--component, --kind, --direction, --tag, --type, --controls and --all choose among axes; "
            "say of which env or family, as in `assay list toy/discrete --tag stochastic`."
        )
    return None


def list_tables(what: str, json: bool) -> None:
    """The tables of the catalogue, one of them, or the envs of one family."""
    family = ""
    if what and what not in TABLES:
        families = {each.name: each for each in entries().families}
        if what not in families:
            known = [*TABLES, *families, *(agent.name for agent in entries().agents)]
            raise unknown_name_error("env, family, agent or table", what, known, see="assay list", shown=0)
        family, what = what, "envs"
    wanted = (what,) if what else TABLES
    told = {table: TELL[table]() for table in wanted}
    if family:
        told["envs"] = [row for row in told["envs"] if row["name"].split("/")[0] == family]
        members = families[family].members
        told["envs"] += load(members)() if members else []
    if what == "agents":
        return list_agents(told["agents"], json)
    if json:
        return print_json(told)
    for table in wanted:
        rows = [list(row.values()) for row in told[table]]
        print_text(table + ("" if rows else ": none yet"), "bold")
        most = MOST_ROWS if not what else len(rows)
        if rows:
            print_table([""] * len(rows[0]), rows[:most], wraps=dict.fromkeys(range(1, len(rows[0]))))
        if len(rows) > most:
            print_text(f"{len(rows) - most} more: `assay list {table}`", "dim", indent=2)
    if not what:
        print_text(f"\n{NEXT}", "dim")


def list_agents(told: list[dict[str, Any]], json: bool) -> None:
    """The agents, each with its settings; the overview of all tables leaves them out, for they load jax."""
    if json:
        return print_json({"agents": [add_settings(row) for row in told]})
    print_text("agents", "bold")
    print_table([""] * 3, [list(row.values()) for row in told], wraps={1: None, 2: None})
    print_text("settings and their defaults, which --set changes", "bold")
    print_table(["", ""], [(row["name"], in_one_line(row["name"])) for row in told], wraps={1: None})
    print_text("`assay list dqn` says what each means.", "dim", indent=2)


def tell_envs() -> list[dict[str, Any]]:
    return [
        {"name": e.name, "axes": f"{len(variations(e.name))} axes", "means": e.means, "origin": e.origin}
        for e in entries().envs
    ]


def tell_variations() -> list[dict[str, Any]]:
    """The variations of any task, by component."""
    names_by_component: dict[str, list[str]] = {}
    for axis in entries().variations:
        names_by_component.setdefault(touches(axis), []).append(axis.name)
    return [
        {"component": component, "names": ", ".join(names)} for component, names in names_by_component.items()
    ]


def tell_suites() -> list[dict[str, Any]]:
    return [
        {"name": s.name, "pairs": "1 pair" if len(s.pairs) == 1 else f"{len(s.pairs)} pairs",
         "seeds": f"{len(s.seeds)} seeds", "steps": f"{s.steps:,} steps" if s.steps else "", "asks": s.asks}
        for s in entries().suites
    ]  # fmt: skip


def tell_agents() -> list[dict[str, Any]]:
    return [{"name": a.name, "means": a.means, "origin": a.origin} for a in entries().agents]


TELL = {"envs": tell_envs, "variations": tell_variations, "suites": tell_suites, "agents": tell_agents}
