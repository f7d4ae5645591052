"""Names of colours, shapes, skins and pictures, as tables. No jax here."""

from __future__ import annotations

SHAPES = ("circle", "square", "line", "ellipse", "triangle", "star", "polygon", "cross", "diamond")

# Shapes, distractors and the ground are drawn in these; violet is purple, and green is lime.
SHAPE_COLORS = {
    "red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "orange": (255, 165, 0),
    "yellow": (255, 255, 0), "violet": (128, 0, 128), "magenta": (255, 0, 255), "cyan": (0, 255, 255),
    "pink": (255, 192, 203), "brown": (165, 42, 42), "purple": (128, 0, 128), "lime": (0, 255, 0),
    "navy": (0, 0, 128), "maroon": (128, 0, 0), "olive": (128, 128, 0), "teal": (0, 128, 128),
    "indigo": (75, 0, 130), "coral": (255, 127, 80), "gold": (255, 215, 0), "silver": (192, 192, 192),
    "white": (255, 255, 255),
}  # fmt: skip

BACKGROUND_COLORS = {
    "black": (0, 0, 0), "white": (255, 255, 255), "red": (220, 20, 60), "orange": (255, 140, 0),
    "yellow": (255, 215, 0), "green": (34, 139, 34), "cyan": (0, 206, 209), "blue": (30, 144, 255),
    "purple": (138, 43, 226), "pink": (255, 105, 180), "brown": (139, 69, 19), "gray": (128, 128, 128),
    "lime": (50, 205, 50), "teal": (0, 128, 128), "indigo": (75, 0, 130), "magenta": (255, 0, 255),
}  # fmt: skip

# The ground takes the names of backgrounds and the values of shapes, as the published pictures do; for the
# two names that shapes lack, those are the background's own (the original drew both as dark gray).
LAYOUT_COLORS = BACKGROUND_COLORS | {
    name: SHAPE_COLORS[name] for name in BACKGROUND_COLORS if name in SHAPE_COLORS
}
LAYOUT_COLORS_OF_KAGE = LAYOUT_COLORS | {"black": (80, 80, 80), "gray": (80, 80, 80)}

LIGHT_COLORS = {
    "warm_white": (255, 245, 230), "cool_white": (230, 240, 255), "yellow": (255, 255, 100),
    "orange": (255, 160, 50), "red": (255, 80, 80), "green": (100, 255, 100), "cyan": (100, 255, 255),
    "blue": (100, 150, 255), "purple": (200, 100, 255), "pink": (255, 150, 200), "gold": (255, 215, 0),
    "fire": (255, 140, 0),
}  # fmt: skip

POP_FILTERS = ("vintage", "retro", "cyberpunk", "horror", "noir", "none")

# Our own skins, painted by `tools/art`, sorted as folders of them would be.
SKINS = (
    "alien", "astronaut", "bee", "cat", "chef", "clown", "cowboy", "devil", "dinosaur", "diver", "frog",
    "ghost", "king", "knight", "mummy", "ninja", "penguin", "pirate", "princess", "robot", "santa",
    "skeleton", "snowman", "vampire", "viking", "wizard", "zombie",
)  # fmt: skip

IMAGES = tuple(f"bg-{number}" for number in range(1, 129))

# What stands for a folder of ours; "odd" is every second one, beginning with the first.
FOLDERS = {
    "assets/backgrounds": IMAGES, "assets/backgrounds/odd": IMAGES[::2],
    "assets/sprites": SKINS, "assets/sprites/odd": SKINS[::2],
}  # fmt: skip
