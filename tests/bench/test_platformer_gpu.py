"""What the bench of a GPU says of a kernel, here by its interpreter: of a right one, and of a wrong byte."""

from functools import partial

import jax
import pytest

from assay.bench import platformer_gpu
from assay.bench.platformer_gpu import Way, compare, scan
from assay.core.keys import root_of
from assay.envs.platformer.gpu.frame import Tile, draw_words
from assay.native import build_native

SMALL = {"H": 32, "W": 64, "layout.length": 256, "background.mode": "noise"}
FRAME = 32 * 64 * 3
WAY = Way(lanes=3, steps=2)


@pytest.fixture
def task(monkeypatch):
    monkeypatch.setattr(
        platformer_gpu, "draw_words", partial(draw_words, interpret=True, tile=Tile(32, 16, 2))
    )
    jax.clear_caches()
    return build_native("platformer/run", SMALL).task


def test_frames_of_a_right_kernel_are_those_of_xla_and_reading_adds_their_bytes(task):
    assert compare(task, WAY, partial(scan, way=WAY)) == f"0 of {2 * FRAME:,} bytes differ from XLA's"
    written, read = (int(scan(task, root_of(0), WAY._replace(reads=reads)).total) for reads in (False, True))
    assert 0 < (read - written) % 2**32 <= 255 * 2 * 3 * FRAME  # two steps of three lanes


def test_a_wrong_byte_is_told(task, monkeypatch):
    right = platformer_gpu.draw_words

    def wrong(*scene):
        drawn = right(*scene)
        return drawn._replace(words=drawn.words.at[1, 5, 7].set(drawn.words[1, 5, 7] ^ 2))

    monkeypatch.setattr(platformer_gpu, "draw_words", wrong)
    assert (
        compare(task, WAY, partial(scan, way=WAY))
        == f"2 of {2 * FRAME:,} bytes differ from XLA's by at most 2"
    )


def test_with_autoreset_lanes_go_on_beyond_the_end_of_an_episode(task):
    short = build_native("platformer/run", SMALL | {"episode_length": 1}).task
    whole = scan(short, root_of(0), WAY._replace(resets=True))
    assert int(whole.total) != int(scan(short, root_of(0), WAY).total)
