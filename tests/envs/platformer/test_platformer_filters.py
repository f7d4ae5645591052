"""Filters, presets and lights against the slow painter: within one grey level, and nearly always equal.

One program has every filter that draws nothing at random; a filter alone has all others at neutral.
"""

from dataclasses import replace

import jax
import numpy as np
import pytest
from picture_reference import filtered
from platformer_filming import BASE, KEY, Studio, one_frame, sights, studio
from platformer_playing import folded, settings_of

from assay.core.variation import put
from assay.envs.platformer.build_params import traced_names
from assay.envs.platformer.look_params import Filters
from assay.envs.platformer.palettes import POP_FILTERS

SCENERY = f"{BASE}+background.mode=image+background.image_paths=[bg-1,bg-40,bg-90]"
NEUTRAL = {name: getattr(Filters(), name) for name in traced_names(Filters)}
STILL = {name: level for name, level in NEUTRAL.items() if name not in (
    "color_jitter_std", "gaussian_noise_std", "poisson_noise_scale")}  # fmt: skip
ALONE = [
    *[("brightness", b) for b in (-1.0, -0.33, 0.5, 1.0)],
    *[("contrast", c) for c in (0.1, 0.5, 1.1, 2.0, 128.0)],
    *[("gamma", g) for g in (0.5, 0.8, 2.0)], *[("saturation", s) for s in (0.0, 0.5, 1.5, 2.0)],
    *[("hue_shift", d) for d in (-180.0, -37.0, 15.0, 45.0, 90.0, 180.0)],
    *[("color_temp", k) for k in (-1.0, -0.3, 0.7, 1.0)], *[("blur_sigma", s) for s in (0.5, 1.0, 2.5, 9.0)],
    *[("sharpen_amount", a) for a in (0.5, 1.0, 4.0)], *[("vignette_strength", s) for s in (0.3, 1.0, 10.0)],
    *[("radial_light_strength", s) for s in (0.25, 1.0, 5.0)],
]  # fmt: skip
CHAINS = [
    {"brightness": 0.2, "contrast": 1.3, "gamma": 0.8, "saturation": 1.4, "hue_shift": 40.0},
    {"saturation": 0.5, "color_temp": 0.6, "blur_sigma": 1.0, "sharpen_amount": 2.0, "vignette_strength": 1},
    {"brightness": -0.4, "gamma": 2.0, "hue_shift": -100.0, "color_temp": -1.0, "radial_light_strength": 0.7},
    dict.fromkeys(STILL, 0.5),
]  # fmt: skip
# Values of a frame that may differ at all. Turns of the hue and factors of the saturation often have whole
# numbers as results, and rounding then decides on which side the fraction is dropped; others differ in 6%.
MANY = 0.25


def text_of(levels, base=SCENERY):
    return "+".join([base, *(f"filters.{name}={float(level)}" for name, level in levels.items())])


def compare(levels, worlds=(2, 3)):
    """Grey levels apart at most, and the share of values that differ at all."""
    env = folded(text_of(STILL)).env
    for name, level in levels.items():
        env = put(env, f"params.filters.{name}", np.float32(level))
    settings = settings_of(text_of(levels))
    far = []
    for which in worlds:
        plain = studio(SCENERY)
        scene = plain.scene(sights()[which], background=np.int32(which - 1))
        wanted = filtered(plain.painter.paint(sights()[which].state, scene), settings.filters)
        seen = np.asarray(one_frame(env, KEY, sights()[which].state, scene))
        far.append(np.abs(seen.astype(int) - wanted))
    return np.max(far), float(np.mean(np.array(far) > 0))


def test_by_hand():
    # A pixel of the sky, v: brightness 0.5 adds 50; contrast 2 gives 2 v - 128; both are cut at 0 and 255.
    plain, world = studio(SCENERY), sights()[2]
    scene = plain.scene(world)
    v = plain.film(world.state, scene)[3, 5].astype(int)
    env = folded(text_of(STILL)).env
    for name, level, wanted in (
        ("brightness", 0.5, v + 50), ("contrast", 2.0, 2 * v - 128), ("color_temp", 1.0, v + (30, 0, -15)),
        ("saturation", 0.0, [v.max()] * 3),
    ):  # fmt: skip
        put_in = put(env, f"params.filters.{name}", np.float32(level))
        seen = np.asarray(one_frame(put_in, KEY, world.state, scene))[3, 5].astype(int)
        assert np.abs(seen - np.clip(wanted, 0, 255)).max() <= 1, name


@pytest.mark.parametrize("name, level", ALONE, ids=str)
def test_a_filter_alone(name, level):
    most, share = compare({name: level})
    assert most <= 1 and share < MANY


@pytest.mark.parametrize("levels", CHAINS, ids=range(len(CHAINS)))
def test_filters_in_a_chain(levels):
    most, share = compare(levels)
    assert most <= 1 and share < MANY


@pytest.mark.parametrize("factor", [2, 3, 8])
def test_pixelate(factor):
    one = Studio(f"{SCENERY}+filters.pixelate_factor={factor}")
    for world in sights()[2:4]:
        frame = one.check(world.state, one.scene(world))
    if factor == 8:  # the pixel in the middle of each square: 4, 4 of the first
        plain = studio(SCENERY).film(world.state, one.scene(world))
        assert (frame[:8, :8] == plain[4, 4]).all()


@pytest.mark.parametrize("which", range(len(POP_FILTERS)), ids=POP_FILTERS)
def test_presets(which):
    one = studio(f"{SCENERY}+filters.pop_filter_list=[{','.join(POP_FILTERS)}]")
    for world in sights()[2:4]:
        most, count = one.apart(world.state, one.scene(world, preset=np.int32(which)))
        assert most <= 1 and count < MANY * 128 * 128 * 3


@pytest.mark.parametrize("more", [
    "", "effects.point_light_intensity=0.5", "effects.point_light_falloff=4.0",
    "effects.point_light_falloff=1.0",
    "effects.point_light_radius=0.01+effects.point_light_intensity=5.0",
    "effects.point_light_color_names=[warm_white,fire]",
])  # fmt: skip
def test_lights(more):
    one = Studio("+".join(filter(None, (SCENERY, "effects.point_light_enabled", more))))
    for world in sights()[2:4]:
        most, count = one.apart(world.state, one.scene(world))
        assert most <= 1 and count < 0.01 * 128 * 128 * 3


def test_a_light_by_hand():
    # A lone blue light (100, 150, 255) in the very middle of row 32, column 64: there its full colour;
    # at a distance of its reach, 0.1 of the diagonal (18.1 pixels), about half.
    one, world = Studio(f"{BASE}+effects.point_light_enabled+effects.point_light_count=1"), sights()[0]
    state = replace(world.state, tops=np.full_like(world.state.tops, 100), x=np.float32(100))
    frame = one.film(state, one.scene(world, lights=np.full((5, 2), (0.5, 0.25), np.float32)))
    assert tuple(frame[32, 64]) == (100, 150, 255)
    assert np.abs(frame[32, 64 + 18] - np.array([50, 75, 127.5])).max() <= 2


def test_everything_at_once():
    text = SCENERY + "+npc.enabled+npc.sticky_enabled+distractors.enabled+character.use_sprites+H=96+W=112"
    one = Studio(text_of({"saturation": 0.6, "contrast": 1.2, "sharpen_amount": 0.5}, text)
                 + "+filters.pop_filter_list=[vintage,cyberpunk]+effects.point_light_enabled"
                 + "+filters.pixelate_factor=2")  # fmt: skip
    for which in (1, 4):
        world = sights()[which]
        shapes = world.scene.distractors
        shapes = replace(shapes, angle=0 * shapes.angle)
        scene = one.scene(world, distractors=shapes, preset=np.int32(which // 2))
        # A grey level lost in the preset is made larger by what follows: contrast and sharpening, 1.2 * 1.6.
        most, count = one.apart(world.state, scene)
        assert most <= 3 and count < MANY * 96 * 112 * 3


@pytest.fixture(scope="module")
def every():
    return folded(text_of(NEUTRAL)).env


class TestNeutral:
    def test_neutral_filters_change_nothing(self, every):
        for which, world in enumerate(sights()):
            scene = studio(SCENERY).scene(world, background=np.int32(which % 3))
            plain = studio(SCENERY).film(world.state, scene)
            for key in jax.random.split(KEY, 3):
                assert (np.asarray(one_frame(every, key, world.state, scene)) == plain).all()

    def test_neutral_filters_beside_an_active_one_change_nothing(self, every):
        # 100 times these is a little beside a whole number: what rounds on the way loses a grey level.
        world = sights()[3]
        scene = studio(SCENERY).scene(world)
        for level in (-0.6, -0.3, 0.57):
            envs = (folded(f"{SCENERY}+filters.brightness=0.5").env, every)
            envs = [put(env, "params.filters.brightness", np.float32(level)) for env in envs]
            frames = [np.asarray(one_frame(env, KEY, world.state, scene)) for env in envs]
            assert (frames[0] == frames[1]).all()


def test_lanes_do_not_see_each_other():
    """In a batch other sums may be fused, so a grey level may lie between the two, and no more."""
    env = folded(text_of(STILL)).env
    for name, level in CHAINS[1].items():
        env = put(env, f"params.filters.{name}", np.float32(level))
    worlds = [sights()[i] for i in (1, 3, 4)]
    scenes = [studio(SCENERY).scene(world, background=np.int32(i)) for i, world in enumerate(worlds)]
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *[(w.state, s) for w, s in zip(worlds, scenes)])
    together = jax.jit(jax.vmap(env.observation, (None, None, 0, 0)))(KEY, env.params, *stacked)
    alone = np.stack([one_frame(env, KEY, w.state, s) for w, s in zip(worlds, scenes)])
    far = np.abs(np.asarray(together).astype(int) - alone)
    assert far.max() <= 1 and (far > 0).mean() < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", STILL)
def test_each_in_a_program_of_its_own(name):
    levels = [level for each, level in ALONE if each == name]
    one = Studio(text_of({name: levels[0]}))
    for world in sights():
        most, _ = one.apart(world.state, one.scene(world))
        assert most <= 1
