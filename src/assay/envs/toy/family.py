"""The toy family: generated MDPs, points and boards after MDP Playground. No jax here."""

from __future__ import annotations

from typing import Any

from assay.core.axis import Axis, axes
from assay.core.family import Bench, EnvEntry, Family
from assay.envs.toy import continuous_params as continuous
from assay.envs.toy import discrete_params as discrete
from assay.envs.toy import grid_params as grid
from assay.envs.toy.reward_keys import REWARD_KEYS
from assay.envs.toy.setting_types import PLAYGROUND

# Observations that are numbers cannot be stacked: this axis is checked on pictures.
STACKED_PICTURES = (("observation.stack", "image_representations"),)
FIGURES = "assay.bench.toy:figures"


def toy_env(name: str, means: str, params: type, inner: tuple[Axis, ...], **about: Any) -> EnvEntry:
    """The entry of one env: it has the axes of its settings, its inner variations and the reward keys."""
    return EnvEntry(
        name,
        native=True,
        means=means,
        origin=PLAYGROUND,
        params=params,
        axes=axes(params) + inner + REWARD_KEYS,
        pictures="image_representations",
        **about,
    )


FAMILY = Family(
    "toy",
    envs=(
        toy_env(
            "toy/discrete", "a generated MDP that pays for sequences of states", discrete.Discrete,
            discrete.INNER, build="assay.envs.toy.discrete:build", render="assay.envs.toy.discrete:render",
            optimum="assay.envs.toy.discrete_optimum:find_optimum",
            truth="assay.envs.toy.discrete_truth:Truth",
            score_limits="assay.envs.toy.score_limits:of_discrete",
            contexts=STACKED_PICTURES,
        ),
        toy_env(
            "toy/continuous", "a point in a box, pushed towards a target", continuous.Continuous,
            continuous.INNER, build="assay.envs.toy.continuous:build",
            render="assay.envs.toy.continuous:render",
            optimum="assay.envs.toy.continuous_optimum:find_optimum",
            truth="assay.envs.toy.continuous_truth:Truth",
            score_limits="assay.envs.toy.score_limits:of_continuous",
            contexts=tuple((name, "target_radius=2.0") for name in ("term_state_reward", "reward.terminal")),
        ),
        toy_env(
            "toy/grid", "a board on which one walks to a target", grid.Grid,
            grid.INNER, build="assay.envs.toy.grid:build", render="assay.envs.toy.grid:render",
            optimum="assay.envs.toy.grid_optimum:find_optimum", truth="assay.envs.toy.grid_truth:Truth",
            score_limits="assay.envs.toy.score_limits:of_grid",
            contexts=STACKED_PICTURES,
        ),
    ),
    checker="assay.proof.native:CHECKER",
    cost="compiled",
    picture_axes="xy",  # as MDP Playground's are
    world_seed="mdp_seed",
    benches=(
        Bench("toy", "toy/discrete", FIGURES, then_trains=True),
        Bench("toy/continuous", "toy/continuous", FIGURES),
        Bench("toy/grid", "toy/grid", FIGURES),
    ),
)  # fmt: skip
