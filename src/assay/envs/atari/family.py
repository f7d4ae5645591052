"""The atari family: games on the real emulator, varied by rules on their memory. No jax here."""

from __future__ import annotations

from assay.core.family import EnvEntry, Family, InsideLaws
from assay.envs.atari.settings import PRESETS
from assay.envs.commands import ATARI

FAMILY = Family(
    "atari",
    envs=(
        EnvEntry(
            "atari/*",
            native=False,
            means="an Atari game on the real emulator, varied by rules on its memory",
            origin="Arcade Learning Environment, HackAtari",
            build="assay.envs.atari.build:build",
            spaces="assay.envs.atari.build:spaces_from",
            axes_of="assay.envs.atari.entry:axes_of",
            spelled="assay.envs.atari.entry:find_spelling",
            elsewhere="assay.envs.atari.entry:describe_other_games",
            drawing="assay.envs.atari.drawing:drawing_of",
            data="assay.envs.atari.games:data_files",
            varied_inside=True,
            workers=True,
            contexts=(("action.sticky", "sticky=0.0+noops=30"), ("max_frames", "frameskip=16")),
            examples=("atari/Pong",),
        ),
    ),
    checker="assay.proof.hosted:CHECKER",
    cost="emulator",
    members="assay.envs.atari.entry:members",
    own_members="assay.envs.atari.entry:envs_with_rules",
    # The whole screen, as the console numbers its colours.
    inside_laws=InsideLaws(
        view="observation=palette",
        starts="noops=30",
        ways=("preset=v5", *(f"preset={name}" for name in PRESETS)),
    ),
    packages=("ale-py",),
    command=ATARI,
)
