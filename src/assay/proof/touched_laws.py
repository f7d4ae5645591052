"""From the shares of steps touched to the two laws on them, alike for native and hosted tasks."""

from __future__ import annotations

from assay.catalogue import load
from assay.core.axis import Axis
from assay.proof.certificate import Law
from assay.proof.laws.channels import Fed, alters_what_was_seen, not_neutral, wrong_chance
from assay.task_text import print_value


def strongest(axis: Axis) -> list[int]:
    """Places of the levels that must be felt: a dose's far end on each side of neutral, else every value."""
    if axis.kind != "dose":
        return list(range(len(axis.levels)))
    neutral = 0 if axis.neutral is None else axis.neutral
    sides = [[i for i, level in enumerate(axis.levels) if (level > neutral) == up] for up in (False, True)]
    return [side[-1] for side in sides if side]  # listed from weak to strong


def is_felt(axis: Axis, shares: dict[str, list[float]]) -> Law:
    """The strongest levels touch a declared component somewhere; a start, so that the first step shows it."""
    marks = ["start" if name == "initial" else name for name in axis.components]
    felt = {
        i: max((shares[name][i] for name in marks if name in shares), default=0.0) for i in strongest(axis)
    }
    for i, share in felt.items():
        if not share:
            return Law(False, f"level {print_value(axis.levels[i])} changes nothing")
    return Law(True, f"{max(felt.values()):.2%} of steps")


def exact_components(axis: Axis, shares: dict[str, list[float]], steps: int) -> Law:
    """Declared equals touched: nothing undeclared is touched, and nothing is declared in vain."""
    touched = set(shares) - {"score", "start"}
    if touched - set(axis.components):
        return Law(False, f"it touches {', '.join(sorted(touched - set(axis.components)))} too")
    if set(axis.components) - touched:
        return Law(False, f"it never touches {', '.join(sorted(set(axis.components) - touched))}")
    if "score" in shares and not axis.asks:
        return Law(False, "it changes the score, which only an axis that asks something else may")
    return Law(True, f"{steps:,} steps a level")


def record_name(axis: Axis) -> str:
    """The name of the record that acts."""
    acts = load(axis.acts) if isinstance(axis.acts, str) else axis.acts
    return axis.name if acts is None else acts.name


def stays_neutral(law: Law, fed: Fed | None) -> Law:
    """The law of neutral levels, over a longer episode than any script survives."""
    why = not_neutral(fed) if fed and law.holds else ""
    return Law(False, why) if why else law


def leaves_alone(law: Law, fed: Fed | None) -> Law:
    """The law of what is touched; what was seen before is not to be touched either."""
    if fed and law.holds is not False and alters_what_was_seen(fed):
        return Law(False, "it alters what was seen before")
    return law


def own_chance(law: Law, fed: Fed | None) -> Law:
    """The law of seeds, for what the channel adds and not for its env alone."""
    why = wrong_chance(fed) if fed and law.holds is not False else ""
    return Law(False, why) if why else law
