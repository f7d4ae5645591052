"""Writes the reference pages from the catalogue: `python -m tools.docs.reference docs/reference [--check]`.

One page per env, one per component for the variations of any task, and an index. No page is written by hand,
so none can say what the catalogue does not.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assay.catalogue import OURS, PICTURE_AXES, axis_of, env_entry, family_of, load, variations
from assay.cli.axes import form, level_text, touches
from assay.core.axis import Axis
from assay.core.family import EnvEntry
from assay.proof.certificate import Certificate, shipped_certificates
from assay.task_text import Setting, TaskText, parse
from assay.tasks import task

ANY_TASK = (
    "gym/CartPole-v1"  # on which the examples of variations of any task stand: each of them applies there
)
COLOURS = "toy/grid"  # the same for variations of pictures
WRITTEN = "<!-- Written by `make docs`; change the catalogue instead. -->"
BESIDE = {  # what an example shows beside an axis, where that is not the context of its proofs
    ("atari/Pong", "overlap"): "lazy_enemy+parallel_enemy",
    ("atari/Pong", "compat"): "ball_jump=0.5",
    # Proofs need noise where the held action is the named one; a reader needs none.
    (ANY_TASK, "action.restricted.0"): "",
    ("atari/Pong", "granularity"): "ball_jump=0.5",
    ("atari/Pong", "align"): "hide_ball=0.5",
    ("atari/Pong", "draws"): "ball_jump=0.5",
    (ANY_TASK, "action.matrix"): "",
    # Proofs play some actions at random, for on a given board seeds would not differ; a reader needs none.
    ("rules/b3_then_b1", "board"): "slots=9",
    ("rules/b3_then_b1", "boards_order"): "boards=[example:row,example:corners]+board_number=1",
    ("rules/b3_then_b1", "board_number"): "boards=example:all",
}
KINDS = {
    "dose": "dose: ordered, with a neutral level",
    "switch": "switch: off or on",
    "choice": "choice: one of a few values",
    "structure": "structure: changes shapes or generated tables, and takes no schedule",
}


def pages() -> dict[str, str]:
    """File name -> text."""
    found = {page_of(entry): env_page(entry) for entry in OURS.envs}
    for component in components():
        found[f"{component}.md"] = component_page(component)
    return {"index.md": index_page()} | found


def components() -> list[str]:
    """The components that variations of any task touch, in the catalogue's order."""
    return list(dict.fromkeys(axis.components[0] for axis in OURS.variations))


def page_of(entry: EnvEntry) -> str:
    return entry.name.removesuffix("/*").replace("/", "-") + ".md"


def index_page() -> str:
    lines = [
        WRITTEN,
        "# Reference",
        "",
        "## Envs",
        "",
        "| env | what it is | origin | axes of its own |",
        "|---|---|---|---|",
    ]
    for entry in OURS.envs:
        own = len(axes_of(entry))
        lines.append(f"| [`{entry.name}`]({page_of(entry)}) | {entry.means} | {entry.origin} | {own} |")
    lines += ["", "## Variations of any task", ""]
    for component in components():
        names = ", ".join(f"`{axis.name}`" for axis in OURS.variations if axis.components[0] == component)
        lines.append(f"- [{component}]({component}.md): {names}")
    return joined(lines)


def env_page(entry: EnvEntry) -> str:
    host = "Native: pure JAX, under `jit`, `vmap` and `scan`." if entry.native else (
        "Hosted: the stateful env itself, with variations of its action, reward and observation around it."
    )  # fmt: skip
    if entry.examples:
        proved = ", ".join(f"`{name}`" for name in entry.examples)
        host += f" `assay check {entry.name.split('/')[0]}` proves them on {proved}."
    lines = [WRITTEN, f"# {entry.name}", "", f"{capital(entry.means)}. From {entry.origin}. {host}"]
    links = ", ".join(f"[{component}]({component}.md)" for component in components())
    lines += ["", f"Beside its own axes it takes the variations of any task: {links}."]
    if entry.optimum:
        lines += ["", f'The best expected return is computed exactly: `assay.optimum("{entry.name}")`.']
    for axis in axes_of(entry):
        lines += section(axis, example_of(entry, axis))
    return joined(lines)


def example_of(entry: EnvEntry, axis: Axis) -> str:
    """The env of an axis' example: the entry's last one, or one that is proved where that has not."""
    if not entry.examples:
        return entry.name
    if axis.name in {each.name for each in variations(entry.examples[-1])}:
        return entry.examples[-1]
    family = family_of(entry.examples[-1])
    others = load(family.own_members)() if family.own_members else ()
    return next(env for env in others if axis.name in {each.name for each in variations(env)})


def axes_of(entry: EnvEntry) -> tuple[Axis, ...]:
    """The axes that every env of an entry has."""
    return env_entry(entry.name).axes


def component_page(component: str) -> str:
    axes = [axis for axis in OURS.variations if axis.components[0] == component]
    lines = [
        WRITTEN,
        f"# Variations of the {component}",
        "",
        "They act on any task, native or hosted, from outside.",
    ]
    for axis in axes:
        lines += section(*shown_on(axis))
    return joined(lines)


def shown_on(axis: Axis) -> tuple[Axis, str]:
    """The axis and the env of its example: any task, or for pictures one that shows colours."""
    if axis not in PICTURE_AXES:
        return axis, ANY_TASK
    return axis_of(COLOURS, axis.name), COLOURS


def section(axis: Axis, env: str) -> list[str]:
    """What there is to say of one axis."""
    rows = [
        ("touches", touches(axis)),
        ("kind", KINDS[axis.kind]),
        ("takes", axis.takes()),
        ("neutral", level_text(axis, axis.neutral)),
        ("levels", ", ".join(map(short, (level_text(axis, level) for level in axis.levels)))),
        ("needs", ", ".join(axis.needs)),
        (
            "score",
            "changes what is asked: scores compare as shares of this task's own optimum" if axis.asks else "",
        ),
        ("see also", f"`{axis.same_as}`, where an env has it" if axis.same_as else ""),
        ("origin", axis.origin),
        ("type", f"{axis.stochasticity} ([taxonomy](../stochasticity.md))" if axis.stochasticity else ""),
    ]
    table = [f"| {name} | {text} |" for name, text in rows if text]
    lines = ["", f"## {axis.name}", "", f"`{form(axis)}`: {axis.means}.", "", "| | |", "|---|---|", *table]
    lines += ["", "```console", f"$ assay show {quoted(example(axis, env))}", "```"]
    proved = [shipped_certificates().get((name, axis.name)) for name in names_of(env, axis)]
    return lines + [line for certificate in proved if certificate for line in figures(certificate)]


def names_of(env: str, axis: Axis) -> list[str]:
    """The envs on which a shipped certificate may speak of the axis."""
    if axis.name not in {each.name for each in OURS.variations}:
        return [env]
    return [name for entry in OURS.envs for name in (entry.examples or (entry.name,))]


def example(axis: Axis, env: str) -> str:
    """A task in which the axis acts, at its last level."""
    beside = BESIDE.get((env, axis.name), axis.context)
    context = parse(f"{env}+{beside}").settings if beside else ()
    kept = tuple(setting for setting in context if setting.name != axis.name)
    return str(task(TaskText(env, kept + (Setting(axis.name, axis.levels[-1]),))))


def quoted(text: str) -> str:
    """As a shell takes it: brackets and quotes would mean something there."""
    return f"'{text}'" if set(text) & set('[]"') else text


def figures(certificate: Certificate) -> list[str]:
    env = certificate.task.split("+")[0]
    if "applies" in certificate.laws:
        return ["", f"On `{env}`: {certificate.laws['applies'].says}"]
    found = [
        f"{component} on {', '.join(f'{share:.2%}' for share in shares)} of steps"
        for component, shares in certificate.shares.items()
    ]
    levels = ", ".join(map(short, certificate.levels))
    touched = f"at {levels} it touches {' and '.join(found)}" if found else certificate.laws["felt"].says
    held = sum(law.holds is True for law in certificate.laws.values())
    failed = ", ".join(name for name, law in certificate.laws.items() if law.holds is False)
    verdict = f"fails {failed}" if failed else f"{held} laws hold"
    return ["", f"On `{certificate.task}`: {touched}; {verdict}."]


def short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def main(folder: str, check: bool) -> int:
    """Writes the pages, or with `check` says which are stale."""
    root, wanted = Path(folder), pages()
    found = {path.name: path.read_text() for path in root.glob("*.md")} if root.is_dir() else {}
    stale = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if check:
        print(f"stale: {', '.join(stale)}; run `make docs`" if stale else "fresh", file=sys.stderr)
        return 1 if stale else 0
    root.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in wanted:
            (root / name).write_text(wanted[name])
        else:
            (root / name).unlink()
    return 0


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__.splitlines()[0])
    sys.exit(main(arguments[0], check="--check" in sys.argv))
