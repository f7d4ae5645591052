"""Floats of 32 bits in plain Python, against exact fractions and numpy."""

import math
from fractions import Fraction

import numpy as np

from assay.interop.single.arithmetic import (
    fused,
    quotient,
    root,
    single,
    to_whole,
    whole_quotient,
    whole_rest,
)


def nearest(exact: Fraction) -> float:
    """The float32 nearest to a fraction, the even one of two: found among the neighbours of a first guess."""
    guess = np.float32(float(exact))
    near = {guess, np.nextafter(guess, np.float32(np.inf)), np.nextafter(guess, np.float32(-np.inf))}
    least = min(abs(Fraction(float(each)) - exact) for each in near)
    best = [each for each in near if abs(Fraction(float(each)) - exact) == least]
    return float(min(best, key=lambda each: int(each.view(np.uint32)) & 1))


def floats(rng, count):
    return (rng.normal(size=count) * 10.0 ** rng.integers(-6, 6, count)).astype(np.float32).tolist()


def test_a_product_and_a_sum_are_rounded_once():
    rng = np.random.default_rng(0)
    for a, b, c in zip(floats(rng, 2000), floats(rng, 2000), floats(rng, 2000)):
        assert fused(a, b, c) == nearest(Fraction(a) * Fraction(b) + Fraction(c))


def test_what_a_double_cannot_tell_from_halfway_is_rounded_the_right_way():
    # 1 + 2**-24 lies halfway between two float32s; the product is that and far less than a double can add.
    assert single(1.0 + 2.0**-24) == 1.0
    assert fused(2.0**-24 * (1 + 2.0**-23), 1.0, 1.0) == 1.0 + 2.0**-23
    a, b = 2.0**-12 * (1 + 2.0**-23), 2.0**-12 * (1 - 2.0**-23)  # their product is 2**-24 less 2**-70
    odd = 1.0 + 2.0**-23
    assert single(a * b + odd) == 1.0 + 2.0**-22  # rounded twice, to the even one
    assert fused(a, b, odd) == odd == nearest(Fraction(odd) + Fraction(a) * Fraction(b))


def test_denormal_numbers_are_zero():
    assert single(1e-40) == 0.0 and math.copysign(1, single(-1e-40)) == -1
    assert fused(1e-20, 1e-20, 0.0) == 0.0 and single(2.0**-126) == 2.0**-126


def test_quotients_and_roots_are_the_processors():
    rng = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        for a, b in zip([*floats(rng, 500), 0.0, 1.0, -1.0], [*floats(rng, 500), 0.0, 0.0, -0.0]):
            expected = np.float32(a) / np.float32(b)
            assert np.float32(single(quotient(a, b))).tobytes() == expected.tobytes() or np.isnan(expected)
            assert np.array_equal(np.float32(single(root(a))), np.sqrt(np.float32(a)), equal_nan=True)


def test_whole_numbers_are_divided_towards_zero():
    assert [whole_quotient(a, b) for a, b in ((7, 2), (-7, 2), (7, -2), (7, 0))] == [3, -3, -3, -1]
    assert [whole_rest(a, b) for a, b in ((7, 2), (-7, 2), (7, -2), (7, 0))] == [1, -1, 1, 7]
    assert [to_whole(a) for a in (2.9, -2.9, 1e20, -1e20, math.nan)] == [2, -2, 2**31 - 1, -(2**31), 0]
