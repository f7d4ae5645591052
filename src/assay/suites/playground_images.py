"""`playground/image-*`: the discrete toy env seen as pictures, moved, scaled, turned and mirrored."""

from __future__ import annotations

from assay.suites.playground_grid import DISCRETE, SEEDS, STEPS, base_tasks, over, suite
from assay.suites.suite import Suite

PICTURES = f"{DISCRETE}+image_representations"
WIDE = "+image_scale_range=[0.5,2.0]"  # the range of the paper's runs, not of its table
RANGES = ("[0.8,1.25]", "[0.75,1.33]", "[0.667,1.5]", "[0.5,2.0]")
TRANSFORMS = ("shift", f"scale{WIDE}", "flip", "rotate", f"scale-shift-rotate-flip{WIDE}")
TURNED, MOVED = f"{PICTURES}+image_transforms=rotate", f"{PICTURES}+image_transforms=shift"


def ranges() -> list[Suite]:
    """Suites over the range of scales, without a plain level: without a range nothing is scaled."""
    asks = "how far may pictures be scaled?"
    return [
        suite(f"image-scale-range{ending}", asks, start,
              [f"{start}+image_transforms=scale+image_scale_range={each}" for each in RANGES],
              False, SEEDS, STEPS)
        for start, ending in base_tasks(PICTURES)
    ]  # fmt: skip


SUITES = (
    *over("image_transforms", TRANSFORMS, "how much harder are pictures that move, shrink, turn or flip?",
          PICTURES),
    *over("image_sh_quant", (2, 4, 8, 16), "is learning easier when pictures move to fewer places?", MOVED),
    *ranges(),
    *over("image_ro_quant", (2, 4, 9, 18, 36), "is learning easier when pictures turn by fewer angles?",
          TURNED),
)  # fmt: skip
