"""Streams for numpy: a generator set anew draws what a new one draws."""

import numpy as np
import pytest

from assay.core.streams import Renewable, digest_number, episode_number, generator

NAMES = [(0, 1, "reward.noise"), (7, 12, "it's"), (2**64 - 1, 10**6, "host")]


@pytest.mark.parametrize("name", NAMES)
def test_a_renewed_generator_draws_what_a_new_one_draws(name):
    stream = Renewable()
    stream.renew(5).random(3, dtype=np.float32)  # leaves half a word and a buffer behind
    renewed = stream.renew(digest_number(*name)).standard_normal(70, dtype=np.float32)
    assert np.array_equal(renewed, generator(*name).standard_normal(70, dtype=np.float32))


@pytest.mark.parametrize("name", NAMES)
def test_the_short_way_to_an_episodes_number_is_the_same_number(name):
    assert episode_number(*name) == digest_number(*name)


def test_numpys_numbers_name_the_same_stream():
    assert episode_number(np.int64(3), np.int64(4), "host") == digest_number(3, 4, "host")
