"""Observations as `shift.json` keeps them."""

import base64
import io
from types import SimpleNamespace

import numpy as np
from PIL import Image

from assay.conduct.shift import describe_observation

PICTURES, NUMBERS = SimpleNamespace(has_pictures=True), SimpleNamespace(has_pictures=False)


def decoded(text):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(text))))


def test_pictures_are_kept_pixel_for_pixel_rows_first():
    seen = np.random.default_rng(0).integers(256, size=(4, 6, 3), dtype=np.uint8)
    assert np.array_equal(decoded(describe_observation("platformer/run", seen, PICTURES)), seen)
    # Toy pictures are indexed by columns first, as MDP Playground's are.
    toy = decoded(describe_observation("toy/grid+image_representations", seen[..., :1], PICTURES))
    assert toy.shape == (6, 4, 3) and np.array_equal(toy[..., 0], seen[..., 0].T)


def test_numbers_are_kept_as_text():
    assert describe_observation("toy/discrete", np.int32(5), NUMBERS) == "5"
    assert describe_observation("toy/grid", np.array([1, 2]), NUMBERS) == "[1, 2]"
