"""The page itself: docs/results/kage.md as text."""

from __future__ import annotations

from assay.suites import kage

from . import agreement, seeds, tables, texts
from .arithmetic import WAYS, has_failed, share_interval
from .formats import count, interval_text, listed, paragraph
from .learners import BASE, FLOAT32, WITH_AUGMENTATION, Contender, contender_parts, contender_trainings
from .results import Results
from .trainings import select

TITLE = "# KAGE-Bench: PPO on pictures"


def figures_of(results: Results) -> list[str]:
    """The names of the figures that these results allow."""
    names = ["kage-learning.png"] if results.main else []
    if any(results.of(suite.pairs[0]) for suite in kage.SUITES if suite.name.startswith("kage/dose-")):
        names.append("kage-doses.png")
    for contender in (FLOAT32, WITH_AUGMENTATION):
        if contender_trainings(results, contender) and select(results.trainings, BASE):
            names.append(f"kage-{contender.words}.png")
    return names


def picture(results: Results, name: str, words: str) -> list[str]:
    return ["", f"![{words}](../images/{name})"] if name in figures_of(results) else []


def page(results: Results) -> str:
    if not results.main:
        return f"{TITLE}\n\nNothing is trained yet.\n"
    parts = [
        *(TITLE, "", paragraph(texts.INTRO), "", *short_parts(results), ""),
        *training_parts(results),
        *table_parts(results),
        *("", "## The best blind policies", "", paragraph(texts.BLIND_TEXT), "", *seeds.blind_table(results)),
        *failed_parts(results),
        *("", "## Learning curves", "", paragraph(texts.CURVES_TEXT)),
        *picture(results, "kage-learning.png", "Success and return over training, by training appearance"),
        *dose_parts(results),
        *agreement_parts(results),
        *("", "## Does float32 learn otherwise than bfloat16?", ""),
        *contender_section(results, FLOAT32, "Learning curves of float32 and bfloat16 with intervals"),
        *("", "## Does augmentation close the gap?", "", paragraph(texts.AUGMENTED_TEXT), ""),
        *contender_section(results, WITH_AUGMENTATION, "Learning curves with and without augmentation"),
    ]
    return "\n".join(parts) + "\n"


def short_parts(results: Results) -> list[str]:
    """What the page shows, in a few lines."""
    failed = [has_failed(each) for each in select(results.trainings)]
    lines = [
        seeds.base_line(results),
        f"{sum(failed)} of {len(failed)} trainings fail: {interval_text(share_interval(failed), 2)}.",
        agreement.rank_line(results),
        *agreement.variety_lines(results),
        seeds.below_blind_line(results),
    ]
    return [f"- {line}" for line in lines]


def training_parts(results: Results) -> list[str]:
    devices = sorted({f"{each.device}, JAX {each.jax}" for each in results.trainings})
    return [
        *("## Trainings", "", *seeds.training_table(results), ""),
        *(*seeds.missing_lines(results), ""),
        *(f"Trained on: {listed(devices)}. {seeds.seconds_line(results.trainings)}", ""),
        paragraph(texts.NOT_BIT_EQUAL),
    ]


def table_parts(results: Results) -> list[str]:
    parts = ["", "## Table 1: by axis", "", paragraph(texts.WAYS_TEXT), "", paragraph(texts.TABLE_1)]
    for way in WAYS:
        parts += ["", f"### By axis, {way}", "", *tables.axis_table(results, way)]
    parts += ["", "## Table 2: gaps by pair", "", paragraph(texts.TABLE_2)]
    for way in WAYS:
        parts += ["", f"### Gaps, {way}", "", *tables.gap_table(results, way)]
    parts += ["", "## Table 3: values by pair", "", paragraph(texts.TABLE_3), ""]
    parts += tables.value_table(results, "largest")
    parts += ["", "### Both kinds of success", ""]
    parts += ["In the last state of an episode, and *once*: at any step of it.", ""]
    return parts + tables.success_table(results)


def failed_parts(results: Results) -> list[str]:
    return [
        *("", "## Seeds that fail", "", paragraph(texts.FAILED_TEXT), ""),
        *(*seeds.failures(results), "", seeds.base_line(results), ""),
        *seeds.apart_table(results),
    ]


def dose_parts(results: Results) -> list[str]:
    parts = ["", "## Dose and response", "", paragraph(texts.DOSES_TEXT)]
    parts += picture(results, "kage-doses.png", "All four measures over training, by dose")
    for name, (asks, _, _) in kage.DOSES.items():
        suite = next(each for each in kage.SUITES if each.name == f"kage/{name}")
        trainings = results.of(suite.pairs[0])
        parts += ["", f"### {name}", "", asks[0].upper() + asks[1:]]
        if not trainings:
            parts += ["", "Not trained yet."]
            continue
        for way in ("largest", "final"):
            parts += ["", f"{way.capitalize()}, {count(len(trainings))}:", ""]
            parts += tables.dose_table(results, name, way)
    return parts


def agreement_parts(results: Results) -> list[str]:
    parts = ["", "## Does variety close the gap?", "", paragraph(texts.VARIETY_TEXT)]
    for way in ("largest", "final"):
        parts += ["", f"{way.capitalize()}:", "", *agreement.variety_table(results, way)]
    parts += ["", "## Agreement with the paper", ""]
    parts += [*agreement.rank_table(results), "", paragraph(texts.RANK_TEXT)]
    parts += ["", "### What disagrees", "", paragraph(texts.DISAGREE_TEXT), ""]
    parts += [agreement.train_success_line(results)]
    for way in ("largest", "every sixth"):
        parts += ["", *agreement.disagreement_table(results, way)]
    return parts


def contender_section(results: Results, contender: Contender, words: str) -> list[str]:
    return [*contender_parts(results, contender), *picture(results, f"kage-{contender.words}.png", words)]
