"""The picture: a function of the state, the scene and what is seen of the params; nothing reads it back.

Frames are planar, (3, H, W), until the last line, where (H, W, 3) is a view of the same bytes. What is off is
not in the program.
"""

from __future__ import annotations

from typing import Any

import jax

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.draw_background import backdrop, with_level
from assay.envs.platformer.draw_characters import with_agent, with_distractors, with_npcs, with_sticky
from assay.envs.platformer.draw_lights import lit
from assay.envs.platformer.filter_presets import preset
from assay.envs.platformer.filters import apply_filters


def observe_pixels(key: jax.Array, params: Params, state: Any, scene: Any) -> jax.Array:
    """One frame, (H, W, 3) uint8; later layers cover earlier ones."""
    frame = backdrop(params, state, scene)
    if scene.distractors is not None and params.distractors.count:
        frame = with_distractors(frame, params, scene)
    frame = with_level(frame, params, state, scene)
    if scene.npcs is not None and params.npc.max_npc_count:
        frame = with_npcs(frame, params, state, scene)
    if scene.sticky is not None and params.npc.max_sticky_count:
        frame = with_sticky(frame, params, state, scene)
    frame = with_agent(frame, params, state, scene)
    if scene.preset is not None:
        frame = preset(frame, scene.preset)
    frame = apply_filters(key, params, frame)
    if scene.lights is not None:
        frame = lit(frame, params, scene)
    return frame.transpose(1, 2, 0)
