"""The pictures of an episode are the observations of `make`."""

import gymnasium
import numpy as np
import pytest

from assay.errors import NotApplicable
from assay.interop.film import action_space, film, is_picture, to_pictures
from assay.interop.gymnasium import make
from assay.tasks import resolve

NATIVE = (
    "toy/grid+image_representations+image_width=32+image_height=24",
    "toy/discrete+image_representations+image_transforms=shift-rotate+transition_noise=0.3",
    "platformer/run+background.mode=color+filters.hue_shift=90.0+observation.delay=2",
)


def observations(text, seed, actions):
    env = make(text)
    found = [env.reset(seed=seed)[0]]
    for action in actions:
        observation, _, terminated, truncated, _ = env.step(action)
        found.append(observation)
        if terminated or truncated:
            break
    return np.stack(found)


@pytest.mark.parametrize("text", NATIVE)
def test_a_native_film_is_what_the_agent_sees(text):
    space = action_space(text)
    space.seed(3)
    actions = [space.sample() for _ in range(12)]
    shot, seen = film(text, 3, actions), observations(text, 3, actions)
    rows_first = seen.swapaxes(1, 2) if text.startswith("toy/") else seen
    assert np.array_equal(shot.pictures, np.broadcast_to(rows_first, shot.pictures.shape))
    assert shot.ends == (len(seen) <= 12)


def test_after_its_end_a_film_shows_its_last_picture():
    shot = film("toy/discrete+image_representations", 1, list(range(8)) * 8)
    assert shot.ends and shot.last < 60
    assert np.array_equal(shot.at(60), shot.pictures[-1])


class Pixels(gymnasium.Env):
    """Counts its steps in grey, and is over after five."""

    observation_space = gymnasium.spaces.Box(0, 255, (6, 8, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return self.picture(), {}

    def picture(self):
        return np.full((6, 8, 3), self.count, np.uint8)

    def step(self, action):
        self.count += 1
        return self.picture(), 0.0, self.count == 5, False, {}


class Numbers(Pixels):
    """The same, seen as a number and drawn on request."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012
    observation_space = gymnasium.spaces.Discrete(6)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        return 0, super().reset(seed=seed)[1]

    def step(self, action):
        return self.count + 1, *super().step(action)[1:]

    def render(self):
        return self.picture()


@pytest.fixture
def hosts():
    for name, env in {"AssayPixels-v0": Pixels, "AssayNumbers-v0": Numbers}.items():
        gymnasium.register(name, env)
    yield
    for name in ("AssayPixels-v0", "AssayNumbers-v0"):
        gymnasium.registry.pop(name)


@pytest.mark.parametrize("name", ["AssayPixels-v0", "AssayNumbers-v0"])
def test_a_host_is_seen_or_draws_itself(name, hosts):
    shot = film(f"gym/{name}", 0, [0] * 9)
    assert shot.pictures[:, 0, 0, 0].tolist() == [0, 1, 2, 3, 4, 5] and shot.ends
    assert len(film(f"gym/{name}+action.random=0.5", 0, [0, 1]).pictures) == 3


def test_a_task_in_numbers_says_how_to_see_it():
    with pytest.raises(NotApplicable, match=r"toy/discrete has no pictures; add image_representations\."):
        film("toy/discrete", 0, [0])


@pytest.mark.parametrize("channels, newest", [(1, [0] * 3), (3, [0, 1, 2]), (6, [3, 4, 5]), (4, [3] * 3)])
def test_of_a_stack_the_newest_is_shown(channels, newest):
    seen = np.broadcast_to(np.arange(channels, dtype=np.uint8), (2, 4, 5, channels))
    assert to_pictures(resolve("gym/CartPole-v1"), seen)[1, 2, 3].tolist() == newest


def test_pictures_are_told_by_their_space():
    boxes = gymnasium.spaces.Box
    assert is_picture(boxes(0, 255, (4, 4, 1), np.uint8))
    assert not is_picture(boxes(0, 255, (4, 4), np.uint8))
    assert not is_picture(boxes(0, 1, (4, 4, 3), np.float32))
    assert not is_picture(gymnasium.spaces.Discrete(3))
