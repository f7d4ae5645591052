"""A checkpoint goes in and comes out the same, and one that was edited does not come out."""

import jax.numpy as jnp
import numpy as np
import pytest

from assay.errors import AssayError
from assay.runs.checkpoint import load_checkpoint, save_checkpoint

ABOUT = {"task": "toy/discrete", "seed": 1}
STATE = {"weights": jnp.arange(6.0).reshape(2, 3), "iterations": jnp.int32(4)}


@pytest.fixture
def path(tmp_path):
    save_checkpoint(tmp_path / "state.npz", ABOUT, STATE)
    return tmp_path / "state.npz"


def test_it_comes_back_the_same(path):
    found = load_checkpoint(path, ABOUT, STATE)
    assert found["iterations"] == 4 and (found["weights"] == STATE["weights"]).all()


@pytest.mark.parametrize(
    "name, value", [("['weights']", np.zeros((2, 3), np.float32)), ("['iterations']", np.int32(20))]
)
def test_an_edited_one_is_refused(path, name, value):
    with np.load(path) as file:
        arrays = dict(file)
    assert name in arrays and arrays[name].dtype == value.dtype
    np.savez(path, **(arrays | {name: value}))
    with pytest.raises(AssayError, match="was changed after it was written; delete it"):
        load_checkpoint(path, ABOUT, STATE)


def test_one_without_a_digest_is_no_checkpoint(path):
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != "digest"}
    np.savez(path, **arrays)
    with pytest.raises(AssayError, match="is not a checkpoint that can be read"):
        load_checkpoint(path, ABOUT, STATE)
