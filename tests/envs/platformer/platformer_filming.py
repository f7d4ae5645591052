"""What the tests of pictures share: worlds of real play, dressed for a task, filmed and painted."""

from dataclasses import replace
from functools import cache

import jax
import numpy as np
from picture_reference import Painter
from platformer_playing import JUMP, KEY, LEFT, RIGHT, crowd, folded, settings_of

from assay.envs.platformer.palettes import SHAPES

BASE = "platformer/run"
STRIDE = (RIGHT,) * 20 + (RIGHT | JUMP,) * 3 + (RIGHT,) * 15 + (0,) * 6 + (LEFT,) * 6
ROUNDING = 1e-3  # share of itself by which a turned shape may differ: its corners lie on parts of a pixel


@jax.jit
def one_frame(env, key, state, scene):
    return env.observation(key, env.params, state, scene)


def at(worlds, time):
    return jax.tree.map(lambda leaf: leaf[time], worlds)


@cache
def sights():
    """Worlds natively stepped: the start, running and jumping, scrolled, a sticky one in the air, the end."""
    first, near = crowd(64, 1, STRIDE)
    _, middle = crowd(1001, 3, STRIDE, seed=1)
    _, late = crowd(1990, 3, STRIDE, seed=2)
    shown = np.arange(len(middle.scene.sticky.y[0])) < middle.scene.sticky.count[0]
    jumps = (middle.scene.sticky.y < middle.scene.sticky.home) & shown
    in_the_air = int(np.flatnonzero(jumps.any(1))[3])
    return first, at(near, 27), at(near, 149), at(middle, 40), at(middle, in_the_air), at(late, 60)


def dressed(settings, world, **changes):
    """The scene of a full world, cut down to what these settings show."""
    scene, npc = world.scene, settings.npc
    kept = dict.fromkeys(("skin", "frame", "timer", "preset", "lights", "background"))
    if settings.character.use_sprites:
        kept |= {name: getattr(scene, name) for name in ("skin", "frame", "timer")}
    else:
        kept |= {"shape": np.int32(0), "shape_color": np.int32(15), "angle": np.float32(0)}
    if settings.background.mode != "black":
        kept["background"] = np.int32(0)
    if settings.filters.pop_filter_list:
        kept["preset"] = scene.preset
    if settings.effects.point_light_enabled:
        kept["lights"] = scene.lights
    kept["npcs"] = scene.npcs if npc.enabled else None
    kept["sticky"] = scene.sticky if npc.sticky_enabled else None
    kept["distractors"] = scene.distractors if settings.distractors.enabled else None
    return replace(scene, **{**kept, **changes})


class Studio:
    """One task, to be filmed by the product and painted by the reference."""

    def __init__(self, text, **given):
        self.env, self.settings, self.given = folded(text).env, settings_of(text), given
        self.painter = Painter(self.settings, **given)

    def scene(self, world, **changes):
        return dressed(self.settings, world, **changes)

    def film(self, state, scene, key=KEY):
        return np.asarray(one_frame(self.env, key, state, scene))

    def check(self, state, scene):
        """The two frames are equal to the bit."""
        filmed, painted = self.film(state, scene), self.painter.paint(state, scene)
        assert filmed.shape == painted.shape and filmed.dtype == painted.dtype == np.uint8
        wrong = np.argwhere((filmed != painted).any(-1))
        assert not len(wrong), f"{len(wrong)} pixels, the first (row, column) at {wrong[:5].tolist()}"
        return filmed

    def check_turned(self, state, scene):
        """The same but for pixels that rounding decides, on a turned shape's edge; how many those are."""
        return self.compare_turned(self.film(state, scene), state, scene)

    def compare_turned(self, filmed, state, scene):
        less, more = (
            Painter(self.settings, slack=s, **self.given).paint(state, scene) for s in (-ROUNDING, ROUNDING)
        )
        decided = (less == more).all(-1)
        wrong = np.argwhere((filmed != more).any(-1) & decided)
        assert not len(wrong), f"{len(wrong)} pixels, the first (row, column) at {wrong[:5].tolist()}"
        return int((~decided).sum())

    def apart(self, state, scene):
        """How many grey levels lie between the two at most, and how many values differ at all."""
        far = np.abs(self.film(state, scene).astype(int) - self.painter.paint(state, scene))
        return int(far.max()), int((far > 0).sum())


@cache
def studio(text):
    return Studio(text)


def number_of(shape):
    return np.int32(SHAPES.index(shape))
