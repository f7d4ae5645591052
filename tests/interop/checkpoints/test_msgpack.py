"""msgpack as its specification writes it: bytes worked out by hand."""

import numpy as np
import pytest
from published import packed

from assay.interop.checkpoints.msgpack import DEEPEST, read_msgpack


@pytest.mark.parametrize("data, value", [
    ("00", 0), ("7f", 127), ("ff", -1), ("e0", -32), ("c0", None), ("c2", False), ("c3", True),
    ("cc80", 128), ("cdffff", 65535), ("ce00010000", 65536), ("cf0000000100000000", 2**32),
    ("d080", -128), ("d1ff7f", -129), ("d2ffff7fff", -32769), ("d3ffffffff7fffffff", -(2**31) - 1),
    ("ca3fc00000", 1.5), ("cb3ff8000000000000", 1.5),
    ("a0", ""), ("a3616263", "abc"), ("d903616263", "abc"), ("da0003616263", "abc"),
    ("db00000003616263", "abc"), ("a2c3a9", "é"),
    ("c4020102", b"\1\2"), ("c500020102", b"\1\2"), ("c6000000020102", b"\1\2"),
    ("90", []), ("920102", [1, 2]), ("dc00020102", [1, 2]), ("dd000000020102", [1, 2]),
    ("80", {}), ("82a16101a16202", {"a": 1, "b": 2}), ("de0001a16101", {"a": 1}),
    ("df00000001a161920304", {"a": [3, 4]}),
])  # fmt: skip
def test_values(data, value):
    assert read_msgpack(bytes.fromhex(data)) == value


def test_an_array_of_flax():
    # An extension of 17 bytes and kind 1: [[2], "uint8", two bytes], and the same for a scalar of kind 3.
    content = bytes.fromhex("93 9102 a575696e7438 c4020709".replace(" ", ""))
    array = read_msgpack(b"\xc7" + bytes([len(content), 1]) + content)
    assert array.dtype == np.uint8 and array.tolist() == [7, 9]
    scalar = bytes.fromhex("93 90 a5696e743136 c4020100".replace(" ", ""))
    assert read_msgpack(b"\xc7" + bytes([len(scalar), 3]) + scalar) == 1


@pytest.mark.parametrize(
    "shape, dtype", [((3, 4), "float32"), ((0,), "float64"), ((), "int8"), ((2, 1), "bool")]
)
def test_arrays_come_back_as_they_were(shape, dtype):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    again = read_msgpack(packed({"x": array}))["x"]
    assert again.dtype == array.dtype and again.shape == array.shape
    np.testing.assert_array_equal(again, array)


@pytest.mark.parametrize("data, why", [
    (b"", "it ends too early"),
    (bytes.fromhex("93 01 02".replace(" ", "")), "it ends too early"),
    (b"\xdd\xff\xff\xff\xff", "it ends too early"),  # a list of four billion, none of which is there
    (b"\1\2", "bytes follow after its end"),
    (b"\x81\1\2", "a map whose keys are no texts"),
    (b"\xd4\5\0", "an extension of kind 5"),
    (b"\xc1", "no value begins with the byte 0xc1"),
    (b"\x91" * (DEEPEST + 2) + b"\0", "nested more than"),
    (b"\xa1\xff", "utf-8"),
    (packed(np.zeros(3))[:-1] + b"", "it ends too early"),
])  # fmt: skip
def test_what_is_no_msgpack_is_refused(data, why):
    with pytest.raises(ValueError, match=why):
        read_msgpack(data)


@pytest.mark.parametrize("content", [
    [[2], "float32", bytes(7)], [[-1], "float32", bytes(4)], [[1], "object", bytes(8)], [[1], "float32"], 3,
    [["1"], "float32", bytes(4)], [[1], "nothing", bytes(4)],
])  # fmt: skip
def test_arrays_of_another_size_or_type_are_refused(content):
    inner = packed(content)
    with pytest.raises(ValueError):
        read_msgpack(b"\xc7" + bytes([len(inner), 1]) + inner)
