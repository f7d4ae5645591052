"""Whether this GPU runs what the frame kernel is made of, tried on one word."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from assay.envs.platformer.gpu.numbers import quick

LENGTH = 32


def try_kernel(interpret: bool = False) -> str:
    """The reason why it does not, or ""."""
    given = np.arange(LENGTH, dtype=np.uint32)
    try:
        found = np.asarray(add_one(jnp.asarray(given), interpret))
    except Exception as error:  # Whatever a driver, a card or a compiler says, frames can still be drawn.
        said = str(error).strip() or type(error).__name__
        return f"this GPU does not run the frame kernel ({said.splitlines()[0][:120]})"
    return "" if np.array_equal(found, given + 1) else "the frame kernel gives wrong numbers on this GPU"


def add_one(words: jax.Array, interpret: bool) -> jax.Array:
    def kernel(read: Any, written: Any) -> None:
        word = plgpu.load(read)
        if interpret:
            plgpu.store(written, word + np.uint32(1))
        else:
            added = quick("add.u32 $0, $1, 1;", "=r,r", [word], jnp.int32)
            plgpu.store(written, added.astype(jnp.uint32))

    added: jax.Array = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(words.shape, words.dtype),
        compiler_params=plgpu.CompilerParams(num_warps=1, num_stages=1),
        interpret=interpret,
    )(words)
    return added
