"""The gym family: any registered Gymnasium env, varied from outside. Loads neither jax nor gymnasium."""

from __future__ import annotations

from assay.core.family import EnvEntry, Family
from assay.envs.gym.entry import AXES, EXAMPLES

FAMILY = Family(
    "gym",
    envs=(
        EnvEntry(
            "gym/*",
            native=False,
            means="any registered Gymnasium env, varied from outside",
            origin="Gymnasium",
            build="assay.envs.gym.host:build",
            axes=AXES,
            spelled="assay.envs.gym.entry:make_setting",
            score_range="assay.envs.gym.entry:score_range",
            modules="assay.envs.gym.modules:modules_of",
            examples=EXAMPLES,
        ),
    ),
    checker="assay.proof.hosted:CHECKER",
    cost="light",
    lasting={"gym/CartPole-v1": "assay.envs.gym.policies:balance_pole"},
    packages=("mujoco",),
)
