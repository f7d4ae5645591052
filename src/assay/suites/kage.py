"""`kage/*`: the 34 pairs of KAGE-Bench and its three dose-response sets, by their published ids.

A pair trains on the platformer with one appearance and is evaluated with another; `PAIRS` gives the former
and the changes from it. Every appearance starts from the plain task: a black background, the agent a teal
circle, and no other characters.

The paper says that each pair changes one thing, but its files change up to seven. These suites follow the
files, and every plan and report lists the parameters in which a pair's tasks differ. For distractors 6 the
text of the paper differs from its file (in the text, the agent does not change); that version is
`distractors 6-paper`, in `kage/distractors-paper`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from assay.suites.suite import Pair, Suite
from assay.task_text import Setting, TaskText

ENV = "platformer/run"
STEPS, SEEDS, EPISODES = 25_000_000, tuple(range(10)), 128
CHOSEN_BY = ("score", "success")  # measures to choose the best blind policy by

Looks = dict[str, Any]
PLAIN: Looks = {}
SKELETON: Looks = {"character.use_sprites": True, "character.sprite_paths": ("skeleton",)}


def images(*numbers: int) -> Looks:
    return {
        "background.mode": "image",
        "background.image_paths": tuple(f"bg-{number}" for number in numbers),
    }


def colors(*names: str) -> Looks:
    return {"background.mode": "color", "background.color_names": names}


def shapes(count: int, color: str = "teal") -> Looks:
    """Circles of the agent's size that move over the screen."""
    return {
        "distractors.enabled": True, "distractors.count": count, "distractors.shape_types": ("circle",),
        "distractors.shape_colors": (color,), "distractors.min_size": 16, "distractors.max_size": 16,
    }  # fmt: skip


ON_IMAGE = SKELETON | images(1)
LIT = {"effects.point_light_enabled": True}
# By axis, numbered from 1: the training appearance and what changes.
PAIRS: dict[str, tuple[tuple[Looks, Looks], ...]] = {
    "agent_appearance": (
        (PLAIN, {"character.shape_types": ("line",)}),
        (PLAIN, {"character.shape_colors": ("pink",)}),
        (PLAIN, {"character.shape_types": ("line",), "character.shape_colors": ("pink",)}),
        (PLAIN, SKELETON),
        (SKELETON, {"character.sprite_paths": ("clown",)}),
    ),
    "background": (
        (PLAIN, {"background.mode": "noise"}),
        (PLAIN, colors("purple")),
        (PLAIN, colors("purple", "lime", "indigo")),
        (colors("red", "green", "blue"), colors("purple", "lime", "indigo")),
        (PLAIN, {"background.mode": "image"}),  # any of all 128
        (images(1), images(128)),
        (images(1, 2, 3), images(128)),
        (SKELETON, colors("purple")),
        (ON_IMAGE, images(128)),
        (SKELETON | images(1, 2, 3), images(128)),
    ),
    "distractors": (
        (SKELETON, {"npc.enabled": True, "npc.sprite_paths": ("skeleton",)}),
        (SKELETON, {"npc.enabled": True}),  # of all 27 skins
        (SKELETON, {"npc.sticky_enabled": True, "npc.sticky_sprite_dirs": ("skeleton",)}),
        (SKELETON, {"npc.sticky_enabled": True}),  # of all 27 skins
        (PLAIN, shapes(7)),
        (PLAIN, {"character.shape_colors": ("indigo",)} | shapes(1)),
    ),
    "effects": (
        (ON_IMAGE, LIT | {"effects.point_light_intensity": 0.5}),
        (ON_IMAGE, LIT | {"effects.point_light_falloff": 4.0}),
        (ON_IMAGE, LIT),
    ),
    "filters": (
        (ON_IMAGE, {"filters.brightness": 1.0}),
        (ON_IMAGE, {"filters.contrast": 128.0}),
        (ON_IMAGE, {"filters.saturation": 0.0}),
        (ON_IMAGE, {"filters.hue_shift": 180.0}),
        (ON_IMAGE, {"filters.color_jitter_std": 2.0}),
        (ON_IMAGE, {"filters.gaussian_noise_std": 100.0}),
        (ON_IMAGE, {"filters.pixelate_factor": 3}),
        (ON_IMAGE, {"filters.vignette_strength": 10.0}),
        (ON_IMAGE, {"filters.radial_light_strength": 1.0}),
    ),
    "layout": ((PLAIN, {"layout.layout_colors": ("red",)}),),
}  # fmt: skip
AS_IN_THE_PAPER = (PLAIN, shapes(1, "indigo"))  # for distractors 6

ASKS = {
    "agent_appearance": "does the agent still run when it looks different?",
    "background": "does the agent still run in front of another background?",
    "distractors": "does the agent still run beside things that do not matter?",
    "effects": "does the agent still run under other lights?",
    "filters": "does the agent still run when the picture is filtered?",
    "layout": "does the agent still run on ground of another colour?",
}
# The question, the training appearance, and the doses by name.
DOSES: dict[str, tuple[str, Looks, Mapping[str, Looks]]] = {
    "dose-backgrounds": (
        "how does what was learned fall with the number of background colours?",
        PLAIN,
        {str(len(some)): colors(*some)
         for some in accumulate((name,) for name in ("black", "white", "red", "green", "blue"))},
    ),
    "dose-distractors": (
        "how does what was learned fall with the number of shapes like the agent?",
        PLAIN,
        {str(count): shapes(count) if count else PLAIN for count in (0, 1, 2, 3, 5, 7, 9, 11)},
    ),
    "dose-radial-light": (
        "how does what was learned fall with the light in the middle?",
        ON_IMAGE,
        {str(level): {"filters.radial_light_strength": level} if level else PLAIN
         for level in (0.0, 0.25, 0.5, 0.75, 1.0)},
    ),
}  # fmt: skip


def pair(axis: str, which: int | str, train: Looks, shift: Looks) -> Pair:
    return Pair(text(train), text({**train, **shift}), f"{axis} {which}", axis)


def text(looks: Looks) -> str:
    return str(TaskText(ENV, tuple(Setting(name, value) for name, value in looks.items())))


def pairs_of(axis: str) -> tuple[Pair, ...]:
    return tuple(pair(axis, number, *each) for number, each in enumerate(PAIRS[axis], start=1))


def suite(name: str, asks: str, pairs: tuple[Pair, ...]) -> Suite:
    return Suite(f"kage/{name}", 1, asks, pairs, SEEDS, EPISODES, rollouts=True, steps=STEPS, blind=CHOSEN_BY)


ALL = tuple(each for axis in PAIRS for each in pairs_of(axis))
PAPER_DISTRACTORS = (*pairs_of("distractors")[:5], pair("distractors", "6-paper", *AS_IN_THE_PAPER))

SUITES = (
    *(suite(axis, ASKS[axis], pairs_of(axis)) for axis in PAIRS),
    suite("all", "does what the agent learned hold when the world looks different?", ALL),
    suite(
        "distractors-paper",
        "does the agent still run beside the distractors of the paper's text?",
        PAPER_DISTRACTORS,
    ),
    *(
        suite(name, asks, tuple(pair(name, dose, train, looks) for dose, looks in doses.items()))
        for name, (asks, train, doses) in DOSES.items()
    ),
)
