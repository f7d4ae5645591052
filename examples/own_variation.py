"""A variation of one's own, proved before it is trusted.

In a task's text it is called module:attribute. From this folder:

    assay check own_variation:BLINK --on gym/CartPole-v1
    assay show gym/CartPole-v1+own_variation:BLINK=4
"""

import sys
from pathlib import Path

import assay
from assay.authoring import Channel, plain_space

ENV = "gym/CartPole-v1"  # or a native one, such as toy/discrete: one function serves both


def blink(xp, level, memory, draw, value, ends, space):
    """Every `level`-th observation is dark."""
    # Written against `xp`, which is jax.numpy in a native task and numpy in a hosted one.
    dark = (level > 0) & (memory % xp.maximum(level, 1) == level - 1)
    nothing = xp.full(space.shape, space.zero, space.dtype)
    return memory + 1, xp.where(dark, nothing, value)


def observations_so_far(xp, space, bound):
    return xp.zeros((), "int32")


# What it declares is what is proved: it touches the observation alone, and at level 0 changes nothing.
BLINK = Channel(
    4,
    name="blink",
    components=("observation",),
    apply=blink,
    neutral=0,
    memory=observations_so_far,
    fits=plain_space,
)


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    for certificate in assay.check("own_variation:BLINK", on=ENV):
        print(f"{certificate.task}:\n  {certificate.sentence()}")


if __name__ == "__main__":
    main()
