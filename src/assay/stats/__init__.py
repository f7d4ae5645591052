"""The statistics of exams, for arrays of your own: intervals, effects, verdicts, power (docs/analysis.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy import door

if TYPE_CHECKING:
    from assay.stats.aggregate import Interval, iqm
    from assay.stats.compare import auc, probability_of_improvement
    from assay.stats.dose import dose_response
    from assay.stats.effect import effect_intervals, linear, played
    from assay.stats.losses import loss
    from assay.stats.power import comparisons_behind, smallest_effect, units_needed
    from assay.stats.rank import spearman
    from assay.stats.resampling import bootstrap, bootstrap_t
    from assay.stats.verdict import Tried, judge

__all__ = [
    "Interval",
    "Tried",
    "auc",
    "bootstrap",
    "bootstrap_t",
    "comparisons_behind",
    "dose_response",
    "effect_intervals",
    "iqm",
    "judge",
    "linear",
    "loss",
    "played",
    "probability_of_improvement",
    "smallest_effect",
    "spearman",
    "units_needed",
]

__getattr__ = door(
    __name__,
    {
        **dict.fromkeys(("Interval", "iqm"), "assay.stats.aggregate"),
        **dict.fromkeys(("bootstrap", "bootstrap_t"), "assay.stats.resampling"),
        **dict.fromkeys(("auc", "probability_of_improvement"), "assay.stats.compare"),
        "dose_response": "assay.stats.dose",
        **dict.fromkeys(("effect_intervals", "linear", "played"), "assay.stats.effect"),
        "loss": "assay.stats.losses",
        **dict.fromkeys(("comparisons_behind", "smallest_effect", "units_needed"), "assay.stats.power"),
        "spearman": "assay.stats.rank",
        **dict.fromkeys(("Tried", "judge"), "assay.stats.verdict"),
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
