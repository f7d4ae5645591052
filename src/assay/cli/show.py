"""`assay show`: a card of one task, and a few steps of it, plain beside varied; or the same in pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from gymnasium import Space, spaces

from assay.catalogue import entries, env_entry, family_of, suite, suites
from assay.cli.axes import facts, touches
from assay.cli.output import MARK, print_json, print_table, print_text, width
from assay.cli.show_chance import print_chance, quick_chance
from assay.cli.show_words import print_steps_in_words, sides_in_words
from assay.cli.side_by_side import (
    MOST_STEPS,
    Average,
    Moment,
    Row,
    average,
    differ,
    plain_beside,
    side_by_side,
)
from assay.cli.suite_files import is_suite_file, suite_at
from assay.errors import BadText, NoMoreDraws
from assay.interop.film import drawing_of, is_picture
from assay.interop.gymnasium import make
from assay.interop.text_views import describe_task
from assay.plans.drift_question import STEPS as OF_EPISODE
from assay.plans.drift_request import on_spans
from assay.plans.shared_parts import most_steps
from assay.proof.own_proofs import standing_here
from assay.suites.suite import Suite
from assay.task_text import TIMED, TaskText
from assay.tasks import Resolved, optimum, resolve

EXAMPLES = (
    "assay show toy/discrete+transition_noise=0.25",
    "assay show gym/CartPole-v1+action.sticky=0.5 --seed 3 --steps 20",
    "assay show gym/FrozenLake-v1+observation.delay=2 --json",
    "assay show toy/grid+image_representations+observation.shift --sheet shift.png",
    "assay show toy/grid+image_representations+observation.flip --steps 30 --gif flip.gif",
)
STEPS = 12
LOOKED = 600  # steps in which a difference between pictures is looked for


class Room(NamedTuple):
    """How much of an array a cell shows."""

    entries: int
    decimals: int


def room() -> Room:
    return Room(2, 1) if width() < 100 else Room(4, 2) if width() < 160 else Room(8, 2)


def run(
    tasks: Annotated[
        list[str],
        typer.Argument(help="A task, such as toy/discrete+delay=4; for pictures also two tasks, or a suite."),
    ],
    seed: Annotated[int, typer.Option(help="The seed of the plain and of the varied episodes.", min=0)] = 0,
    steps: Annotated[
        int | None,
        typer.Option(help="How many steps to show.", show_default="12; pictures 120", min=1, max=10_000),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(help="Write a contact sheet, plain above varied; an axis without a level is shown at "
                     "all levels of the catalogue.", metavar="FILE.png"),
    ] = None,
    gif: Annotated[
        Path | None, typer.Option(help="Write an animation, plain beside varied.", metavar="FILE.gif")
    ] = None,
    policy: Annotated[
        str, typer.Option(help="The policy that acts in pictures: random, one of the family's such as run "
                          "(right, with jumps), or a list of actions in turn such as [2,2,6].",
                          show_default="the family's own, else random"),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:  # fmt: skip
    """Show one task and a few steps of it, plain beside varied."""
    chosen = suite_of(tasks)
    if sheet or gif:
        return show_pictures(chosen or tasks, sheet, gif, seed, steps, policy, json)
    if chosen:
        raise BadText(f"{chosen.name} is a suite; add --sheet FILE.png to see its pairs.")
    if len(tasks) > 1 or policy:
        what = "--policy is for pictures" if policy else "two tasks are shown as pictures"
        raise BadText(f"{what}; add --sheet FILE.png or --gif FILE.gif.")
    show_card(tasks[0], seed, steps or STEPS, json)


def suite_of(tasks: list[str]) -> Suite | None:
    """The suite that is named in place of a task, or None."""
    if len(tasks) > 1:
        return None
    if is_suite_file(tasks[0]):
        return suite_at(tasks[0])
    family = tasks[0].split("/")[0]
    named = {each.name.split("/")[0] for each in suites()} - {each.name for each in entries().families}
    return suite(tasks[0]) if family in named else None


def show_pictures(
    what: list[str] | Suite, sheet: Path | None, gif: Path | None, seed: int, steps: int | None, policy: str,
    json: bool,
) -> None:  # fmt: skip
    from assay.cli import pictures
    from assay.report.sheet import require_place

    asked = pictures.Asked(seed, steps or pictures.STEPS, policy)
    wanted = ((sheet, pictures.write_sheet, ".png"), (gif, pictures.write_gif, ".gif"))
    for path, _, ending in wanted:
        if path:
            require_place(path, ending)
    done = [write(what, path, asked) for path, write, _ in wanted if path]
    if json:
        return print_json([{**each._asdict(), "path": str(each.path), "seed": seed} for each in done])
    for each in done:
        count = "a task" if len(each.tasks) == 1 else f"{len(each.tasks)} tasks"
        print_text(f"{each.path}  {count} at {len(each.moments)} moments, steps 0 to {each.moments[-1]}")


def show_card(task: str, seed: int, steps: int, json: bool) -> None:
    resolved = resolve(task)
    varied = make(resolved.text)
    plain, why_not = plain_beside(resolved, varied)
    rows = side_by_side(plain, varied, seed, steps)
    averages = {"plain": average(plain, seed) if plain else None, "varied": average_if_drawn(varied, seed)}
    if json:
        return print_json(card_as_json(resolved, varied, plain, rows, averages))
    print_card(resolved, varied, plain)
    print_chance(resolved.text)
    print_steps(rows, plain, varied, why_not, seed)
    print_averages(averages)
    if is_picture(varied.observation_space) or drawing_of(resolved):
        print()
        if (
            is_picture(varied.observation_space)
            and plain is not None
            and family_of(resolved.text.env).cost == "emulator"
        ):
            print_difference(plain.task, task, seed)
        print_text("as pictures: --sheet FILE.png, or --gif FILE.gif", "dim")


def average_if_drawn(varied: Any, seed: int) -> Average | None:
    """The averages of random play; None where recorded draws end before its episodes do."""
    try:
        return average(varied, seed)
    except NoMoreDraws:
        return None


def print_difference(plain: str, varied: str, seed: int) -> None:
    """The first step at which a game looks different, and by how much; of actions as in pictures."""
    from assay.cli import pictures

    asked = pictures.Asked(seed, LOOKED)
    shots = pictures.films([resolve(plain).text, resolve(varied).text], asked)
    if shots[0].pictures.shape[1:] != shots[1].pictures.shape[1:]:
        return
    step = pictures.first_difference(shots)
    if step is None:
        return print_text(f"the same picture at each of {LOOKED} steps of random play, seed {seed}")
    share = (shots[0].at(step) != shots[1].at(step)).any(-1).mean()
    print_text(f"the pictures first differ at step {step}, in {share:.2%} of their pixels (seed {seed})")


def print_card(resolved: Resolved, varied: Any, plain: Any) -> None:
    entry = resolved.entry
    print_text(str(resolved.text), "bold")
    host = "native: pure JAX" if entry.native else "hosted: a Gymnasium env"
    print_table(("", ""), [
        ("env", f"{entry.means} ({entry.origin}; {host})"),
        ("action", space_text(varied.action_space) + with_names(varied.action_meanings())),
        ("observation", space_text(varied.observation_space) + with_names(varied.observation_labels())),
        ("optimum", optimum_text(resolved, plain)),
        *((name, " / ".join(told.splitlines())) for name, told in describe_task(resolved)),
    ], wraps={1: None})  # fmt: skip
    if resolved.axes:
        print()
        settings = zip(resolved.axes, resolved.text.settings)
        rows = [
            (str(s), touches(axis), axis.means, standing_here(resolved.text.env, axis))
            for axis, s in settings
        ]
        print_table(("variation", "touches", "what it means", ""), rows, wraps={0: 40, 1: 12, 2: None})
    for line in never_on(resolved.text):
        print_text(line, indent=2)


def never_on(text: TaskText) -> list[str]:
    """A sentence on each schedule that does not come on within an episode of a native task."""
    steps = most_steps(text) if env_entry(text.env).native else None
    timed = [(each, each.schedule) for each in text.settings if each.schedule is not None]
    return [
        f"{each} never comes on: episodes end after {steps:,} steps"
        for each, schedule in timed
        if steps and schedule.kind in TIMED and schedule.unit == OF_EPISODE
        and next(on_spans(schedule, steps), None) is None
    ]  # fmt: skip


def with_names(names: tuple[str, ...] | dict[str, int]) -> str:
    """Numbers with their names, behind what they are numbers of."""
    pairs = names.items() if isinstance(names, dict) else ((name, i) for i, name in enumerate(names))
    return ": " + ", ".join(f"{number} {name}" for name, number in pairs) if names else ""


def space_text(space: Space) -> str:
    """A Gymnasium space in a few words."""
    if isinstance(space, spaces.Discrete):
        return f"Discrete, {space.start} to {space.start + space.n - 1}"
    if isinstance(space, spaces.Box):
        edges = f"{np.min(space.low):.4g} to {np.max(space.high):.4g}"
        return f"Box of shape {space.shape}, {space.dtype}, {edges}"
    return str(space)


def optimum_text(resolved: Resolved, plain: Any) -> str:
    best, before = optimum(resolved.text), optimum(plain.task) if plain else None
    if best.value is None:
        return f"not known: {best.how}"
    aside = f" (plain: {before.value:.2f})" if before and before.value is not None else ""
    return f"{best.value:.2f}{aside}: {best.how}"


def print_steps(rows: list[Row], plain: Any, varied: Any, why_not: str, seed: int) -> None:
    says = f"random actions, seed {seed}; shown alone, because {why_not}"
    if plain is not None:
        beside = f"beside the plain task {plain.task}: seed {seed}, the same random actions"
        says = f"{beside}; {MARK} marks differences"
    sides = sides_in_words(plain, varied)
    if sides:
        return print_steps_in_words(rows, sides, says)
    print()
    fits = room()
    print_text(says, "bold")
    if plain is None:
        table = [(str(row.t), text(row.action, fits), *moment_cells(row.varied, fits)) for row in rows]
        return print_table(("t", "action", "executed", "observation", "reward", "end"), table)
    cells: list[tuple[str, ...]] = []
    for row in rows:
        both = *moment_cells(row.plain, fits)[1:], *compare_cells(row, fits)
        cells.append((str(row.t), text(row.action, fits), *both))
    above = (
        "plain\nobservation",
        "\nreward",
        "\nend",
        "varied\nexecuted",
        "\nobservation",
        "\nreward",
        "\nend",
    )
    print_table(("\nt", "\naction", *above), cells)


def moment_cells(moment: Moment | None, fits: Room) -> tuple[str, str, str, str]:
    """Executed action, observation, reward, end."""
    if moment is None:
        return "", "", "", ""
    return text(moment.executed, fits), text(moment.observation, fits), text(moment.reward, fits), moment.end


def compare_cells(row: Row, fits: Room) -> tuple[str, ...]:
    """The cells of the varied run, marked where they differ from the plain one's or only one run goes on."""
    cells = moment_cells(row.varied, fits)
    if row.plain is None or row.varied is None:
        return cells
    mine, other = row.varied, row.plain
    pairs = ((mine.executed, other.executed), (mine.observation, other.observation),
             (mine.reward, other.reward), (mine.end, other.end))  # fmt: skip
    return tuple(cell + MARK * differ(*pair) for cell, pair in zip(cells, pairs))


def text(value: Any, fits: Room) -> str:
    """A value in little room: a number with two decimals, of an array the first entries, or a mean."""
    if value is None:
        return ""
    if isinstance(value, np.ndarray) and value.ndim == 3:
        return f"mean {value.mean():.2f}"
    if isinstance(value, np.ndarray):
        form = f".{fits.decimals}f" if value.dtype.kind == "f" else ""
        first = " ".join(format(entry, form) for entry in value.reshape(-1)[: fits.entries].tolist())
        return f"[{first}{' …' if value.size > fits.entries else ''}]"
    return f"{value:.2f}" if isinstance(value, (float, np.floating)) else str(value)


def print_averages(averages: dict[str, Average | None]) -> None:
    print()
    if averages["varied"] is None:
        print_text("recorded draws end before episodes of random play do, so it is not averaged", indent=2)
    rows = []
    for name, mean in averages.items():
        if mean is not None and mean.episodes:
            numbers = [f"{number:.2f}" for number in mean[1:]]
            rows.append((name if averages["plain"] else "", str(mean.episodes), *numbers))
    if rows:
        print_table(("random play", "episodes", "mean length", "mean return", "mean score"), rows)
    endless = [name for name, mean in averages.items() if mean is not None and not mean.episodes]
    if endless:
        whose = f" of the {endless[0]} task" if rows else ""
        print_text(f"no episode{whose} came to an end in {MOST_STEPS:,} steps of random play", indent=2)


def card_as_json(
    resolved: Resolved, varied: Any, plain: Any, rows: list[Row], averages: dict
) -> dict[str, Any]:
    entry = resolved.entry
    settings = zip(resolved.axes, resolved.text.settings)
    return {
        "task": str(resolved.text),
        "env": {
            "name": resolved.text.env,
            "means": entry.means,
            "origin": entry.origin,
            "native": entry.native,
        },
        "action_space": str(varied.action_space),
        "action_meanings": list(varied.action_meanings()),
        "observation_space": str(varied.observation_space),
        "observation_labels": varied.observation_labels(),
        "optimum": optimum(resolved.text)._asdict(),
        "variations": [
            facts(axis)._asdict()
            | {"setting": str(setting), "standing": standing_here(resolved.text.env, axis)}
            for axis, setting in settings
        ],
        "plain": plain.task if plain else None,
        "plain_optimum": optimum(plain.task)._asdict() if plain else None,
        "told": dict(describe_task(resolved)),
        "chance": quick_chance(resolved.text).as_dict(),
        "steps": [as_json(row) for row in rows],
        "random_play": as_json(averages),
    }


def as_json(value: Any) -> Any:
    """Named tuples as objects, arrays as lists."""
    if hasattr(value, "_asdict"):
        # The info of a moment is for drawings; it may hold what no JSON can.
        return {name: as_json(entry) for name, entry in value._asdict().items() if name != "info"}
    if isinstance(value, dict):
        return {name: as_json(entry) for name, entry in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    return value
