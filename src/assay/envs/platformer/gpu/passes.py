"""The filters of a frame in passes: one that reads around itself needs all before it, and begins another."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer.build_params import Params
from assay.envs.platformer.gpu.filters import (
    Filter,
    Stored,
    filters_of,
    point_lights,
    preset_filters,
)
from assay.envs.platformer.gpu.numbers import Values, to_values, to_words
from assay.envs.platformer.gpu.tiles import Facts, Layer, Sight, Words
from assay.envs.platformer.palettes import POP_FILTERS


class Pass(list):
    """Filters that are applied in one pass; the first may read what the pass before has stored."""

    ends_preset: int | None = None  # the place of the preset's number, where its chain ends with this pass
    lights: Any = None
    starts_whole: bool = False  # whether it begins with the bytes of the frame


def passes_of(facts: Facts, key: jax.Array, params: Params, scene: Any) -> list[Pass]:
    passes = [Pass()]
    if scene.preset is not None:
        split(passes, preset_filters(facts, params, scene.preset))
        passes[-1].ends_preset = facts.add_ints(scene.preset)
    split(passes, filters_of(facts, key, params))
    if scene.lights is not None:
        passes[-1].lights = point_lights(facts, params, scene)
    return passes


def split(passes: list[Pass], chain: list[Filter]) -> None:
    """Adds filters to the last pass; one that reads around itself begins another."""
    for each in chain:
        if each.around:
            passes.append(Pass())
        passes[-1].append(each)


def draw_pass(
    number: int,
    sight: Sight,
    layers: list[Layer],
    passes: list[Pass],
    written: Any,
    height: int,
    words: int,
    stores_bytes: bool,
) -> None:
    """One tile of one pass: from the layers or from what was stored, through filters, to floats or bytes."""

    def scratch_of(number: int) -> Any:
        """Where a pass stores; bytes and floats have places of their own."""
        if stores_bytes:
            return written[2] if number == 0 else written[3 + (number - 1) % 2]
        return written[2 + number % 2]

    now, last = passes[number], number == len(passes) - 1
    frame, shape = written[0], sight.shape
    zero = jnp.zeros(shape, jnp.uint32)
    drawn: Words = (zero, zero, zero)
    inside = (sight.rows < height) & (sight.words < words)
    inside = jnp.broadcast_to(inside, shape)
    if number == 0:
        for layer in layers:
            drawn = layer(sight, drawn)
        plain = last and not now and now.lights is None
        if plain:
            finish_tile(written, sight, drawn, inside)
            return
        if any(each.ends_preset is not None for each in passes):
            store_words(frame, sight, drawn, inside)
        if stores_bytes:
            store_words(scratch_of(0), sight, drawn, inside)
            return
        v, stored = to_values(sight, drawn), None
    else:
        stored = Stored(scratch_of(number - 1), height, words, stores_bytes and number == 1)
        v = stored.load_tile(sight)
    v = filter_tile(now, sight, v, stored, Stored(frame, height, words, whole=True))
    if not last:
        store_floats(scratch_of(number), sight, v, inside)
        return
    finish_tile(written, sight, light_tile(now, sight, v, is_filtered=bool(now or number)), inside)


def filter_tile(now: Pass, sight: Sight, v: Values, stored: Stored | None, plain: Stored) -> Values:
    """A tile through the filters of a pass; `plain` is the frame before the first filter."""
    for each in now:
        v = each.apply(sight, v, stored) if each.around else each.apply(sight, v)
    return v if now.ends_preset is None else keep_without_preset(plain, sight, v, now.ends_preset)


def light_tile(now: Pass, sight: Sight, v: Values, is_filtered: bool) -> Words:
    """The words of a tile after the last filter, with lights where there are some, which shine on bytes."""
    if now.lights is None:
        return to_words(sight, v)
    if is_filtered:
        v = to_values(sight, to_words(sight, v))
    return to_words(sight, now.lights(sight, v))


def finish_tile(written: Any, sight: Sight, drawn: Words, inside: jax.Array) -> None:
    """Stores the words of a tile and their sum, by which a reader knows that they were stored."""
    frame, sums = written[:2]
    store_words(frame, sight, drawn, inside)
    red, green, blue = (jax.lax.bitcast_convert_type(word, jnp.int32) for word in drawn)
    sums[sight.number] = jnp.where(inside, red + green + blue, 0).sum()


def keep_without_preset(plain: Stored, sight: Sight, v: Values, place: int) -> Values:
    """The preset ends in bytes; under "none" they are those of the frame."""
    before = [plain.load_words(sight, channel) for channel in range(3)]
    none = sight.ints[place] == POP_FILTERS.index("none")
    red, green, blue = (jnp.where(none, old, new) for old, new in zip(before, to_words(sight, v)))
    return to_values(sight, (red, green, blue))


def store_words(frame: Any, sight: Sight, drawn: Words, inside: jax.Array) -> None:
    index = jnp.broadcast_to(sight.rows, sight.shape), jnp.broadcast_to(sight.words, sight.shape)
    for channel, word in enumerate(drawn):
        plgpu.store(frame.at[(channel, *index)], word, mask=inside)


def store_floats(scratch: Any, sight: Sight, v: Values, inside: jax.Array) -> None:
    index = jnp.broadcast_to(sight.rows, sight.shape), jnp.broadcast_to(sight.words, sight.shape)
    for channel, pixels in enumerate(v):
        for pixel, value in enumerate(pixels):
            plgpu.store(scratch.at[(channel, pixel, *index)], value, mask=inside)
