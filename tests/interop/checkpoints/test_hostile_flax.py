"""Files of flax that ask for much memory or time, or whose numbers overflow: refused, and quickly."""

import gzip
import pickle
from collections import OrderedDict

import numpy as np
import pytest
from published import impala, nature_body, packed, value_head

from assay.errors import AssayError
from assay.interop.agents import load_agent
from assay.interop.checkpoints.array_pickle import MOST_VALUES, read_array_pickle
from assay.interop.checkpoints.msgpack import read_msgpack


def told(path, data, scheme="flax"):
    path.write_bytes(data)
    with pytest.raises(AssayError) as caught:
        load_agent(f"{scheme}:{path}")
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
    return str(caught.value)


DOUBLING = b"\x80\x02}\x8c\1a\x85" + b"2\x86" * 60 + b"K\1s."
SHARED = b"\x80\x02]q\0(" + b"h\0" * MOST_VALUES + b"e."


@pytest.mark.parametrize("data, why", [
    (DOUBLING, "keys are no texts"),
    (b"\x80\x02}(K\1\x85K\1u.", "keys are no texts"),
    (b"\x80\x02(K\1\x85K\1d.", "keys are no texts"),
    (b"\x80\x02]r\xff\xff\xff\x0f.", "keeps a value at the place 268435455"),
    (b"\x80\x02(" + b"]" * MOST_VALUES + b"l.", "more than 100,000 values"),
    (SHARED, "more than 100,000 values"),
    (pickle.dumps({"a": 1}) + b"junk", "bytes follow after the end"),
    (pickle.dumps({1, 2}), "instruction EMPTY_SET"),
    (pickle.dumps(np.array([{}])), "not of numbers"),
    (b"\x80\x02ccollections\nOrderedDict\n}\x8c\1ab.", "a state to something that is no array"),
    (b"\x80\x02ccollections\nOrderedDict\n]\x85R.", "a dictionary of something else"),
    (b"\x80\x02cnumpy\nndarray\nJ\xff\xff\xff\x0f\x85\x85R.", "damaged"),
    (b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nJ\xff\xff\xff\x0f\x85K\1\x87R.",
     "an array before its numbers"),
], ids=range(13))  # fmt: skip
def test_pickles_that_ask_for_much(data, why):
    with pytest.raises(ValueError, match=why):
        read_array_pickle(data)


@pytest.mark.parametrize("protocol", [3, 4])
def test_pickles_of_arrays_are_read(protocol):
    tree = OrderedDict(a=np.arange(6, dtype="f4").reshape(2, 3), b=np.zeros((2, 0), "f8").T, c=[1, 2.5, None])
    again = read_array_pickle(pickle.dumps(tree, protocol))
    assert list(again) == ["a", "b", "c"] and again["c"] == tree["c"]
    for key in "ab":
        assert again[key].dtype == tree[key].dtype
        np.testing.assert_array_equal(again[key], tree[key])


def test_extensions_inside_extensions_are_no_deeper_than_lists():
    data = b"\0"
    for _ in range(1200):
        data = b"\xc9" + len(data).to_bytes(4, "big") + b"\1" + data
    with pytest.raises(ValueError, match="nested more than"):
        read_msgpack(data)


@pytest.mark.parametrize("data, why", [
    (b"\xdd\0\2\0\0" + b"\x90" * 2**17, "more than 100,000 values"),
    (packed([[0, 2**62], "float32", b""]), "another size"),
    (packed([[1], "f4,f4", bytes(8)]), "of the type"),
])  # fmt: skip
def test_msgpack_that_asks_for_much(data, why):
    inner = data if data[:1] == b"\xdd" else b"\xc7" + bytes([len(data), 1]) + data
    with pytest.raises(ValueError, match=why):
        read_msgpack(inner)


def test_a_gzip_that_unpacks_to_much(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.interop.checkpoints.reading.MOST_BYTES", 1000)
    assert "more than 1,000 bytes" in told(tmp_path / "zeros.gz", gzip.compress(bytes(2000)))


def test_kernels_that_overflow(tmp_path):
    rng = np.random.default_rng(0)
    net = nature_body(rng) | value_head(rng, 6)
    large = {
        key: {"kernel": part["kernel"] * np.float32(1e30), "bias": part["bias"]} for key, part in net.items()
    }
    assert "gives numbers that are not finite for plain" in told(tmp_path / "a", packed({"params": large}))
    net["Conv_0"]["kernel"] = np.full((8, 8, 4, 32), 1e300)
    assert "not finite as float32" in told(tmp_path / "a", packed({"params": net}))


@pytest.mark.parametrize("critic, why", [
    (None, "holds a NoneType"),
    ({"Dense_0": {"kernel": np.zeros((256, 3), "f4"), "bias": np.zeros(3, "f4")}}, "a critic of 3 outputs"),
])  # fmt: skip
def test_another_critic_is_refused(critic, why, tmp_path):
    tree = impala()
    tree["1"]["2"] = {"params": critic}
    assert why in told(tmp_path / "a", packed(tree))


def test_a_file_of_the_other_library_is_told(tmp_path):
    torch = pytest.importorskip("torch")
    said = told(tmp_path / "a", packed({"params": {}}), "torch")
    assert f"looks like a file of flax and not of PyTorch; write flax:{tmp_path / 'a'}." in said
    for new in (True, False):
        torch.save({"a": torch.ones(2)}, tmp_path / "b", _use_new_zipfile_serialization=new)
        said = told(tmp_path / "b", (tmp_path / "b").read_bytes())
        assert f"looks like a file of PyTorch and not of flax; write torch:{tmp_path / 'b'}." in said
