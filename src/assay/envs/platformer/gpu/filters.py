"""The filters of a frame inside the GPU kernel, with the formulas of the plain `filters.py`.

A filter that reads other pixels than its own begins a pass: what came before is stored first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer import filters
from assay.envs.platformer.build_params import Params
from assay.envs.platformer.draw_background import color_array
from assay.envs.platformer.filter_presets import LOOKS
from assay.envs.platformer.gpu.noise import gaussian_noise, poisson_noise
from assay.envs.platformer.gpu.numbers import Values, add_cut, invert, pixels_of, raise_to
from assay.envs.platformer.gpu.tiles import PIXELS, WORD_BITS, Facts, Sight
from assay.envs.platformer.palettes import LIGHT_COLORS, POP_FILTERS

SIXTH = np.float32(1 / 60)  # of a circle, by degrees


class Stored(NamedTuple):
    """A frame that a pass has stored: bytes, four to a word, (3, H, W / 4), or floats (3, pixels, H, words).

    Bytes are stored as words in any case. An array of bytes may have more of them than a number of 32 bits
    counts, by which a kernel finds its place.
    """

    values: Any
    height: int
    words: int
    whole: bool  # whether it is of bytes

    def load_words(self, sight: Sight, channel: int, down: int = 0, right: int = 0) -> jax.Array:
        """The words of a tile moved by a row or a word; beyond the edge the last ones go on."""
        rows, words = self.places(sight, down, right)
        if sight.pixels == PIXELS:
            return plgpu.load(self.values.at[channel, rows, words])
        return self.load_byte(channel, rows, words)

    def load_byte(self, channel: int, rows: jax.Array, columns: jax.Array) -> jax.Array:
        word = plgpu.load(self.values.at[channel, rows, columns >> WORD_BITS])
        return (word >> (8 * (columns & (PIXELS - 1))).astype(jnp.uint32)) & 255

    def load_line(self, sight: Sight, channel: int, down: int = 0) -> list[jax.Array]:
        """The values of each word, with the last one of the word before and the first one after."""
        if self.whole:
            before, own, after = (self.load_words(sight, channel, down, right) for right in (-1, 0, 1))
            pixels = pixels_of(sight, own)
            ends = pixels_of(sight, before)[-1], pixels_of(sight, after)[0]
        else:
            pixels = [self.load_floats(sight, channel, pixel, down) for pixel in range(sight.pixels)]
            ends = (
                self.load_floats(sight, channel, sight.pixels - 1, down, -1),
                self.load_floats(sight, channel, 0, down, 1),
            )
        before, after = ends
        first, last = (jnp.broadcast_to(sight.words == word, sight.shape) for word in (0, self.words - 1))
        return [jnp.where(first, pixels[0], before), *pixels, jnp.where(last, pixels[-1], after)]

    def load_floats(self, sight: Sight, channel: int, pixel: int, down: int = 0, right: int = 0) -> jax.Array:
        return plgpu.load(self.values.at[(channel, pixel, *self.places(sight, down, right))])

    def places(self, sight: Sight, down: int, right: int) -> tuple[jax.Array, jax.Array]:
        rows = jnp.clip(sight.rows + down, 0, self.height - 1)
        words = jnp.clip(sight.words + right, 0, self.words - 1)
        return jnp.broadcast_to(rows, sight.shape), jnp.broadcast_to(words, sight.shape)

    def load_tile(self, sight: Sight) -> Values:
        return [self.load_line(sight, channel)[1:-1] for channel in range(3)]


class Filter(NamedTuple):
    """One filter; `around`: of its own value and of a stored frame, else of its own value alone."""

    apply: Callable[..., Values]
    around: bool = False


def each(function: Callable[[jax.Array], jax.Array], v: Values) -> Values:
    return [[function(pixel) for pixel in channel] for channel in v]


def simple(function: Callable[[jax.Array, Any], jax.Array], place: int) -> Filter:
    """A filter of every value by itself, its strength among the floats."""
    return Filter(lambda sight, v: each(lambda pixel: function(pixel, sight.floats[place]), v))


def filters_of(facts: Facts, key: jax.Array, params: Params) -> list[Filter]:
    """The filters of this program, in their order."""
    named, strength, chain = params.tables.filters, params.filters, []

    def strength_of(name: str) -> int:
        return facts.add_floats(getattr(strength, name))

    if "brightness" in named:
        chain.append(simple(filters.adjust_brightness, strength_of("brightness")))
    if "contrast" in named:
        chain.append(simple(filters.adjust_contrast, strength_of("contrast")))
    if "gamma" in named:
        chain.append(raising(strength_of("gamma")))
    if "saturation" in named or "hue_shift" in named:
        chain.append(recoloring(facts.add_floats(strength.saturation, strength.hue_shift)))
    if "color_temp" in named:
        chain.append(warming(strength_of("color_temp")))
    if "color_jitter_std" in named:
        chain.append(mixing(facts.add_floats(filters.jitter_matrix(key, strength.color_jitter_std))))
    if "blur_sigma" in named:
        chain.append(blurring(strength_of("blur_sigma")))
    if "sharpen_amount" in named:
        chain.append(sharpening(strength_of("sharpen_amount")))
    if strength.pixelate_factor > 1:
        chain.append(pixelating(facts, params))
    if "gaussian_noise_std" in named:
        chain.append(Filter(gaussian_noise(facts, key, params)))
    if "poisson_noise_scale" in named:
        chain.append(Filter(poisson_noise(facts, key, params)))
    if "vignette_strength" in named:
        chain.append(vignetting(facts, params, strength_of("vignette_strength")))
    if "radial_light_strength" in named:
        chain.append(radial_light(facts, params, strength_of("radial_light_strength")))
    return chain


def preset_filters(facts: Facts, params: Params, which: jax.Array) -> list[Filter]:
    """The chain of `filter_presets.apply_preset`, its strengths those of this frame's preset."""
    table = np.array([LOOKS[name] for name in POP_FILTERS], np.float32)
    look = jnp.asarray(table)[which]
    place = facts.add_floats(look)
    names = {name: place + i for i, name in enumerate(LOOKS["none"]._fields)}
    constants = facts.add_floats(1.0, 0.0)
    return [
        recoloring(names["saturation"], turn=constants + 1),
        recoloring(constants, turn=names["hue"]),
        warming(names["temperature"]),
        simple(filters.adjust_brightness, names["brightness"]),
        vignetting(facts, params, names["vignette"]),
        simple(filters.adjust_contrast, names["contrast"]),
        vignetting(facts, params, names["late_vignette"]),
        sharpening(names["sharpen"]),
    ]


def recoloring(place: int, turn: int | None = None) -> Filter:
    def apply(sight: Sight, v: Values) -> Values:
        saturation, hue = sight.floats[place], sight.floats[place + 1 if turn is None else turn]
        sixths = hue * SIXTH
        by = sixths - 6 * jnp.floor(sixths / 6)

        def recolor(v: Values) -> Values:
            pixels = [turn_pixel(sight, red, green, blue, saturation, by) for red, green, blue in zip(*v)]
            return [list(channel) for channel in zip(*pixels)]

        turned: Values = jax.lax.cond((saturation == 1) & (hue == 0), lambda v: v, recolor, v)
        return turned

    return Filter(apply)


def turn_pixel(
    sight: Sight, red: jax.Array, green: jax.Array, blue: jax.Array, saturation: Any, by: Any
) -> list[jax.Array]:
    """As `filters.recolor_channels`, with fewer of the comparisons that a card makes at half its pace.

    `by` is the turn in sixths of the circle, from 0 up to 6. Nothing is cut to white here: what a channel
    gets lies between the lowest and the highest of the three.
    """
    most = jnp.maximum(jnp.maximum(red, green), blue)
    spread = most - jnp.minimum(jnp.minimum(red, green), blue)
    way = jnp.where(red == most, green - blue, 0.0)
    way = jnp.where(green == most, blue - red + 2 * spread, way)
    way = jnp.where(blue == most, red - green + 4 * spread, way)
    # At most one circle beyond either end: the hue is from -1 to 5, and what is added from 0 to 6.
    hue = way * invert(sight, jnp.maximum(spread, np.float32(1e-6))) + by
    hue = jnp.where(hue < 0, hue + 6, hue)
    hue = jnp.where(hue >= 6, hue - 6, hue)
    chroma = jnp.minimum(spread * saturation, most)
    low = most - chroma
    return [
        low + chroma * add_cut(sight, sign * jnp.abs(hue - middle), offset)
        for sign, middle, offset in filters.RISES
    ]


def raising(place: int) -> Filter:
    """As `filters.adjust_gamma`."""

    def apply(sight: Sight, v: Values) -> Values:
        g = sight.floats[place]
        share = np.float32(1 / filters.WHITE)
        return each(
            lambda pixel: jnp.where(g == 1, pixel, filters.WHITE * raise_to(sight, pixel * share, g)), v
        )

    return Filter(apply)


def warming(place: int) -> Filter:
    def apply(sight: Sight, v: Values) -> Values:
        k = sight.floats[place]
        warm, cool = jnp.maximum(k, 0), jnp.maximum(-k, 0)
        more: tuple[Any, ...] = (30 * warm - 15 * cool, 0.0, 30 * cool - 15 * warm)
        return [[filters.clip(pixel + by) for pixel in channel] for channel, by in zip(v, more)]

    return Filter(apply)


def mixing(place: int) -> Filter:
    """Channels mixed by a matrix of this frame."""

    def apply(sight: Sight, v: Values) -> Values:
        rows = [[sight.floats[place + 3 * i + j] for j in range(3)] for i in range(3)]
        return [
            [filters.clip(row[0] * red + row[1] * green + row[2] * blue) for red, green, blue in zip(*v)]
            for row in rows
        ]

    return Filter(apply)


def mean_around(stored: Stored, sight: Sight, channel: int) -> list[jax.Array]:
    """The mean of each pixel's 3 x 3 neighbourhood, added in the order of `filters.mean_of_neighbours`."""
    own, above, below = (stored.load_line(sight, channel, down) for down in (0, -1, 1))
    columns = [a + b + c for a, b, c in zip(own, above, below)]
    return [(columns[i] + columns[i + 1] + columns[i + 2]) * np.float32(1 / 9) for i in range(sight.pixels)]


def blur_with(v: Values, stored: Stored, sight: Sight, sigma: Any) -> Values:
    share = jnp.clip(sigma / 2.5, 0, 1)
    blurred = []
    for channel, own in enumerate(v):
        means = mean_around(stored, sight, channel)
        blurred.append([pixel * (1 - share) + mean * share for pixel, mean in zip(own, means)])
    return blurred


def blurring(place: int) -> Filter:
    return Filter(lambda sight, v, stored: blur_with(v, stored, sight, sight.floats[place]), around=True)


def sharpening(place: int) -> Filter:
    def apply(sight: Sight, v: Values, stored: Stored) -> Values:
        amount = sight.floats[place]

        def sharpen(v: Values) -> Values:
            return [
                [filters.clip(pixel + amount * (pixel - soft)) for pixel, soft in zip(*pair)]
                for pair in zip(v, blur_with(v, stored, sight, 1.0))
            ]

        # Of the presets most sharpen nothing; they need not look at their neighbours.
        sharp: Values = jax.lax.cond(amount == 0, lambda v: each(filters.clip, v), sharpen, v)
        return sharp

    return Filter(apply, around=True)


def pixelating(facts: Facts, params: Params) -> Filter:
    """Squares of one colour: every pixel reads another one, which a table names."""
    lines = [filters.sample_line(length, params.filters.pixelate_factor) for length in (params.H, params.W)]
    row_table, column_table = (facts.add_table(jnp.asarray(line, jnp.int32)) for line in lines)

    def apply(sight: Sight, v: Values, stored: Stored) -> Values:
        inside = sight.words < stored.words
        down = plgpu.load(sight.tables[row_table].at[jnp.minimum(sight.rows, stored.height - 1)])
        moved: Values = [[], [], []]
        for pixel in range(sight.pixels):
            column = plgpu.load(sight.tables[column_table].at[sight.columns(pixel)], mask=inside, other=0)
            rows, columns = (jnp.broadcast_to(each, sight.shape) for each in (down, column))
            for channel in range(3):
                if stored.whole:
                    value = stored.load_byte(channel, rows, columns).astype(jnp.float32)
                else:
                    part, words = columns % sight.pixels, columns // sight.pixels
                    value = plgpu.load(stored.values.at[channel, part, rows, words])
                moved[channel].append(value)
        return moved

    return Filter(apply, around=True)


def load_shared(sight: Sight, table: int, pixel: int, height: int, words: int) -> jax.Array:
    """One number per pixel, the same in every frame: (pixels, H, words) float32."""
    inside = jnp.broadcast_to((sight.rows < height) & (sight.words < words), sight.shape)
    index = pixel, jnp.broadcast_to(sight.rows, sight.shape), jnp.broadcast_to(sight.words, sight.shape)
    return plgpu.load(sight.tables[table].at[index], mask=inside, other=0.0)


def by_pixel(facts: Facts, values: np.ndarray) -> jax.Array:
    """(H, W) as (pixels, H, words)."""
    height, width = values.shape
    pixels = facts.tiling.pixels
    return jnp.asarray(values.reshape(height, width // pixels, pixels).transpose(2, 0, 1), jnp.float32)


def vignetting(facts: Facts, params: Params, place: int) -> Filter:
    height, words = params.H, params.W // facts.tiling.pixels
    table = facts.add_table(by_pixel(facts, filters.distance_from_middle(params.H, params.W) ** 2))

    def apply(sight: Sight, v: Values) -> Values:
        away = [load_shared(sight, table, pixel, height, words) for pixel in range(sight.pixels)]
        dark = [jnp.clip(1 - sight.floats[place] * each, 0, 1) for each in away]
        return [[pixel * by for pixel, by in zip(channel, dark)] for channel in v]

    return Filter(apply)


def radial_light(facts: Facts, params: Params, place: int) -> Filter:
    height, words = params.H, params.W // facts.tiling.pixels
    light = np.clip(1 - filters.distance_from_middle(params.H, params.W) ** np.float32(1.5), 0, 1)
    table = facts.add_table(by_pixel(facts, light))
    color = facts.add_floats(params.tables.light_in_the_middle)

    def apply(sight: Sight, v: Values) -> Values:
        shine = [load_shared(sight, table, pixel, height, words) for pixel in range(sight.pixels)]
        shine = [sight.floats[place] * each for each in shine]
        return [
            [filters.clip(pixel + by * sight.floats[color + number]) for pixel, by in zip(channel, shine)]
            for number, channel in enumerate(v)
        ]

    return Filter(apply)


def point_lights(facts: Facts, params: Params, scene: Any) -> Callable[[Sight, Values], Values]:
    """As `draw_lights.add_lights`, of values that are whole."""
    height, width, effects = params.H, params.W, params.effects
    reach = (height**2 + width**2) * effects.point_light_radius**2
    colors = jnp.asarray(color_array(LIGHT_COLORS))[params.tables.light_colors].astype(jnp.float32)
    count = effects.point_light_count
    places = facts.add_floats(scene.lights[:count] * jnp.asarray([width, height], jnp.float32))
    shine = facts.add_floats(colors * effects.point_light_intensity)
    how = facts.add_floats(1 / reach, effects.point_light_falloff / 2)

    def shine_on(sight: Sight, v: Values, spread: Callable[[jax.Array], jax.Array]) -> Values:
        rows = sight.rows.astype(jnp.float32)

        def add_light(number: Any, lit: Values) -> Values:
            x, y = (sight.floats[places + 2 * number + i] for i in range(2))
            color = [sight.floats[shine + 3 * number + channel] for channel in range(3)]
            lit = [list(channel) for channel in lit]
            for pixel in range(sight.pixels):
                across, down = sight.columns(pixel).astype(jnp.float32) - x, rows - y
                light = invert(sight, 1 + spread((across * across + down * down) * sight.floats[how]))
                for channel in range(3):
                    lit[channel][pixel] += light * color[channel]
            return lit

        # A loop, since a line for every light makes the kernel take seconds longer to compile.
        shone: Values = jax.lax.fori_loop(0, count, add_light, [list(channel) for channel in v])
        return shone

    def apply(sight: Sight, v: Values) -> Values:
        power = sight.floats[how + 1]
        # The square of the distance, which is the default, is at hand; other powers cost as much as the rest.
        lit: Values = jax.lax.cond(
            power == 1,
            lambda v: shine_on(sight, v, lambda away: away),
            lambda v: shine_on(sight, v, lambda away: raise_to(sight, away, power)),
            v,
        )
        return lit

    return apply
