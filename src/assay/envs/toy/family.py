"""The toy family: generated MDPs, points and boards after MDP Playground. No jax here."""

from __future__ import annotations

from assay.core.axis import axes
from assay.core.family import Bench, EnvEntry, Family
from assay.envs.toy import continuous_params as continuous
from assay.envs.toy import grid_params as grid
from assay.envs.toy import params as discrete
from assay.envs.toy.reward_keys import REWARD_KEYS
from assay.envs.toy.values import PLAYGROUND

# Where an observation is a number, there is something to stack once it is a picture.
STACKED_PICTURES = (("observation.stack", "image_representations"),)
FIGURES = "assay.bench.toy:figures"

FAMILY = Family(
    "toy",
    envs=(
        EnvEntry(
            "toy/discrete",
            native=True,
            means="a generated MDP that pays for sequences of states",
            origin=PLAYGROUND,
            build="assay.envs.toy.discrete:build",
            params=discrete.Discrete,
            axes=axes(discrete.Discrete) + discrete.INNER + REWARD_KEYS,
            optimum="assay.envs.toy.optimum:of_task",
            truth="assay.envs.toy.truth:Truth",
            render="assay.envs.toy.discrete:render",
            pictures="image_representations",
            contexts=STACKED_PICTURES,
        ),
        EnvEntry(
            "toy/continuous",
            native=True,
            means="a point in a box, pushed towards a target",
            origin=PLAYGROUND,
            build="assay.envs.toy.continuous:build",
            params=continuous.Continuous,
            axes=axes(continuous.Continuous) + continuous.INNER + REWARD_KEYS,
            optimum="assay.envs.toy.continuous_optimum:of_task",
            truth="assay.envs.toy.continuous_truth:Truth",
            render="assay.envs.toy.continuous:render",
            pictures="image_representations",
            contexts=tuple((name, "target_radius=2.0") for name in ("term_state_reward", "reward.terminal")),
        ),
        EnvEntry(
            "toy/grid",
            native=True,
            means="a board on which one walks to a target",
            origin=PLAYGROUND,
            build="assay.envs.toy.grid:build",
            params=grid.Grid,
            axes=axes(grid.Grid) + grid.INNER + REWARD_KEYS,
            optimum="assay.envs.toy.grid_optimum:of_task",
            truth="assay.envs.toy.grid_truth:Truth",
            render="assay.envs.toy.grid:render",
            pictures="image_representations",
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
)
