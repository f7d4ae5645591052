"""Loops for the compiler: what they carry is stored, and their length is the same for all lanes.

XLA fuses without bounds: where each pixel of a result reads many of the frame before, that frame is computed
anew for every reading, and whoever sums up frames over lanes computes them in an order in which nothing is
vectorised. But XLA stores what a loop carries. A barrier does not help: on CPUs it is removed before fusion.
"""

from __future__ import annotations

from collections.abc import Callable

import jax

from assay.envs.platformer.build_params import Params


@jax.custom_batching.custom_vmap
def most_of_lanes(count: jax.Array) -> jax.Array:
    """The count, () int32; where lanes are drawn together, the largest of theirs, one number for all.

    A loop whose end differs from lane to lane would copy every frame at every turn.
    """
    return count


@most_of_lanes.def_vmap
def most_of_batch(size: int, batched: list[bool], counts: jax.Array) -> tuple[jax.Array, bool]:
    return most_of_lanes(counts.max()), False  # once more, for tasks that are stacked over their lanes


def settle(params: Params, function: Callable[[jax.Array], jax.Array], v: jax.Array) -> jax.Array:
    """The function applied to a frame that is stored first, by way of a loop of one turn."""
    return jax.lax.fori_loop(0, most_of_lanes(params.tables.once), lambda _, v: function(v), v)


def store(params: Params, function: Callable[[], jax.Array], like: jax.Array) -> jax.Array:
    """What the function gives, an array like this one, stored by way of a loop of one turn."""
    return jax.lax.fori_loop(0, most_of_lanes(params.tables.once), lambda _, __: function(), like)
