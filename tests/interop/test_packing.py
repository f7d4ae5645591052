"""Words in a row: everything that goes in comes out, to the bit."""

import jax
import jax.numpy as jnp
import numpy as np

from assay.core.space import Box, Discrete
from assay.interop.packing import LARGE, Reader, one_value, pack, unpack

TREE = {
    "float": jnp.array([1.5, -0.0, jnp.nan, 1e-45], jnp.float32),
    "key": jnp.array([2**32 - 1, 7], jnp.uint32),
    "flag": jnp.array(True),
    "pixels": jnp.array([[0, 255]], jnp.uint8),
    "number": jnp.int32(-3),
    "large": jnp.arange(LARGE + 1, dtype=jnp.float32),
    "nothing": (),
}


def test_a_row_and_what_is_too_large_for_it():
    row, large = pack(TREE)
    assert row.dtype == jnp.int32 and row.shape == (4 + 2 + 1 + 2 + 1,)
    assert [each.shape for each in large] == [(LARGE + 1,)]


def test_all_bits_come_back():
    back = jax.jit(lambda row, large: unpack(row, large, jax.eval_shape(lambda: TREE)))(*pack(TREE))
    assert jax.tree.structure(back) == jax.tree.structure(TREE)
    for a, b in zip(jax.tree.leaves(back), jax.tree.leaves(TREE)):
        assert a.dtype == b.dtype and a.shape == b.shape
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_values_are_read_in_the_dtypes_of_outside():
    row = np.asarray(pack((jnp.int32(5), jnp.array([0.1, 2.0], jnp.float32)))[0])
    assert type(one_value(row[:1], Discrete(8))) is np.int64
    pair = one_value(row[1:], Box(-9, 9, (2,)))
    assert pair.dtype == np.float32 and pair.flags.writeable
    np.testing.assert_array_equal(pair, np.array([0.1, 2.0], np.float32))


def test_lanes_are_read_one_value_after_the_other():
    picture, wide = Box(0, 255, (2, 1), "uint8"), Box(-1, 1, (LARGE + 1,))
    lanes = (
        jnp.array([0.5, 1.5, 2.5], jnp.float32),
        jnp.array([True, False, True]),
        jnp.arange(6, dtype=jnp.uint8).reshape(3, 2, 1),
        jnp.arange(6, dtype=jnp.int32).reshape(3, 2),
        jnp.ones((3, LARGE + 1), jnp.float32),
    )
    reader = Reader(
        jax.vmap(pack, out_axes=(1, 0))(lanes), lanes=2
    )  # the third lane is only there for company
    assert reader.floats().tolist() == [0.5, 1.5] and reader.flags().tolist() == [True, False]
    seen = reader.value(picture)
    assert seen.dtype == np.uint8 and seen.tolist() == [[[0], [1]], [[2], [3]]]
    pairs = reader.value(Discrete((9, 9)))
    assert pairs.dtype == np.int64 and pairs.tolist() == [[0, 1], [2, 3]]
    assert reader.value(wide).shape == (2, LARGE + 1)
