"""The axes that `assay list` shows: of an env, of a family, or those of any task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.catalogue import entries, env_entry, variations
from assay.cli.axes import facts, form, touches
from assay.cli.output import GAP, NARROW, print_json, print_table, print_text, width
from assay.core.axis import Axis
from assay.errors import AssayError
from assay.proof.own_proofs import ELSEWHERE, shipped_proof, standing_here
from assay.task_values import print_value

# What to look for where no axis is of a type.
ELSEWHERE_TOLD = {
    "0": "type 0 is the plain task; of Atari games with observation=ram, labels or decoded, and sticky=0",
    "2.1": "events in the world belong to an env: `assay list toy/discrete --type 2.1`",
    "2.2": "type 2.2 is a schedule on any axis, as in action.random=0.3@sudden:300",
}


class AxisFilter(NamedTuple):
    """Which axes are wanted; "" and None stand for any."""

    component: str = ""
    kind: str = ""
    direction: str = ""
    tag: str = ""
    stochasticity: str = ""
    controls: bool | None = None
    all: bool = False  # also variations for which the env has an axis of its own

    @property
    def is_set(self) -> bool:
        return self != AxisFilter()


class Place(NamedTuple):
    """Where axes are listed: one env, the envs of a family, or any task."""

    name: str  # of the env or the family; "" for any task
    envs: tuple[str, ...] = ()
    proved_on: tuple[str, ...] = ()  # the envs that stand for it in proofs

    @property
    def env(self) -> str:
        """The env, where it is one; "" for a family and for any task."""
        return self.name if self.envs == (self.name,) == self.proved_on else ""


class Listed(NamedTuple):
    """An axis, and the envs of the place that have it."""

    axis: Axis
    envs: tuple[str, ...] = ()


def place_of_env(env: str) -> Place:
    return Place(env, (env,), (env,))


def place_of_family(family: str) -> Place:
    envs = [entry for entry in entries().envs if entry.name.split("/")[0] == family]
    return Place(
        family, tuple(entry.name for entry in envs), tuple(name for entry in envs for name in entry.stand_ins)
    )


def any_task() -> Place:
    return Place("", (), tuple(name for entry in entries().envs for name in entry.stand_ins))


def axes_in(place: Place) -> list[Listed]:
    """The axes of a place, each once; envs whose axes of one name mean different things have one each."""
    if not place.envs:
        return [Listed(axis) for axis in entries().variations]
    owners: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    first: dict[tuple[str, str, tuple[str, ...]], Axis] = {}
    for env in place.envs:
        for axis in variations(env):
            key = axis.name, axis.means, axis.components
            owners.setdefault(key, []).append(env)
            first.setdefault(key, axis)
    return [Listed(axis, tuple(owners[key])) for key, axis in first.items()]


def list_axes(place: Place, wanted: AxisFilter, json: bool) -> None:
    """Prints the wanted axes of a place."""
    known = axes_in(place)
    if wanted.tag:
        refuse_unknown(
            "tag", wanted.tag, sorted({tag for each in known for tag in tags_of(place, each.axis)})
        )
    chosen = [each for each in known if is_wanted(place, each.axis, wanted)]
    names = {each.axis.name for each in known}
    hidden = [] if wanted.all else [each for each in chosen if each.axis.same_as in names]
    shown = [each for each in chosen if each not in hidden]
    if json:
        return print_listed(place, shown, hidden)
    if place.env:
        entry = env_entry(place.env)
        print_text(f"{place.env}: {entry.means} ({entry.origin})", "bold")
    elif place.name:
        print_text(f"{place.name}: {', '.join(place.envs)}", "bold")
    print_axes(place, shown, wanted.stochasticity)
    print_remarks(place, [each.axis for each in shown], [each.axis for each in hidden])


def is_wanted(place: Place, axis: Axis, wanted: AxisFilter) -> bool:
    return (
        wanted.component in ("", *axis.components)
        and wanted.kind in ("", axis.kind)
        and (not wanted.direction or wanted.direction in directions(axis))
        and (not wanted.tag or wanted.tag in tags_of(place, axis))
        and wanted.stochasticity in ("", axis.stochasticity)
        and (wanted.controls is None or bool(directions(axis) and bool(axis.restates) == wanted.controls))
    )


def print_listed(place: Place, shown: Sequence[Listed], hidden: Sequence[Listed]) -> None:
    axes = []
    for each in shown:
        told = facts(each.axis)._asdict() | {"tags": list(tags_of(place, each.axis))}
        told |= {"standing": standing_in(place, each.axis)}
        axes.append(told | ({"envs": list(each.envs)} if place.name and not place.env else {}))
    where = {"env": place.env or None} | ({"family": place.name} if place.name and not place.env else {})
    print_json(where | {"axes": axes, "hidden": [each.axis.name for each in hidden]})


def directions(axis: Axis) -> set[str]:
    """What its levels are for a person who plays, controls left out; nothing where that is not said."""
    levels = [level for level in axis.levels if level not in axis.restates]
    return ({axis.direction_of(level) for level in levels} or {axis.direction}) - {""}


def tags_of(place: Place, axis: Axis) -> tuple[str, ...]:
    """Its own tags, and the family that it comes from: that of the env, or none where any task has it."""
    generic = any(axis.name == each.name for each in entries().variations)
    return axis.tags if generic or not place.name else (*axis.tags, place.name.split("/")[0])


def for_a_person(axis: Axis) -> str:
    words = ", ".join(sorted(directions(axis)))
    if axis.restates:
        return (
            "a control: restates the game"
            if set(axis.levels) == set(axis.restates)
            else f"{words}; {', '.join(map(print_value, axis.restates))} restates the game"
        )
    return words


def refuse_unknown(kind: str, name: str, known: Sequence[str]) -> None:
    if name and name not in known:
        raise AssayError(f"no {kind} is called {name!r}; choose one of {', '.join(known)}.")


def standing_in(place: Place, axis: Axis) -> str:
    """Whether it is proved on an env; elsewhere, on how many of the envs that stand for the place."""
    if place.env:
        return standing_here(place.env, axis)
    there = [env for env in place.proved_on if not place.name or has_axis(env, axis)]
    words = [standing_here(env, axis) for env in there]
    count = len(words) - words.count("not applicable")
    return f"{words.count('proved')} of {count}" if count else "not applicable"


def has_axis(env: str, axis: Axis) -> bool:
    return any(each.name == axis.name and each.means == axis.means for each in variations(env))


def print_axes(place: Place, listed: Sequence[Listed], stochasticity: str = "") -> None:
    axes = [each.axis for each in listed]
    rows: list[tuple[str, ...]] = [
        (form(axis), touches(axis), axis.means + only_of(place, envs), axis.origin, standing_in(place, axis))
        for axis, envs in listed
    ]
    if not rows:
        print_text("no axis fits these filters")
        if stochasticity in ELSEWHERE_TOLD:
            print_text(ELSEWHERE_TOLD[stochasticity], "dim", indent=2)
    elif width() >= NARROW:
        proved = "" if place.env else "proved on"
        headings: tuple[str, ...] = ("axis", "touches", "what it means", "origin", proved)
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


def only_of(place: Place, envs: Sequence[str]) -> str:
    return f" (of {', '.join(envs)})" if len(envs) < len(place.envs) else ""


def print_remarks(place: Place, shown: Sequence[Axis], hidden: Sequence[Axis]) -> None:
    remarks = []
    if hidden:
        names = ", ".join(axis.name for axis in hidden)
        remarks.append(
            f"not shown: {names}, for which {place.name} has axes of its own; "
            f"`assay list {place.name} --all` shows them."
        )
    proofs = [shipped_proof(place.env, axis) for axis in shown] if place.env else []
    for says in dict.fromkeys(proof.says for proof in proofs if proof.word == ELSEWHERE):
        remarks.append(
            f"certificates were {says}; `assay check {place.env}` proves the axes with what is installed."
        )
    if place.env and any(standing_here(place.env, axis) == "unproved" for axis in shown):
        remarks.append(f"`assay check {place.env}` proves what is unproved.")
    for remark in remarks:
        print_text(remark, "dim", indent=2)
