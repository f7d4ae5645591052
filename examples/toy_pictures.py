"""All pictures of the toy envs on one sheet: python examples/toy_pictures.py pictures.png"""

import sys

import jax
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import assay

POLYGONS = "toy/discrete+image_representations"
TEXTURES = f"{POLYGONS}+image_folder=samples+image_fill=textures"
ROWS = {
    "plain": POLYGONS,
    **{word: f"{POLYGONS}+image_transforms={word}" for word in ("shift", "scale", "rotate", "flip")},
    "all four": f"{POLYGONS}+image_transforms=scale-shift-rotate-flip",
    "images": f"{POLYGONS}+image_folder=samples",
    "textures": f"{TEXTURES}+image_transforms=scale-shift-rotate-flip",
}
PLANE, BOARD = "toy/continuous+image_representations", "toy/grid+image_representations"
MAPS = {
    "continuous": f"{PLANE}+target_radius=0.5",
    "two targets, an end": f"{PLANE}+target_point=[[5,5],[-5,-5]]+terminal_states=[0,6]+term_state_edge=4",
    "one dimension counts": f"{PLANE}+relevant_indices=[0]",
    "grid": BOARD,
    "two ends": f"{BOARD}+terminal_states=[[3,3],[4,4]]",
    "a board beside": f"{BOARD}+irrelevant_features",
}


def main(path: str = "toy-pictures.png") -> None:
    figure = plt.figure(figsize=(8.5, 11), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=[8, 3])
    cells = upper.subplots(len(ROWS), 8)
    for row, (title, text) in zip(cells, ROWS.items(), strict=True):
        row[0].set_ylabel(title)
        for state, cell in enumerate(row):
            start = np.eye(8)[state].tolist()
            show(cell, f"{text}+terminal_state_density=0+init_state_dist={start}", seed=state)
    for cell, (title, text) in zip(lower.subplots(2, 3).flat, MAPS.items(), strict=True):
        show(cell, text, seed=1)
        cell.set_title(title, fontsize=9)
    figure.savefig(path, dpi=80)
    print(f"{path}: states of toy/discrete in columns, and maps of toy/continuous and toy/grid")


def show(cell: plt.Axes, text: str, seed: int) -> None:
    """The first observation of an episode; pictures are indexed [x, y], so a page has them on their side."""
    seen, _ = assay.make_jax(text).reset(jax.random.key(seed))
    cell.imshow(np.asarray(seen).swapaxes(0, 1), cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    cell.set(xticks=[], yticks=[])


if __name__ == "__main__":
    main(*sys.argv[1:])
