"""Events, blackouts and hidden cells of Pong and Freeway, which are data alone."""

import numpy as np
import pytest

import assay
from tests.envs.atari.stori_play import host_of, play

pytest.importorskip("ale_py")
RAM = "+observation=ram"


def go_up(ram, step, rng):
    return 1


def test_pong_cancelled_points_net_nothing():
    plain, *_ = play("atari/Pong" + RAM, 250)
    rewards, memories, *_ = play("atari/Pong+point_cancel=1.0" + RAM, 250)
    assert plain.any() and not rewards.any() and not memories[:, 13:15].any()


def test_freeway_cancelled_crossings_pay_nothing():
    plain, *_ = play("atari/Freeway" + RAM, 120, go_up)
    rewards, memories, _, events = play("atari/Freeway+crossing_cancel=1.0" + RAM, 120, go_up)
    assert plain.sum() > 0 and not rewards.any() and not memories[:, 103].any()
    assert next(each["crossing_cancel"].detail[-1] for each in events if each["crossing_cancel"].event) == 1


def test_pong_the_ball_jumps_by_an_even_distance():
    *_, events = play("atari/Pong+ball_jump=0.5" + RAM, 120)
    details = np.array([each["ball_jump"].detail for each in events if each["ball_jump"].event])
    assert len(details) > 5 and set(np.abs(details[:, 4] - details[:, 3])) <= {2, 4, 6, 8, 10, 12}


def test_freeway_the_wind_blows_the_chicken_back():
    _, memories, *_ = play("atari/Freeway+blown_back=1.0" + RAM, 40, go_up)
    assert memories[:, 14].max() < 30


@pytest.mark.parametrize(
    "task, pixels", [("Pong+hide_enemy", 64), ("Pong+hide_player", 64), ("Freeway+hide_cars", 460)]
)
def test_hidden_objects_leave_the_game_as_it_is(task, pixels):
    env, plain = assay.make(f"atari/{task}=1.0+sticky=0"), assay.make(f"atari/{task.split('+')[0]}+sticky=0")
    env.reset(seed=0), plain.reset(seed=0)
    counts = []
    for _ in range(60):
        seen, expected = env.step(0)[0], plain.step(0)[0]
        counts.append(int((seen != expected).any(-1).sum()))
        assert (host_of(env).latent() == host_of(plain).latent()).all()
    assert np.median(counts) == pixels
