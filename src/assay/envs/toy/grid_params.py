"""What can be set of `toy/grid`. The names are MDP Playground's config keys; no jax here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.core.axis import Axis, axis, stochastic, structure, takes
from assay.envs.toy import images_params as images
from assay.envs.toy import paying
from assay.envs.toy.params import ALL, EXAMPLES, reward_noise_function
from assay.envs.toy.values import PLAYGROUND, aliased, hidden_mode, or_function, whole
from assay.errors import WrongLevel

MOST_CELLS = 10**6


@takes("a list with the number of cells in each dimension")
def shape(value: Any) -> tuple[int, ...]:
    found = tuple(whole(each) for each in value)
    cells = 1
    for size in found:
        cells *= size
    if not found or min(found) < 2 or cells > MOST_CELLS:
        raise WrongLevel(f"each dimension has at least 2 cells, and all together {MOST_CELLS} at most.")
    return found


@takes("a cell such as [7, 7]")
def cell(value: Any) -> tuple[int, ...]:
    return tuple(whole(each) for each in value)


def cells(value: Any) -> tuple[tuple[int, ...], ...]:
    found = tuple(sorted({cell(each) for each in value}))
    if not found:
        raise WrongLevel("name at least one cell.")
    return found


@dataclass(frozen=True)
class Grid:
    """toy/grid: a board on which one walks to a target, cell by cell."""

    grid_shape: Any = structure(
        ALL,
        (8, 8),
        type=shape,
        levels=((4, 4), (16, 16)),
        asks=True,
        origin=PLAYGROUND,
        means="cells in each dimension",
    )
    target_point: Any = structure(
        "initial reward terminal",
        (),
        type=cell,
        levels=((0, 0), (3, 3)),
        asks=True,
        origin=PLAYGROUND,
        means="the target; the last cell in every dimension where none is named",
    )
    terminal_states: Any = structure(
        "initial terminal",
        (),
        type=or_function("a list of cells such as [[3, 3], [4, 4]]", cells, "cell -> whether it ends there"),
        levels=(((3, 3), (4, 4)), f"{EXAMPLES}:on_the_diagonal"),
        origin=PLAYGROUND,
        means="cells that end an episode beside the target, or a function that tells them",
    )
    make_denser: bool = structure(
        "reward",
        True,
        levels=(False,),
        asks=True,
        origin=PLAYGROUND,
        means="pay each step towards the target; else 1 on arrival",
    )
    irrelevant_features: bool = structure(
        "initial action transition observation",
        False,
        levels=(True,),
        origin=PLAYGROUND,
        means="a second board beside, walked by actions of its own, that pays nothing",
    )
    action_form: str = structure(
        "action",
        "number",
        choices=("number", "vector"),
        levels=("vector",),
        origin=PLAYGROUND,
        means="actions as one number (0 stays, then down and up in each dimension), or as steps of -1, 0, 1",
    )
    # Pictures in place of numbers.
    image_representations: bool = images.representations()
    image_width: int = images.side("width", low=16)
    image_height: int = images.side("height", low=16)
    gate: str = paying.gate_of_steps()
    flush_on_end: bool = paying.flush_on_end()
    # Traced: one program serves every level.
    reward_every_n_steps: int = paying.reward_every_n_steps()
    horizon: int = axis(
        "terminal",
        100,
        low=1,
        high=10**9,
        levels=(50, 25, 10, 200),
        origin="assay",
        means="steps after which an episode is cut (a truncation)",
    )


INNER = (
    Axis(
        "transition_noise", ("transition",), "dose", float, 0.0, (0.01, 0.02, 0.1, 0.25, 0.5), low=0, high=1,
        means="chance that another move is made than the one chosen, each equally likely",
        origin=PLAYGROUND, acts="assay.envs.toy.grid:TRANSITION_NOISE",
        tags=stochastic("transition"),
    ),
    hidden_mode("chance per step that a hidden mode flips, in which every move goes the other way"),
    aliased("cells in a row that look alike, in every dimension"),
    reward_noise_function("assay.envs.toy.grid:REWARD_NOISE", f"{EXAMPLES}:gusts"),
)  # fmt: skip
