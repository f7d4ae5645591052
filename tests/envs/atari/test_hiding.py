"""Hidden cells: the picture alone changes, and no bit of the game."""

import numpy as np
import pytest

import assay
from assay.envs.atari.emulator import Emulator
from assay.envs.atari.games import game_of, games
from tests.envs.atari.stori_play import host_of

pytest.importorskip("ale_py")
STORI = ("Breakout", "Boxing", "Gopher", "BankHeist")
HIDDEN = [(g, v.name) for g in STORI for v in games()[g].variations.values() if "hide" in v.hooks]


def pair(game, name, settings="+sticky=0"):
    env, plain = assay.make(f"atari/{game}+{name}=1.0{settings}"), assay.make(f"atari/{game}+sticky=0")
    return env, plain, env.reset(seed=0)[0], plain.reset(seed=0)[0]


@pytest.mark.parametrize(
    "game, name, pixels", [("Gopher", "hide_left_carrot", 107), ("Gopher", "hide_carrots", 321),
                           ("Boxing", "hide_ring", 2624)],
)  # fmt: skip
def test_exactly_the_hidden_object_is_missing(game, name, pixels):
    env, plain, seen, expected = pair(game, name)
    for _ in range(30):
        assert (seen != expected).any(-1).sum() == pixels
        seen, expected = env.step(0)[0], plain.step(0)[0]


def test_the_next_frame_is_shown_as_in_the_original():
    """A Gopher in which the carrot is hidden one idle frame later differs by more than the carrot."""
    env, plain, *_ = pair("Gopher", "hide_left_carrot", "+sticky=0+align=next")
    for _ in range(80):
        env.step(0), plain.step(0)
    pixels = {int((env.step(0)[0] != plain.step(0)[0]).any(-1).sum()) for _ in range(20)}
    assert min(pixels) >= 107 < max(pixels)


@pytest.mark.parametrize("game, name", HIDDEN[1::5])
def test_the_game_goes_on_as_without(game, name):
    check_same_game(game, name, 400)


@pytest.mark.slow
@pytest.mark.parametrize("game, name", HIDDEN)
@pytest.mark.parametrize("align", ["same", "next"])
def test_the_game_goes_on_as_without_for_2000_steps(game, name, align):
    check_same_game(game, name, 2000, f"+sticky=0+align={align}")


def check_same_game(game, name, steps, settings="+sticky=0"):
    env, plain, *_ = pair(game, name, settings)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        action = int(rng.integers(env.action_space.n))
        (_, *rest, info), (_, *others, wanted) = env.step(action), plain.step(action)
        assert rest == others and info["lives"] == wanted["lives"]
        memory = host_of(plain).emulator.buffer
        assert (host_of(env).emulator.buffer == memory).all()
        assert (host_of(env).emulator.ale.getRAM() == memory).all()  # also what the emulator itself tells
        if any(rest[1:]):
            env.reset(), plain.reset()


def test_pictures_after_it_is_off_are_the_plain_ones():
    env, plain = (
        assay.make("atari/Boxing+hide_enemy=1.0@cyclic:5:5+sticky=0"),
        assay.make("atari/Boxing+sticky=0"),
    )
    env.reset(seed=0), plain.reset(seed=0)
    same = [bool((env.step(2)[0] == plain.step(2)[0]).all()) for _ in range(20)]
    # The first observation is that of the reset, and belongs to the first turn.
    assert same == [*([False] * 5 + [True] * 5) * 2, False][1:]


def test_the_rendered_picture_is_the_observation_and_changes_nothing():
    env, plain, *_ = pair("Boxing", "hide_enemy")
    for _ in range(20):
        seen, expected = env.step(5)[0], plain.step(5)[0]
        assert (host_of(env).render() == seen).all() and (seen != expected).any()
    assert (host_of(env).latent() == host_of(plain).latent()).all()


def test_the_share_of_hidden_pictures_is_the_stated_probability():
    env, plain = (assay.make(f"atari/Boxing{each}+sticky=0") for each in ("+hide_ring=0.7", ""))
    env.reset(seed=0), plain.reset(seed=0)
    hidden = [bool((env.step(0)[0] != plain.step(0)[0]).any()) for _ in range(300)]
    assert abs(np.mean(hidden) - 0.7) < 4 * np.sqrt(0.7 * 0.3 / 300)


def test_an_end_before_a_steps_last_frame_shows_nothing_hidden():
    """With 60 frames a step the game ends within one; the picture before is shown again."""
    task = "atari/BankHeist+hide_blocks=1.0+sticky=0+frameskip=60"
    env = assay.make(task)
    seen, ended = env.reset(seed=0)[0], False
    rng = np.random.default_rng(0)
    while not ended:
        before = seen
        seen, _, ended, *_, info = env.step(int(rng.integers(18)))
    assert len(info["executed_frames"]) < 60 and (seen == before).all()


def test_a_hidden_ball_is_not_served_anew_by_the_button():
    """With the ball's cells edited away the game would serve another one on FIRE, and the picture show it."""
    env, plain, *_ = pair("Breakout", "hide_ball")
    fire, differing, in_play = 1, 0, 0
    for step in range(120):
        seen, _, ended, *_ = env.step(fire if step % 3 else step % 4)
        expected = plain.step(fire if step % 3 else step % 4)[0]
        added = (seen != expected).any(-1) & seen.any(-1) & ~expected.any(-1)
        assert not added.any(), step
        in_play += bool(host_of(plain).emulator.ram[101])
        differing += bool((seen != expected).any())
        if ended:
            env.reset(), plain.reset()
    assert differing > 40 and in_play > 40


@pytest.mark.parametrize("game", ["Breakout", "Boxing", "BankHeist", "Gopher", "Pong", "Freeway", "Qbert"])
def test_an_episode_that_is_cheap_to_save_goes_on_as_without(game):
    plain, light = (Emulator(game_of(f"atari/{game}").rom, game) for _ in range(2))
    for _ in range(2):  # the second start must be the first one's, too
        plain.reset(), light.reset()
        for frame in range(300):
            if frame == 20:
                saved = light.save_light()
                restorable = light._exact
                assert (len(saved.serialize()) < len(plain.ale.cloneState().serialize()) / 2) == restorable
            code = frame // 7 % 18
            assert plain.act(code) == light.act(code)
            assert (plain.ale.getRAM() == light.ale.getRAM()).all()
        assert (plain.ale.getScreen() == light.ale.getScreen()).all()
        light.restore(saved)
        plain.reset()
        for frame in range(60):
            plain.act(frame // 7 % 18)
            if frame >= 20:
                light.act(frame // 7 % 18)
                assert (plain.ale.getRAM() == light.ale.getRAM()).all()
