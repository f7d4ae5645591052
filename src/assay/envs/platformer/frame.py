"""The picture, layer by layer: a function of the state, the scene and the params that nothing else reads.

Frames are planar, (3, H, W), until the last line, where (H, W, 3) is a view of the same bytes. Layers that
are off are not in the program.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any

import jax

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.draw_background import draw_background, draw_level
from assay.envs.platformer.draw_characters import draw_agent, draw_distractors, draw_npcs, draw_sticky_npcs
from assay.envs.platformer.draw_lights import add_lights
from assay.envs.platformer.filter_presets import apply_preset
from assay.envs.platformer.filters import apply_filters
from assay.envs.platformer.loops import store

WORD = 4  # bytes; the kernel stores as many pixels at a time


def observe_pixels(key: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    """One frame, (H, W, 3) uint8, by the kernel where the program is for a GPU that runs it."""
    if params.W % WORD or not has_kernel():
        return draw_layers(key, params, state, scene)
    from assay.envs.platformer.gpu.frame import observe_fused

    return jax.lax.platform_dependent(
        key, params, state, scene, cuda=observe_fused, default=draw_layers
    )  # fmt: skip


@cache
def has_kernel() -> bool:
    """Whether there is a GPU that runs the kernel: elsewhere it is not even traced."""
    reason = why_no_kernel()
    if reason and jax.default_backend() == "gpu":
        print(f"assay: {reason}; frames are drawn by XLA, which is slower.", file=sys.stderr)
    return not reason


@cache
def why_no_kernel() -> str:
    """The reason why frames are not drawn by the kernel, or ""."""
    if jax.default_backend() != "gpu":
        return "there is no GPU here"
    from assay.envs.platformer.gpu.trial import try_kernel

    # A thread has no program that is being traced, and the trial must run now.
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(try_kernel).result()


def draw_layers(key: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    """One frame, (H, W, 3) uint8; later layers cover earlier ones."""
    frame = draw_background(params, state, scene)
    if scene.distractors is not None and params.distractors.count:
        frame = draw_distractors(frame, params, scene)
    frame = draw_level(frame, params, state, scene)
    if scene.npcs is not None and params.npc.max_npc_count:
        frame = draw_npcs(frame, params, state, scene)
    if scene.sticky is not None and params.npc.max_sticky_count:
        frame = draw_sticky_npcs(frame, params, state, scene)
    frame = draw_agent(frame, params, state, scene)
    if scene.preset is not None:
        frame = apply_preset(frame, scene.preset)
    frame = apply_filters(key, params, frame)
    if scene.lights is not None:
        frame = store(params, partial(add_lights, frame, params, scene), frame)
    return frame.transpose(1, 2, 0)
