"""From the shares of steps touched to the two laws on them, alike for native and hosted tasks."""

from __future__ import annotations

from assay.core.axis import Axis
from assay.names import print_value
from assay.proof.certificate import Law


def strongest(axis: Axis) -> list[int]:
    """Places of the levels that must be felt: a dose's far end on each side of neutral, else every value."""
    if axis.kind != "dose":
        return list(range(len(axis.levels)))
    neutral = 0 if axis.neutral is None else axis.neutral
    sides = [[i for i, level in enumerate(axis.levels) if (level > neutral) == up] for up in (False, True)]
    return [side[-1] for side in sides if side]  # listed from weak to strong


def is_felt(axis: Axis, shares: dict[str, list[float]]) -> Law:
    """The strongest levels touch a declared component somewhere."""
    felt = {
        i: max((shares[name][i] for name in axis.components if name in shares), default=0.0)
        for i in strongest(axis)
    }
    for i, share in felt.items():
        if not share:
            return Law(False, f"level {print_value(axis.levels[i])} changes nothing")
    return Law(True, f"{max(felt.values()):.2%} of steps")


def exact_components(axis: Axis, shares: dict[str, list[float]], steps: int) -> Law:
    """Declared equals touched: nothing undeclared is touched, and nothing is declared in vain."""
    touched = set(shares) - {"score"}
    if touched - set(axis.components):
        return Law(False, f"it touches {', '.join(sorted(touched - set(axis.components)))} too")
    if set(axis.components) - touched:
        return Law(False, f"it never touches {', '.join(sorted(set(axis.components) - touched))}")
    if "score" in shares and not axis.asks:
        return Law(False, "it changes the score, which only an axis that asks something else may")
    return Law(True, f"{steps:,} steps a level")
