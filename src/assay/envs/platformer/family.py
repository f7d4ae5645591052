"""The platformer family: a side-scrolling run after KAGE-Env. No jax here."""

from __future__ import annotations

from assay.core.axis import axes
from assay.core.family import Bench, EnvEntry, Family, ShowPolicy
from assay.envs.platformer import params
from assay.envs.platformer.measures import ACTIONS
from assay.variations import action, reward

RIGHT, JUMP, BETWEEN_JUMPS = 2, 4, 24  # actions, and steps from one jump to the next

FAMILY = Family(
    "platformer",
    envs=(
        EnvEntry(
            "platformer/run",
            native=True,
            means="a side-scrolling run over steps, in which every jump costs",
            origin="KAGE-Env",
            build="assay.envs.platformer.run:build",
            spaces="assay.envs.platformer.run:spaces_from",
            params=params.Run,
            axes=axes(params.Run) + params.INNER,
            presets=params.PRESETS,
            contexts=tuple((axis.name, "observation=state") for axis in action.AXES + reward.AXES)
            + (
                (  # walls everywhere, which a wide body meets
                    "character.width",
                    "layout.run_width=3+layout.p_change=1.0+layout.min_step_height=10+physics.move_speed=3",
                ),
                ("observation.quantise", "background.mode=noise"),  # the plain picture is 0 or 255 throughout
                # Beside a given or a flat level nothing else is drawn, and seeds would not differ.
                ("layout.heights", "observation=state+reward.noise=0.1"),
                (
                    "layout.height_px",
                    "H=160+layout.base_ground_y=127+layout.ground_thickness=10+layout.pix_per_unit=0"
                    "+start=[100,115]+reward.noise=0.1",
                ),
                ("background.color_names", "background.mode=color+background.switch_frequency=1.0"),
            ),
            idle={"reward.terminal": "its episodes are cut, and never terminate"},
            truth="assay.envs.platformer.truth:Truth",
            measures="assay.envs.platformer.measures:MEASURES",
            actions=ACTIONS,
        ),
    ),
    checker="assay.proof.native:CHECKER",
    cost="compiled",
    show_policy=ShowPolicy(
        "run",
        "running right, with a jump now and then",
        (RIGHT,) * (BETWEEN_JUMPS - 1) + (RIGHT + JUMP,),
    ),
    benches=(
        Bench("platformer", "platformer/run", "assay.bench.platformer:figures",
              sizes="assay.bench.platformer:state_sizes"),
        Bench("platformer/curve", "platformer/run", "assay.bench.platformer:curve"),
    ),
)  # fmt: skip
