"""The GPU kernel's frames, drawn here by its interpreter, are those of the plain renderer, byte by byte."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.core import step as loop
from assay.core.keys import root_of, step_key, stream
from assay.envs.platformer import frame
from assay.envs.platformer.frame import draw_layers
from assay.envs.platformer.fused_frame import Tile, draw_fused
from assay.native import build_native

SMALL = {"H": 48, "W": 72, "layout.length": 256}  # no power of two, so that the last tiles reach beyond
EVERY_SHAPE = ("circle", "square", "line", "ellipse", "triangle", "star", "polygon", "cross", "diamond")
CASES = {
    "plain": {},
    "colour": {"background.mode": "color"},
    "noise": {"background.mode": "noise"},
    "picture": {"background.mode": "image"},
    "npc": {"npc.enabled": True, "npc.min_npc_count": 20},
    "sticky": {"npc.sticky_enabled": True},
    "distractors": {
        "distractors.enabled": True,
        "distractors.count": 40,
        "distractors.shape_types": EVERY_SHAPE,
    },
    "sprite": {"character.use_sprites": True},
    "turning": {"character.shape_rotate": True, "character.shape_types": ("star", "line", "diamond")},
    "lights": {"effects.point_light_enabled": True},
    "presets": {"filters.pop_filter_list": ("vintage", "horror", "retro", "cyberpunk", "noir", "none")},
    "colours turned": {"filters.hue_shift": 40.0, "filters.saturation": 0.5, "filters.gamma": 1.5},
    "blur and sharpen": {"filters.blur_sigma": 1.0, "filters.sharpen_amount": 0.7},
    "pixelate": {"filters.pixelate_factor": 5, "filters.vignette_strength": 2.0},
    "noise on it": {"filters.gaussian_noise_std": 30.0, "filters.radial_light_strength": 0.5},
}
FLOATS = {"lights", "presets", "colours turned", "blur and sharpen", "noise on it", "pixelate"}


def frames(settings, draw):
    """Frames of three worlds after some steps, (worlds, H, W, 3)."""
    task = build_native("platformer/run", SMALL | settings).task
    keys = jax.random.split(root_of(7), 3)

    def see(key):
        def move(world, t):
            now = step_key(key, t + 1)
            return loop.advance(task, now, world, jax.random.randint(stream(now, "a"), (), 0, 8)).state, None

        world = jax.lax.scan(move, loop.start(task, step_key(key, 0)), jnp.arange(30))[0]
        _, params = loop.vary_component(task, world, "observation")
        return draw(stream(key, "observation"), params, world.state, world.scene)

    return np.asarray(jax.jit(jax.vmap(see))(keys)).astype(int)


@pytest.mark.parametrize("name", CASES)
def test_its_frames_are_those_of_the_plain_renderer(name):
    wanted = frames(CASES[name], draw_layers)
    kernel = partial(draw_fused, interpret=True, tile=Tile(32, 16, 2))
    found = frames(CASES[name], lambda *scene: kernel(*scene).transpose(1, 2, 0))
    differ = np.abs(wanted - found)
    assert found.shape == (3, 48, 72, 3) and len(np.unique(wanted)) > 1
    # A compiler may join a product and a sum; a byte whose float is next to a whole number then moves by one.
    assert differ.max() <= (name in FLOATS) and (differ != 0).mean() <= 1e-4


def test_without_a_gpu_the_plain_renderer_draws(monkeypatch):
    monkeypatch.setattr(frame, "draw_layers", lambda *scene: "plain")
    assert not frame.has_gpu()
    task = build_native("platformer/run", SMALL).task
    assert frame.observe_pixels(None, task.env.params, None, None) == "plain"
