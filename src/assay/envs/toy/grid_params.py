"""The settings of `toy/grid`. Their names are MDP Playground's config keys; no jax here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.axis import structure, takes
from assay.envs.toy import image_axes, shared_axes
from assay.envs.toy.setting_types import PLAYGROUND, or_function, whole
from assay.envs.toy.shared_axes import ALL, EXAMPLES
from assay.errors import WrongLevel

MOST_CELLS = 10**6


@takes("a list with the number of cells in each dimension")
def shape(value: Any) -> tuple[int, ...]:
    sizes = tuple(whole(each) for each in value)
    cells = 1
    for size in sizes:
        cells *= size
    if not sizes or min(sizes) < 2 or cells > MOST_CELLS:
        raise WrongLevel(f"each dimension must have at least 2 cells, and the board at most {MOST_CELLS}.")
    return sizes


@takes("a cell such as [7, 7]")
def cell(value: Any) -> tuple[int, ...]:
    return tuple(whole(each) for each in value)


def cells(value: Any) -> tuple[tuple[int, ...], ...]:
    listed = tuple(sorted({cell(each) for each in value}))
    if not listed:
        raise WrongLevel("name at least one cell.")
    return listed


@dataclass(frozen=True)
class Grid:
    """toy/grid: a board on which one walks to a target, cell by cell."""

    grid_shape: Any = structure(
        ALL, (8, 8), type=shape, levels=((4, 4), (16, 16)), asks=True, origin=PLAYGROUND,
        means="cells in each dimension",
    )  # fmt: skip
    target_point: Any = shared_axes.target_point(
        cell, ((0, 0), (3, 3)), "the target; the last cell in every dimension where none is named"
    )
    terminal_states: Any = shared_axes.terminal_states(
        or_function("a list of cells such as [[3, 3], [4, 4]]", cells, "cell -> whether it ends there"),
        (((3, 3), (4, 4)), f"{EXAMPLES}:on_the_diagonal"),
        "cells that end an episode beside the target, or a function that tells them",
    )  # fmt: skip
    make_denser: bool = shared_axes.make_denser(True, "pay each step towards the target; else 1 on arrival")
    irrelevant_features: bool = shared_axes.irrelevant_features(
        "a second board beside, walked by actions of its own, that pays nothing"
    )
    action_form: str = structure(
        "action", "number", choices=("number", "vector"), levels=("vector",), origin=PLAYGROUND,
        means="actions as one number (0 stays, then down and up in each dimension), or as steps of -1, 0, 1",
    )  # fmt: skip
    # Pictures in place of numbers.
    image_representations: bool = image_axes.image_representations()
    image_width: int = image_axes.image_side("width", low=16)
    image_height: int = image_axes.image_side("height", low=16)
    gate: str = shared_axes.gate_of_steps()
    flush_on_end: bool = shared_axes.flush_on_end()
    # Traced: one program serves every level.
    reward_every_n_steps: int = shared_axes.reward_every_n_steps()
    horizon: int = shared_axes.horizon()


INNER = (
    shared_axes.transition_noise(
        "chance that another move is made than the one chosen, each equally likely",
        acts="assay.envs.toy.grid:TRANSITION_NOISE",
        stochasticity="1",
    ),
    shared_axes.hidden_mode(
        "chance per step that a hidden mode flips, in which every move goes the other way"
    ),
    shared_axes.aliased("cells in a row that look alike, in every dimension"),
    shared_axes.state_jump(
        "chance per step that it ends in a cell drawn anew, where an episode could begin",
        acts="assay.envs.toy.jumps:GRID",
    ),
    shared_axes.reward_noise_function("assay.envs.toy.grid:REWARD_NOISE", f"{EXAMPLES}:gusts"),
)
