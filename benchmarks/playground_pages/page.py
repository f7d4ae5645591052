"""docs/results/playground.md as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from assay.stats.rank import spearman, warn_of_few

from .experiments import (
    EXPERIMENTS,
    OF_PAIRS,
    OF_PICTURES,
    OF_TUNING,
    ON_COMPLEX,
    ON_TARGETS,
    ON_VECTORS,
    RANDOM,
    Experiment,
)
from .figures import name_of
from .records import FOLDER, Record, read
from .tables import agents_of, claim_table, has_learned, level_table, map_table
from .texts import INTRO, NOTES, SECTIONS

PARTS = (
    ("vectors", ON_VECTORS), ("targets", ON_TARGETS), ("pairs", OF_PAIRS), ("pictures", OF_PICTURES),
    ("tuning", OF_TUNING), ("complex", ON_COMPLEX),
)  # fmt: skip


def records_of(experiment: Experiment, folder: Path = FOLDER) -> tuple[list[Record], Record | None]:
    found = [read(experiment.suite, agent, folder) for agent in agents_of(experiment)]
    return [each for each in found if each is not None], read(experiment.suite, RANDOM, folder)


def page(folder: Path = FOLDER) -> str:
    lines = [INTRO, "", *machines(folder), "", *missing(folder)]
    for name, experiments in PARTS:
        present = [each for each in experiments if records_of(each, folder)[0]]
        if present:
            lines += ["", SECTIONS[name]]
        for experiment in present:
            lines += ["", *section(experiment, folder)]
    return "\n".join(lines) + "\n"


def section(experiment: Experiment, folder: Path) -> list[str]:
    records, random = records_of(experiment, folder)
    level = "####" if experiment in OF_TUNING else "###"
    lines = [f"{level} {experiment.title}", ""]
    if experiment.figures:
        lines += [f"The paper's figures {experiment.figures}. `assay run playground/{experiment.suite}`", ""]
    if note := NOTES.get(experiment.suite):
        lines += [note, ""]
    if table := claim_table(experiment, records, random):
        lines += [*table, ""]
    lines += correlations(experiment, records, folder)
    if experiment not in OF_TUNING:
        lines += [f"![{experiment.title}](../images/{name_of(experiment)})", ""]
    for record in records:
        lines += [f"`{record.agent}`{settings_words(record.settings)}: {seeds_words(record)}", ""]
        if has_learned(record, random) is False:
            lines += ["Not learned: at the plain level its final score is not above random play.", ""]
        two = len(record.levels[0].point) == 2 and experiment in OF_PAIRS
        lines += [*(map_table(record) if two else level_table(record, random)), ""]
    return lines[:-1]


def correlations(experiment: Experiment, records: list[Record], folder: Path) -> list[str]:
    """Whether an agent ranks these levels as it ranks those of the toy env, matched by position."""
    lines = []
    for record in records if experiment.toy else ():
        toy = read(experiment.toy, record.agent, folder)
        if toy is None or has_learned(record, read(experiment.suite, RANDOM, folder)) is not True:
            lines.append(
                f"- `{record.agent}`: no rank correlation, for it is not run on the toy or has not learned."
            )
            continue
        sides = [
            np.array([each.units["area"] for each in levels]).T
            for levels in ([toy.levels[each] for each in experiment.toy_levels], record.levels)
        ]
        found = spearman(*sides, rng=np.random.default_rng(0))
        rho, seeds = found.rho, len(record.seeds)
        lines.append(
            f"- `{record.agent}`: Spearman's rho with the toy's levels {rho.value:.2f} [{rho.low:.2f}, "
            f"{rho.high:.2f}] over seeds, p {found.chance:.2f} by all orders of {len(record.levels)} levels"
            + (f"; {warn_of_few(seeds, 'seed')}." if warn_of_few(seeds, "seed") else ".")
        )
    return [*lines, ""] if lines else []


def settings_words(settings: Mapping[str, object]) -> str:
    return " with " + ", ".join(f"`{name}={value}`" for name, value in settings.items()) if settings else ""


def seeds_words(record: Record) -> str:
    return f"{len(record.seeds)} seeds of {record.steps:,} steps, {record.seconds / 60:.1f} min."


def machines(folder: Path) -> list[str]:
    """Where the records were made."""
    found: dict[str, int] = {}
    for experiment in EXPERIMENTS:
        for record in records_of(experiment, folder)[0]:
            words = f"{record.device}, JAX {record.versions['jax']}"
            found[words] = found.get(words, 0) + 1
    return ["Made on: " + "; ".join(f"{words} ({count} runs)" for words, count in found.items()) + "."]


def missing(folder: Path) -> list[str]:
    """What the paper has and the records have not, or with fewer seeds."""
    lacking, few = [], []
    for experiment in EXPERIMENTS:
        have = {each.agent: len(each.seeds) for each in records_of(experiment, folder)[0]}
        absent = [agent for agent in agents_of(experiment) if agent not in have]
        if absent:
            lacking.append(f"{experiment.suite} ({', '.join(absent)})")
        few += [
            f"{experiment.suite} with {agent} ({have[agent]} of {experiment.seeds})"
            for agent in agents_of(experiment)
            if 0 < have.get(agent, 0) < experiment.seeds
        ]
    lines = [f"Not run yet: {'; '.join(lacking)}."] if lacking else []
    if few:
        lines += ["", f"Fewer seeds than the paper's so far: {', '.join(few)}."]
    return lines
