"""What an agent sees of a game: sizes, stacks, pools, patches."""

import numpy as np
import pytest

import assay
from assay.envs.atari.resize import shrink_picture

pytest.importorskip("ale_py")


def slowly(picture, height, width):
    """Area interpolation pixel by pixel, in exact fractions of old pixels."""
    rows, columns = picture.shape[:2]
    found = np.zeros((height, width, *picture.shape[2:]))
    for y in range(height):
        for x in range(width):
            top, bottom = y * rows / height, (y + 1) * rows / height
            left, right = x * columns / width, (x + 1) * columns / width
            total = 0.0
            for i in range(int(top), min(rows, int(np.ceil(bottom - 1e-9)))):
                for j in range(int(left), min(columns, int(np.ceil(right - 1e-9)))):
                    part = (min(bottom, i + 1) - max(top, i)) * (min(right, j + 1) - max(left, j))
                    total = total + part * picture[i, j].astype(float)
            found[y, x] = total / ((bottom - top) * (right - left))
    return found


@pytest.mark.parametrize("shape", [(210, 160), (250, 160), (210, 160, 3), (214, 160)])
@pytest.mark.parametrize("size", [(84, 84), (64, 64)])
def test_area_interpolation(shape, size):
    picture = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    exact = slowly(picture, *size)
    found = shrink_picture(picture, *size)
    assert found.dtype == np.uint8 and found.shape == exact.shape
    assert np.abs(found - exact).max() <= 0.5 + 1e-6


@pytest.mark.parametrize(
    "settings, shape",
    [
        ("observation=rgb", (210, 160, 3)),
        ("observation=gray", (210, 160)),
        ("observation=gray84", (84, 84, 4)),
        ("observation=gray84+channels=first", (4, 84, 84)),
        ("observation=gray84+stack=1", (84, 84)),
        ("observation=rgb64", (64, 64, 3)),
        ("observation=rgb64+stack=2", (64, 64, 6)),
        ("observation=ram", (128,)),
        ("observation=labels", (8,)),
        ("observation=palette", (210, 160)),
        ("preset=paper", (84, 84, 4)),
        ("preset=machado2018", (210, 160, 3)),
        ("preset=atari100k", (84, 84, 4)),
        ("preset=rgb64", (64, 64, 3)),
    ],
)
def test_every_mode_is_in_its_space(settings, shape):
    env = assay.make(f"atari/Pong+{settings}")
    seen, _ = env.reset(seed=0)
    assert env.observation_space.shape == shape and env.observation_space.dtype == np.uint8
    for action in (0, 1, 2, 3) * 5:
        assert env.observation_space.contains(seen)
        kept, copy = seen, seen.copy()
        seen = env.step(action)[0]
        assert np.array_equal(kept, copy)  # the agent's to keep


def test_a_stack_moves_one_frame_a_step():
    env = assay.make("atari/Breakout+observation=gray84+sticky=0.0")
    before = env.reset(seed=0)[0]
    assert all(np.array_equal(before[..., 0], before[..., i]) for i in range(4))
    for action in (1, 2, 2, 3, 3, 0):
        after = env.step(action)[0]
        assert np.array_equal(after[..., :3], before[..., 1:])
        before = after


def test_the_pool_is_the_brighter_of_the_last_two_frames():
    single = assay.make("atari/Breakout+observation=gray+frameskip=1+sticky=0.0")
    pooled = assay.make("atari/Breakout+observation=gray84+stack=1+sticky=0.0")
    single.reset(seed=0), pooled.reset(seed=0)
    for action in (1, 2, 3, 0) * 6:
        frames = [single.step(action)[0] for _ in range(4)]
        assert np.array_equal(pooled.step(action)[0], shrink_picture(np.maximum(*frames[-2:]), 84, 84))


def test_labels_are_the_named_cells():
    env = assay.make("atari/Pong+observation=labels+sticky=0.0")
    seen, _ = env.reset(seed=0)
    host = env.unwrapped.inner.host
    for _ in range(30):
        seen = env.step(2)[0]
    named = dict(zip(host.game.labels, seen))
    assert named["player_y"] == host.emulator.ram[60] and named["ball_x"] == host.emulator.ram[49]


@pytest.mark.parametrize("mode", ["rgb", "gray", "palette"])
def test_patches_reach_every_picture_mode(mode):
    """Pong's hidden enemy is painted over, and the memory stays as it was."""
    env = assay.make(f"atari/Pong+hidden_enemy+observation={mode}+sticky=0.0")
    plain = assay.make(f"atari/Pong+observation={mode}+sticky=0.0")
    env.reset(seed=0), plain.reset(seed=0)
    apart = 0
    for _ in range(60):
        a, b = env.step(2)[0], plain.step(2)[0]
        differs = (a != b).any(-1) if a.ndim == 3 else a != b
        apart += differs.sum()
        assert not differs[:, 40:].any()
        assert (
            env.unwrapped.inner.host.emulator.buffer.tobytes()
            == plain.unwrapped.inner.host.emulator.buffer.tobytes()
        )
    assert apart > 100


@pytest.mark.parametrize("mode", ["gray84", "rgb64"])
def test_patches_reach_the_small_pictures_too(mode):
    env = assay.make(f"atari/Pong+hidden_enemy+observation={mode}+sticky=0.0")
    plain = assay.make(f"atari/Pong+observation={mode}+sticky=0.0")
    env.reset(seed=0), plain.reset(seed=0)
    assert any((env.step(2)[0] != plain.step(2)[0]).any() for _ in range(60))
