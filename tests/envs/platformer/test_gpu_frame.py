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
from assay.envs.platformer.gpu import trial
from assay.envs.platformer.gpu.frame import draw_fused, draw_words, empty_words
from assay.envs.platformer.gpu.tiles import Tile
from assay.native import build_native

SMALL = {"H": 48, "W": 72, "layout.length": 256}  # no power of two, so that the last tiles reach beyond
EVERY_SHAPE = ("circle", "square", "line", "ellipse", "triangle", "star", "polygon", "cross", "diamond")
CASES = {
    "characters": {
        "background.mode": "image", "npc.enabled": True, "npc.min_npc_count": 20, "npc.sticky_enabled": True,
        "character.use_sprites": True,
    },
    "shapes": {
        "background.mode": "noise", "distractors.enabled": True, "distractors.count": 40,
        "distractors.shape_types": EVERY_SHAPE, "character.shape_rotate": True,
        "character.shape_types": ("star", "line", "diamond"),
    },
    "colours turned, lit": {
        "background.mode": "color", "filters.hue_shift": 40.0, "filters.saturation": 0.5,
        "filters.gamma": 1.5, "effects.point_light_enabled": True,
    },
    "squares, blurred, noisy": {
        "filters.blur_sigma": 1.0, "filters.sharpen_amount": 0.7, "filters.pixelate_factor": 5,
        "filters.gaussian_noise_std": 30.0, "filters.vignette_strength": 2.0,
    },
}  # fmt: skip
MORE_CASES = {
    "plain": {},
    "turning": {"character.shape_rotate": True, "character.shape_types": ("star", "line", "diamond")},
    "far lights": {"effects.point_light_enabled": True, "effects.point_light_falloff": 3.0},
    "presets": {"filters.pop_filter_list": ("vintage", "horror", "retro", "cyberpunk", "noir", "none")},
    "most of a circle back": {"background.mode": "image", "filters.hue_shift": -150.0},
    "blur": {"background.mode": "image", "filters.blur_sigma": 1.0},
    "sharpen": {"background.mode": "image", "filters.sharpen_amount": 0.7},
    "poisson": {"background.mode": "image", "filters.poisson_noise_scale": 0.5},
    "jitter": {"background.mode": "image", "filters.color_jitter_std": 0.5, "filters.color_temp": 0.5},
    "radial": {"background.mode": "image", "filters.radial_light_strength": 0.5},
    "kage-default": {"preset": "kage-default"},
    "presets, blurred, lit": {
        "filters.pop_filter_list": ("vintage", "horror", "none"),
        "filters.blur_sigma": 1.0,
        "filters.poisson_noise_scale": 0.5,
        "effects.point_light_enabled": True,
    },
}
WHOLE_NUMBERS = {"characters", "shapes", "plain", "turning"}


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


def check(settings, is_whole):
    wanted = frames(settings, draw_layers)
    kernel = partial(draw_fused, interpret=True, tile=Tile(32, 16, 2))
    found = frames(settings, lambda *scene: kernel(*scene).transpose(1, 2, 0))
    differ = np.abs(wanted - found)
    assert found.shape == (3, 48, 72, 3) and len(np.unique(wanted)) > 1
    # A compiler may join a product and a sum; a byte whose float is next to a whole number then moves by one.
    assert differ.max() <= (not is_whole) and (differ != 0).mean() <= 1e-4


@pytest.mark.parametrize("name", CASES)
def test_its_frames_are_those_of_the_plain_renderer(name):
    check(CASES[name], name in WHOLE_NUMBERS)


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE_CASES)
def test_its_frames_feature_by_feature_are_those_of_the_plain_renderer(name):
    check(MORE_CASES[name], name in WHOLE_NUMBERS)


@pytest.mark.parametrize("settings", [{}, CASES["characters"], CASES["squares, blurred, noisy"]])
def test_words_before_the_first_frame_have_its_shapes(settings):
    task = build_native("platformer/run", SMALL | settings).task
    world = loop.start(task, step_key(root_of(7), 0))
    _, params = loop.vary_component(task, world, "observation")
    given = root_of(0), params, world.state, world.scene
    drawn = jax.eval_shape(partial(draw_words, interpret=True), *given)
    empty = empty_words(*given)
    assert [(each.shape, each.dtype) for each in empty] == [(each.shape, each.dtype) for each in drawn]


def test_the_checksum_is_the_sum_of_the_stored_words():
    def draw(*scene):
        words, sums = draw_words(*scene, interpret=True, tile=Tile(32, 16, 2))
        return jnp.stack([sums.sum(), words.astype(jnp.int32).sum()])

    sums = frames({}, draw)
    assert (sums[:, 0] == sums[:, 1]).all() and len(set(sums[:, 0])) > 1


def kernels_in(jaxpr):
    for equation in jaxpr.eqns:
        if equation.primitive.name == "pallas_call":
            yield equation
            continue
        for value in equation.params.values():
            for part in value if isinstance(value, (list, tuple)) else [value]:
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    yield from kernels_in(inner)


def test_no_kernel_has_an_array_of_bytes_that_grows_with_the_lanes():
    """Such an array is counted in 32 bits up to 4 GB: beyond 2 GB a kernel would write somewhere else."""
    lanes, task = 5, build_native("platformer/run", SMALL | CASES["squares, blurred, noisy"]).task

    def see(key):
        world = loop.start(task, key)
        _, params = loop.vary_component(task, world, "observation")
        return draw_words(stream(key, "observation"), params, world.state, world.scene)

    traced = jax.make_jaxpr(jax.vmap(see))(jax.random.split(root_of(0), lanes))
    kernels = list(kernels_in(traced.jaxpr))
    arrays = [each.aval for kernel in kernels for each in (*kernel.invars, *kernel.outvars)]
    of_lanes = [each for each in arrays if each.shape[:1] == (lanes,)]
    assert len(kernels) > 2 and len(of_lanes) > 6
    assert {each.dtype.itemsize for each in of_lanes} == {4}


def test_without_a_gpu_the_plain_renderer_draws(monkeypatch):
    monkeypatch.setattr(frame, "draw_layers", lambda *scene: "plain")
    assert frame.why_no_kernel() == "there is no GPU here" and not frame.has_kernel()
    task = build_native("platformer/run", SMALL).task
    assert frame.observe_pixels(None, task.env.params, None, None) == "plain"


@pytest.fixture
def anew():
    """What was found out about this machine is forgotten, before and after."""
    for forget in (False, True):
        for each in (frame.why_no_kernel, frame.has_kernel):
            each.cache_clear()
        if not forget:
            yield


def test_a_gpu_that_does_not_run_the_kernel_is_said_once_and_frames_are_drawn(monkeypatch, capsys, anew):
    """Here the trial fails as it does on such a GPU: this machine compiles no kernel."""
    monkeypatch.setattr(frame.jax, "default_backend", lambda: "gpu")
    monkeypatch.setattr(frame, "draw_layers", lambda *scene: "plain")
    task = build_native("platformer/run", SMALL).task
    assert [frame.observe_pixels(None, task.env.params, None, None) for _ in range(2)] == ["plain"] * 2
    said = capsys.readouterr().err
    assert said.count("this GPU does not run the frame kernel") == 1 and said.count("\n") == 1


def test_the_trial_finds_a_kernel_that_runs_and_one_that_gives_wrong_numbers(monkeypatch):
    assert trial.try_kernel(interpret=True) == ""
    monkeypatch.setattr(trial, "add_one", lambda words, interpret: words)
    assert "wrong numbers" in trial.try_kernel(interpret=True)
