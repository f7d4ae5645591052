"""`assay list`: what the catalogue holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, get_args

import typer

from assay.catalogue import entries, env_entry, load, variations
from assay.cli.axes import facts, form, require_env, touches
from assay.cli.output import GAP, NARROW, print_json, print_table, print_text, width
from assay.core.axis import COMPONENTS, DIRECTIONS, Axis, Kind
from assay.errors import AssayError
from assay.proof.own_proofs import ELSEWHERE, shipped_proof, standing_here
from assay.task_text import parse, unknown_name_error

EXAMPLES = (
    "assay list",
    "assay list toy/discrete",
    "assay list gym/CartPole-v1 --component reward",
    "assay list variations --kind switch --json",
    "assay list atari/Pong --direction harder",
    "assay list toy/discrete --tag stochastic",
)
NEXT = "`assay list toy/discrete` shows the axes of an env, `assay show toy/discrete+delay=4` one task."
MOST_ROWS = 12  # of each table, when all are shown
TABLES = ("envs", "variations", "suites", "agents")


def run(
    what: Annotated[
        str,
        typer.Argument(
            help="An env, such as toy/discrete, for its axes; or envs, variations, suites, agents, or a "
            "family.",
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
    show_axes = what == "variations" or "/" in what
    if (component or kind or all or direction or tag or controls is not None) and not show_axes:
        raise AssayError(
            "--component, --kind, --direction, --tag, --controls and --all choose among axes; "
            "say of which env, as in `assay list toy/discrete --tag stochastic`."
        )
    if not show_axes:
        return list_tables(what, json)
    env = "" if what == "variations" else require_env(parse(what).env)
    if env and env != what:
        raise AssayError(
            f"`assay list` takes an env without variations: `assay list {env}`; for a task, `assay show`."
        )
    known = variations(env) if env else entries().variations
    chosen = [axis for axis in known if component in ("", *axis.components) and kind in ("", axis.kind)]
    if direction:
        chosen = [axis for axis in chosen if direction in directions(axis)]
    if tag:
        refuse_unknown("tag", tag, sorted({word for axis in known for word in tags_of(env, axis)}))
        chosen = [axis for axis in chosen if tag in tags_of(env, axis)]
    if controls is not None:
        chosen = [axis for axis in chosen if directions(axis) and bool(axis.restates) == controls]
    names = {axis.name for axis in known}
    hidden = [] if all else [axis for axis in chosen if axis.same_as in names]
    shown = [axis for axis in chosen if axis not in hidden]
    if json:
        axes = [
            facts(axis)._asdict() | {"tags": list(tags_of(env, axis)), "standing": standings(env, axis)}
            for axis in shown
        ]
        return print_json({"env": env or None, "axes": axes, "hidden": [axis.name for axis in hidden]})
    if env:
        entry = env_entry(env)
        print_text(f"{env}: {entry.means} ({entry.origin})", "bold")
    print_axes(env, shown)
    print_remarks(env, shown, hidden)


def directions(axis: Axis) -> set[str]:
    """What its levels are for a person who plays, controls left out; nothing where that is not said."""
    levels = [level for level in axis.levels if level not in axis.restates]
    return ({axis.direction_of(level) for level in levels} or {axis.direction}) - {""}


def tags_of(env: str, axis: Axis) -> tuple[str, ...]:
    """Its own tags, and the family that it comes from: that of the env, or none where any task has it."""
    generic = any(axis.name == each.name for each in entries().variations)
    return axis.tags if generic or not env else (*axis.tags, env.split("/")[0])


def for_a_person(axis: Axis) -> str:
    words = ", ".join(sorted(directions(axis)))
    if axis.restates:
        return (
            "a control: restates the game"
            if set(axis.levels) == set(axis.restates)
            else f"{words}; has controls"
        )
    return words


def refuse_unknown(kind: str, name: str, known: Sequence[str]) -> None:
    if name and name not in known:
        raise AssayError(f"no {kind} is called {name!r}; choose one of {', '.join(known)}.")


def standings(env: str, axis: Axis) -> str:
    """Whether it is proved on an env, or for any task on how many of those that stand for all."""
    if env:
        return standing_here(env, axis)
    words = [standing_here(name, axis) for entry in entries().envs for name in entry.stand_ins]
    return f"{words.count('proved')} of {len(words) - words.count('not applicable')}"


def print_axes(env: str, axes: Sequence[Axis]) -> None:
    rows: list[tuple[str, ...]] = [
        (form(axis), touches(axis), axis.means, axis.origin, standings(env, axis)) for axis in axes
    ]
    if not rows:
        print_text("no axis fits these filters")
    elif width() >= NARROW:
        headings: tuple[str, ...] = ("axis", "touches", "what it means", "origin", "" if env else "proved on")
        told = any(map(directions, axes))
        if told:
            headings = (*headings[:3], "for a person", *headings[3:])
            rows = [(*row[:3], for_a_person(axis), *row[3:]) for row, axis in zip(rows, axes)]
        print_table(headings, rows, wraps={1: 18, 2: None, 3: 16, 4: 18} if told else {1: 18, 2: None, 3: 18})
    else:
        longest = max(len(name) for name, *_ in rows)
        for name, components, means, origin, proved in rows:
            print_text(f"{name.ljust(longest)}{GAP}{proved}{GAP}{components}", "bold", indent=2)
            print_text(f"{means} ({origin})", indent=4)


def print_remarks(env: str, shown: Sequence[Axis], hidden: Sequence[Axis]) -> None:
    remarks = []
    if hidden:
        names = ", ".join(axis.name for axis in hidden)
        remarks.append(
            f"not shown: {names}, for which {env} has axes of its own; `assay list {env} --all` shows them."
        )
    proofs = [shipped_proof(env, axis) for axis in shown] if env else []
    for says in dict.fromkeys(proof.says for proof in proofs if proof.word == ELSEWHERE):
        remarks.append(f"certificates were {says}; `assay check {env}` proves the axes with what is here.")
    if env and any(standing_here(env, axis) == "unproved" for axis in shown):
        remarks.append(f"`assay check {env}` proves what is unproved.")
    for remark in remarks:
        print_text(remark, "dim", indent=2)


def list_tables(what: str, json: bool) -> None:
    """The tables of the catalogue, one of them, or the envs of one family."""
    family = ""
    if what and what not in TABLES:
        families = {each.name: each for each in entries().families}
        if what not in families:
            raise unknown_name_error("env or table", what, [*TABLES, *families], see="assay list")
        family, what = what, "envs"
    wanted = (what,) if what else TABLES
    told = {table: TELL[table]() for table in wanted}
    if family:
        told["envs"] = [row for row in told["envs"] if row["name"].split("/")[0] == family]
        members = families[family].members
        told["envs"] += load(members)() if members else []
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
