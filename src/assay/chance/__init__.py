"""Measures of chance, for channels, models and logs of your own (docs/chance.md).

Of a task, `assay.chance(task)` gives them all in one record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy import door

if TYPE_CHECKING:
    from assay.chance.belief import (
        belief_optimum,
        blind_optimum,
        filter_beliefs,
        seeing_optimum,
        update_belief,
    )
    from assay.chance.bounds import BestReturn, Bounds, Effort, best_blind, best_over_beliefs, bound_optimum
    from assay.chance.channel import (
        Capacity,
        capacity,
        in_turn,
        mutual_information,
        noiseless,
        other,
        over_frames,
        replacement,
        side_by_side,
        sticky,
    )
    from assay.chance.information import (
        Drift,
        VarianceSplit,
        Visits,
        aliased_share,
        choose_uniformly,
        drift,
        hidden_entropy,
        next_state_entropy,
        predictive_information,
        share_seen,
        split_variance,
        state_entropy,
        visit_by_observation,
        visit_by_state,
    )
    from assay.chance.logged import (
        Estimate,
        aliased_share_of,
        drift_of,
        hidden_entropy_of,
        information_of_pairs,
        next_state_entropy_of,
        predictive_information_of,
        share_seen_of,
        split_variance_of,
    )
    from assay.chance.model import Model
    from assay.chance.of_task import Chance, find_model
    from assay.chance.risk import TailMean, tail_mean, tail_means
    from assay.chance.varied import behind_channel, behind_sticky, seen_through

__all__ = [
    "BestReturn",
    "Bounds",
    "Capacity",
    "Chance",
    "Drift",
    "Effort",
    "Estimate",
    "Model",
    "TailMean",
    "VarianceSplit",
    "Visits",
    "aliased_share",
    "aliased_share_of",
    "behind_channel",
    "behind_sticky",
    "belief_optimum",
    "best_blind",
    "best_over_beliefs",
    "blind_optimum",
    "bound_optimum",
    "capacity",
    "choose_uniformly",
    "drift",
    "drift_of",
    "filter_beliefs",
    "find_model",
    "hidden_entropy",
    "hidden_entropy_of",
    "in_turn",
    "information_of_pairs",
    "mutual_information",
    "next_state_entropy",
    "next_state_entropy_of",
    "noiseless",
    "other",
    "over_frames",
    "predictive_information",
    "predictive_information_of",
    "replacement",
    "seeing_optimum",
    "seen_through",
    "share_seen",
    "share_seen_of",
    "side_by_side",
    "split_variance",
    "split_variance_of",
    "state_entropy",
    "sticky",
    "tail_mean",
    "tail_means",
    "update_belief",
    "visit_by_observation",
    "visit_by_state",
]

__getattr__ = door(
    __name__,
    {
        "belief_optimum": "assay.chance.belief",
        "blind_optimum": "assay.chance.belief",
        "filter_beliefs": "assay.chance.belief",
        "seeing_optimum": "assay.chance.belief",
        "update_belief": "assay.chance.belief",
        "BestReturn": "assay.chance.bounds",
        "Bounds": "assay.chance.bounds",
        "Effort": "assay.chance.bounds",
        "best_blind": "assay.chance.bounds",
        "best_over_beliefs": "assay.chance.bounds",
        "bound_optimum": "assay.chance.bounds",
        "Capacity": "assay.chance.channel",
        "capacity": "assay.chance.channel",
        "in_turn": "assay.chance.channel",
        "mutual_information": "assay.chance.channel",
        "noiseless": "assay.chance.channel",
        "other": "assay.chance.channel",
        "over_frames": "assay.chance.channel",
        "replacement": "assay.chance.channel",
        "side_by_side": "assay.chance.channel",
        "sticky": "assay.chance.channel",
        "Drift": "assay.chance.information",
        "VarianceSplit": "assay.chance.information",
        "Visits": "assay.chance.information",
        "aliased_share": "assay.chance.information",
        "choose_uniformly": "assay.chance.information",
        "drift": "assay.chance.information",
        "hidden_entropy": "assay.chance.information",
        "next_state_entropy": "assay.chance.information",
        "predictive_information": "assay.chance.information",
        "share_seen": "assay.chance.information",
        "split_variance": "assay.chance.information",
        "state_entropy": "assay.chance.information",
        "visit_by_observation": "assay.chance.information",
        "visit_by_state": "assay.chance.information",
        "Estimate": "assay.chance.logged",
        "aliased_share_of": "assay.chance.logged",
        "drift_of": "assay.chance.logged",
        "hidden_entropy_of": "assay.chance.logged",
        "information_of_pairs": "assay.chance.logged",
        "next_state_entropy_of": "assay.chance.logged",
        "predictive_information_of": "assay.chance.logged",
        "share_seen_of": "assay.chance.logged",
        "split_variance_of": "assay.chance.logged",
        "Model": "assay.chance.model",
        "Chance": "assay.chance.of_task",
        "find_model": "assay.chance.of_task",
        "TailMean": "assay.chance.risk",
        "tail_mean": "assay.chance.risk",
        "tail_means": "assay.chance.risk",
        "behind_channel": "assay.chance.varied",
        "behind_sticky": "assay.chance.varied",
        "seen_through": "assay.chance.varied",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
