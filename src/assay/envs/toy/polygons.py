"""toy/discrete in pictures: state s is a regular polygon of s + 3 corners, or a picture of the user's own.

A picture is white on black, uint8 [x, y, 1], or [x, y, 3] where pictures are given. It is computed
with whole numbers alone, so it is the same to the bit however it is compiled. A polygon is the area inside
all its edges; scaling, shifting, rotating or flipping moves the edges. Each column of pixels has one span.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor, sqrt
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.env import record
from assay.core.keys import stream
from assay.core.space import Box
from assay.core.variation import static
from assay.envs.toy.image_axes import RADIUS
from assay.envs.toy.own_pictures import load_faces
from assay.errors import NotApplicable

# Lengths are in half pixels from the middle of the picture: pixel x of w lies at 2x + 1 - w.
ONE = 4096  # what stands for 1 in sines and cosines
SLACK = 0.375  # pixels by which a polygon is grown: edges are drawn too, as other painters do
BEYOND = 2**20  # farther out than any pixel
MOST_STATES = 512


@record
class Polygons:
    """How the states are drawn; S states, E edges, K radii."""

    normals: Any  # (S, E, 2) int32, outward, in units of 1 / ONE
    reach: Any  # (S, K) int32, distance of the edges from the polygon's centre, in half pixels / ONE
    chances: Any  # (K - 1,) float32, of a smaller or equal radius, added up
    radii: Any  # (K,) int32, pixels
    turns: Any  # (360, 2) int32, cosine and sine of the rotation that each degree drawn stands for
    shift_quantum: Any  # () int32, pixels
    faces: Any  # (S, T, T, 3) uint8, pictures in place of white, or None
    face_reach: Any  # (K,) int32, half a face's side, in half pixels / ONE
    transforms: tuple = static(())
    width: int = static(100)
    height: int = static(100)
    independent: bool = static(False)


class Pose(NamedTuple):
    """One draw of the transforms."""

    size: Any  # () int32, which radius
    shift: Any  # (2,) int32, pixels
    turn: Any  # (2,) int32, cosine and sine
    flip: Any  # (2,) int32, 1 or -1 for each dimension


def make_polygons(settings: Any, states: int) -> Polygons:
    """The tables for so many states."""
    transforms = () if settings.image_transforms == "none" else tuple(settings.image_transforms.split("-"))
    radii, chances = list_radii(settings.image_scale_range if "scale" in transforms else (1.0, 1.0))
    check_settings(settings, transforms, states, radii[-1])
    corners = np.arange(states)[:, None] + 3
    if settings.image_folder and settings.image_fill == "images":
        corners = np.full((states, 1), 4)
    # Polygons of fewer corners than the most repeat their edges.
    angles = 2 * np.pi * (np.arange(corners.max()) % corners + 0.5) / corners
    inner = radii * np.cos(np.pi / corners) + SLACK
    half = radii.astype(float)  # half the side of a face: it covers the polygon's circle
    if settings.image_folder and settings.image_fill == "images":
        angles = 2 * np.pi * (np.arange(4) % corners) / corners
        half = np.ceil(radii * sqrt(2) / 2)
        inner = np.broadcast_to(half, inner.shape)
    size = 2 * int(half[-1])
    degrees = np.arange(360) // settings.image_ro_quant * settings.image_ro_quant
    return Polygons(
        normals=jnp.asarray(to_units(np.stack([np.cos(angles), np.sin(angles)], -1))),
        reach=jnp.asarray(to_units(2 * inner)),
        chances=jnp.asarray(chances, jnp.float32),
        radii=jnp.asarray(radii, jnp.int32),
        turns=jnp.asarray(to_units(np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], -1))),
        shift_quantum=jnp.int32(settings.image_sh_quant),
        faces=jnp.asarray(load_faces(settings.image_folder, states, size)) if settings.image_folder else None,
        face_reach=jnp.asarray(to_units(2 * half)),
        transforms=transforms,
        width=settings.image_width,
        height=settings.image_height,
        independent=settings.image_independent,
    )


def to_units(values: np.ndarray) -> np.ndarray:
    return np.round(values * ONE).astype(np.int32)


def list_radii(scale: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """The whole radii below a log-uniform one, and the chances of each or a smaller one, but for the last."""
    low, high = (RADIUS * factor for factor in scale)
    least = floor(low + 1e-9)
    radii = np.arange(least, max(least + 1, ceil(high - 1e-9)))
    if len(radii) == 1:
        return radii, np.zeros(0)
    return radii, np.log(radii[1:] / low) / np.log(high / low)


def check_settings(settings: Any, transforms: tuple[str, ...], states: int, largest: int) -> None:
    """Refuses pictures that could not be seen, and settings without effect."""
    for name, word, plain in (
        ("image_sh_quant", "shift", 1),
        ("image_ro_quant", "rotate", 1),
        ("image_scale_range", "scale", (0.5, 1.5)),
    ):
        if word not in transforms and getattr(settings, name) != plain:
            raise NotApplicable(
                f"{name} acts only with {word} among the image_transforms; add it, or drop {name}."
            )
    if not settings.image_folder and states > MOST_STATES:
        raise NotApplicable(
            f"image_representations draws polygons for up to {MOST_STATES} states, not {states}: "
            "more corners cannot be told apart; give an image_folder."
        )
    if "shift" not in transforms:
        return
    for name in ("image_width", "image_height"):
        middle = getattr(settings, name) // 2
        if middle <= largest:
            raise NotApplicable(
                f"{name}={getattr(settings, name)} leaves polygons of radius {largest} no room to shift; "
                f"set it to {2 * largest + 2} or more, or set a smaller image_scale_range."
            )
        if settings.image_sh_quant > middle:
            raise NotApplicable(
                f"image_sh_quant is at most half of {name} ({middle}), not {settings.image_sh_quant}: "
                "polygons would leave the picture."
            )


def space(look: Polygons, parts: int) -> Box:
    return Box(0, 255, (parts * look.width, look.height, 1 if look.faces is None else 3), "uint8")


def draw_state(key: jax.Array, look: Polygons, states: jax.Array) -> jax.Array:
    """The picture of one state, or of a relevant and an irrelevant one side by side."""
    own = stream(key, "image_transforms")
    pose = draw_pose(own, look)
    parts = [paint(look, states[0], pose)]
    if states.shape[0] == 2:
        beside = draw_pose(stream(own, "irrelevant"), look) if look.independent else pose
        parts.append(paint(look, states[1], beside))
    return jnp.concatenate(parts) if len(parts) == 2 else parts[0]


draw_state_compiled = jax.jit(draw_state)


def draw_portrait(settings: Any, states: jax.Array, count: int) -> jax.Array:
    """What `draw_state` shows of these states out of `count`, before any transform and always in RGB."""
    plain = replace(
        settings, image_transforms="none", image_sh_quant=1, image_ro_quant=1, image_scale_range=(0.5, 1.5)
    )
    picture = draw_state_compiled(jax.random.key(0), make_polygons(plain, count), states)
    return jnp.broadcast_to(picture, (*picture.shape[:2], 3))


def draw_pose(key: jax.Array, look: Polygons) -> Pose:
    """A pose; each transform has a stream of its own, so that one leaves the others' draws alone."""
    size, shift = jnp.int32(0), jnp.zeros(2, jnp.int32)
    turn, flip = jnp.array([ONE, 0], jnp.int32), jnp.ones(2, jnp.int32)
    if "scale" in look.transforms:
        size = jnp.sum(jax.random.uniform(stream(key, "scale")) >= look.chances, dtype=jnp.int32)
    if "shift" in look.transforms:
        room = jnp.array([look.width // 2, look.height // 2]) - look.radii[size]
        shift = jax.random.randint(stream(key, "shift"), (2,), 1 - room, room)
        shift = jnp.floor_divide(shift, look.shift_quantum) * look.shift_quantum
    if "rotate" in look.transforms:
        turn = look.turns[jax.random.randint(stream(key, "rotate"), (), 0, 360)]
    if "flip" in look.transforms:
        which = jax.random.randint(stream(key, "flip"), (), 0, 4)  # left-right, top-bottom, and twice none
        flip = jnp.where(which == jnp.arange(2), -1, 1)
    return Pose(size, shift, turn, flip)


def paint(look: Polygons, state: jax.Array, pose: Pose) -> jax.Array:
    """One picture, (width, height, 1 or 3) uint8."""
    normals, reach = look.normals[state], look.reach[state, pose.size]
    sides = jnp.array([look.width, look.height])
    centre = 2 * (sides // 2 + pose.shift) - sides
    limits = (normals * centre).sum(-1) + reach
    if "rotate" in look.transforms:
        # Parts beyond the border stay outside when the whole picture is rotated.
        border = np.array([[ONE, 0], [-ONE, 0], [0, ONE], [0, -ONE]], np.int32)
        normals = jnp.concatenate([normals, border])
        limits = jnp.concatenate([limits, ONE * jnp.repeat(sides, 2)])
        normals = rotate(normals, pose.turn)
    inside = find_inside(normals * pose.flip, limits, look.width, look.height)
    if look.faces is None:
        return jnp.where(inside, 255, 0).astype(jnp.uint8)[..., None]
    return jnp.where(inside[..., None], paint_face(look, state, pose, centre), 0)


def rotate(vectors: jax.Array, turn: jax.Array) -> jax.Array:
    """(n, 2) vectors turned by the angle of this cosine and sine, against the clock where y points down."""
    x, y = vectors[..., 0], vectors[..., 1]
    cosine, sine = turn[0], turn[1]
    both = jnp.stack([x * cosine + y * sine, y * cosine - x * sine], -1)
    return (both + ONE // 2) // ONE


def find_inside(normals: jax.Array, limits: jax.Array, width: int, height: int) -> jax.Array:
    """Which pixels lie inside all edges, (width, height) bool: those of each column are a span."""
    x, y = 2 * np.arange(width) + 1 - width, 2 * np.arange(height) + 1 - height

    def cut(span: tuple, edge: tuple) -> tuple:
        (low, high), (normal, limit) = span, edge
        room, slope = limit - normal[0] * x, normal[1]  # pixels inside have slope * y <= room
        most = room // jnp.maximum(jnp.abs(slope), 1)
        upright = jnp.where(room < 0, -BEYOND, BEYOND)  # no slope: the edge takes the column or leaves it
        high = jnp.minimum(high, jnp.select([slope > 0, slope == 0], [most, upright], BEYOND))
        return (jnp.maximum(low, jnp.where(slope < 0, -most, -BEYOND)), high), None

    # A loop keeps the spans apart from the pixels; otherwise XLA computes them per pixel, three times slower.
    whole = jnp.full(width, -BEYOND), jnp.full(width, BEYOND)
    (low, high), _ = jax.lax.scan(cut, whole, (normals, limits))
    inside: Any = (y >= low[:, None]) & (y <= high[:, None])
    return inside


def paint_face(look: Polygons, state: jax.Array, pose: Pose, centre: jax.Array) -> jax.Array:
    """The state's own picture, (width, height, 3), at the place of each pixel before the transforms."""
    x, y = 2 * np.arange(look.width) + 1 - look.width, 2 * np.arange(look.height) + 1 - look.height
    x, y = x[:, None] * pose.flip[0], y * pose.flip[1]
    cosine, sine = pose.turn[0], pose.turn[1]
    across, down = x * cosine - y * sine - centre[0] * ONE, x * sine + y * cosine - centre[1] * ONE
    reach, count = look.face_reach[pose.size], look.faces.shape[1]
    per_unit = count / (2 * reach).astype(jnp.float32)
    texels = [
        jnp.clip(jnp.floor((each + reach).astype(jnp.float32) * per_unit).astype(jnp.int32), 0, count - 1)
        for each in (across, down)
    ]
    return look.faces[state].reshape(-1, 3)[texels[0] * count + texels[1]]
