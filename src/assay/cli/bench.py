"""`assay bench`: steps per second on this machine, and our DQN beside Stable-Baselines3's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Annotated, Any

import typer

from assay.catalogue import entries, load
from assay.cli.output import Progress, print_json, print_table, print_text
from assay.core.family import Bench
from assay.errors import AssayError

EXAMPLES = (
    "assay bench toy --seconds 0.2 --no-dqn",
    "assay bench dqn --seeds 2 --their-seeds 2 --steps 2000",
)
TRAINING = "dqn"


def run(
    what: Annotated[
        str,
        typer.Argument(
            help="toy (steps per second, then dqn), toy/continuous, toy/grid, platformer, "
            "platformer/curve (by the number of lanes), or dqn alone.",
            show_default="the first of these",
        ),
    ] = "",
    seconds: Annotated[
        float, typer.Option(help="How long one try takes; each figure is the best of three.", min=0)
    ] = 1.0,
    dqn: Annotated[bool, typer.Option("--dqn/--no-dqn", help="Whether toy also trains DQN.")] = True,
    seeds: Annotated[int, typer.Option(help="Seeds that our DQN trains.", min=1)] = 100,
    their_seeds: Annotated[int, typer.Option(help="Seeds that SB3's DQN trains.", min=1)] = 4,
    steps: Annotated[int, typer.Option(help="Env steps of each training.", min=1)] = 20_000,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure steps per second and seconds of training on this machine; compiling is timed apart."""
    known = {bench.name: bench for family in entries().families for bench in family.benches}
    what = what or next(iter(known))
    if what not in (*known, TRAINING):
        raise AssayError(f"assay has no benchmark called {what!r}; it has {', '.join((*known, TRAINING))}.")
    bench = known.get(what)
    result: dict[str, Any] = {}
    if bench:
        result |= stepping(bench.env, load(bench.figures)(seconds, bench.env), json)
    if bench and bench.sizes:
        result |= sizes_of(bench, json)
    if what == TRAINING or (bench and bench.then_trains and dqn):
        result |= training(seeds, their_seeds, steps, json)
    if json:
        print_json(result)


def sizes_of(bench: Bench, json: bool) -> dict[str, Any]:
    sizes = load(bench.sizes)()
    if not json:
        said = ", ".join(f"{size:,} bytes ({name})" for name, size in sizes.items())
        print_text(f"State of a lane: {said}.", indent=2)
    return {"state_bytes": sizes}


def stepping(env: str, figures: Iterable[Any], json: bool) -> dict[str, Any]:
    from assay.bench import toy

    progress, measured = Progress(), []
    for figure in figures:
        measured.append(figure)
        progress(len(measured) - 1, 4, figure.name)
    progress.close()
    if not json:
        rows = [
            (
                f.name,
                f"{f.steps_per_second:,.0f}",
                f"{f.steps_per_cpu_second:,.0f}",
                f"{f.compile_seconds:.1f} s",
                *([f.remark] if any(each.remark for each in measured) else ()),
            )
            for f in measured
        ]
        heads = (env, "steps per second", "per CPU second", "compiling", "remark")
        print_table(heads[: len(rows[0])], rows)
        print_machine(toy.machine())
    return {"machine": toy.machine(), "figures": [figure._asdict() for figure in measured]}


def training(seeds: int, their_seeds: int, steps: int, json: bool) -> dict[str, Any]:
    from assay.bench import dqn

    progress = Progress()
    comparison = dqn.compare(seeds, their_seeds, steps, progress)
    progress.close()
    if not json:
        print_training(comparison, steps)
        print_machine(dqn.machine())
    return {
        "dqn": {"machine": dqn.machine(), "steps": steps, **plain(comparison), "counts": comparison.counts}
    }


def print_training(comparison: Any, steps: int) -> None:
    """Settings line by line, both sides, and what follows."""
    from assay.bench import dqn

    if comparison.theirs:
        rows = [(setting.name, *map(str, (setting.ours, setting.theirs))) for setting in comparison.settings]
        print_table(("DQN", comparison.ours.name, comparison.theirs.name), rows)
        print()
    rows = [
        (
            side.name, str(side.seeds), f"{side.cpu_seconds_per_seed:.2f} s", f"{side.wall_seconds:.1f} s",
            f"{side.compile_seconds:.1f} s", f"{side.score.value:.2f}",
            f"{side.score.low:.2f} to {side.score.high:.2f}",
        )
        for side in (comparison.ours, comparison.theirs) if side
    ]  # fmt: skip
    heads = ("seeds", "CPU a seed", "wall, all seeds", "before training, CPU", "mean score", "95%")
    print_table((f"{dqn.TASK}, {steps:,} steps", *heads), rows)
    print_text(f"{verdict(comparison)}\n{describe_work(comparison.work)}", indent=2)


def verdict(comparison: Any) -> str:
    from assay.bench import dqn

    if comparison.theirs is None:
        return dqn.MISSING
    ratio = f"For one seed theirs takes {comparison.ratio:.1f} times the CPU seconds of ours"
    if comparison.agree is None:
        return f"{ratio}; one seed has no interval, so this does not count: train more."
    same = "overlap" if comparison.agree else "do not overlap"
    if not comparison.counts:
        return f"{ratio}; the settings differ or the scores' intervals {same}, so this does not count."
    return f"{ratio}, at equal settings; the scores' intervals {same}."


def describe_work(work: Any) -> str:
    return (
        f"Matrix products of one training: {work.as_written / 1e9:.1f} GFLOP as written, "
        f"{work.done / 1e9:.1f} done. A core multiplies {work.product_rate / 1e9:.0f} GFLOP a second; "
        f"training does {work.share_done:.0%} of that, or {work.share_as_written:.0%} by what is written."
    )


def print_machine(machine: Mapping[str, str | int | None]) -> None:
    print("  " + ", ".join(f"{name} {value}" for name, value in machine.items()))


def plain(value: Any) -> Any:
    """Records as JSON has them; a number that is not finite is null."""
    if hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
