"""The emulator as a host: one hand-written case for each kind of variation, then how episodes are played."""

import numpy as np
import pytest

import assay
from assay.errors import AssayError, NotApplicable, UnknownName, WrongLevel

ale_py = pytest.importorskip("ale_py")


def ram(env):
    return env.unwrapped.inner.host.emulator.buffer.tolist()


def cells(env, *wanted):
    found = ram(env)
    return [found[cell] for cell in wanted]


def played(task, actions, seed=0):
    env = assay.make(task)
    env.reset(seed=seed)
    return env, [env.step(action) for action in actions]


# One case by hand for each kind


def test_colour_boxing_player_is_red_from_the_first_observation():
    """Cell 1 holds the player's colour, 48 is red; 12 is the white it has in the plain game."""
    env, plain = assay.make("atari/Boxing+color_player=red+sticky=0.0"), assay.make("atari/Boxing+sticky=0.0")
    seen, expected = env.reset(seed=0)[0], plain.reset(seed=0)[0]
    assert cells(env, 1) == [48] and cells(plain, 1) == [12]
    assert (seen != expected).any(-1).sum() > 100
    for _ in range(20):
        env.step(2), plain.step(2)
        mine, theirs = ram(env), ram(plain)
        assert mine[1] == 48 and mine[:1] + mine[2:] == theirs[:1] + theirs[2:]


def test_physics_breakout_ball_drifts_right_two_pixels_every_ten_frames():
    """Cell 99 is the ball's x. Put in play, it gains 2 where frame % 10 is 0, beside its own way."""
    env = assay.make("atari/Breakout+right_drift+frameskip=1+sticky=0.0")
    plain = assay.make("atari/Breakout+frameskip=1+sticky=0.0")
    env.reset(seed=0), plain.reset(seed=0)
    gained = 0
    for step in range(1, 40):
        action = 1 if step == 1 else 0
        env.step(action), plain.step(action)
        x, y = cells(plain, 99, 101)
        if step % 10 == 0 and y <= 187 and 57 <= cells(env, 99)[0] <= 199:
            gained += 2
        assert cells(env, 99)[0] - x in (gained, gained - 2), step
    assert gained >= 4


def test_start_state_frostbite_igloo_is_half_built_at_the_start_alone():
    """Cell 77 counts the igloo's blocks; the rule writes 7 once, and the game goes on from there."""
    env = assay.make("atari/Frostbite+half_igloo+sticky=0.0")
    env.reset(seed=0)
    assert cells(env, 77) == [7]
    env.unwrapped.inner.host.emulator.put(77, 3)
    env.step(0)
    assert cells(env, 77) == [3]  # nobody writes it again
    env.reset()
    assert cells(env, 77) == [7]  # but the next episode begins so


def test_reward_river_raid_fuel_depots_cost():
    """The frame in which a depot is shot pays -80 in place of 80, and so does the score: it asks for that."""
    env = assay.make("atari/Riverraid+exploding_fuels+sticky=0.0")
    plain = assay.make("atari/Riverraid+sticky=0.0")
    rng, paid, seen = np.random.default_rng(1), [], False
    env.reset(seed=0), plain.reset(seed=0)
    for _ in range(1500):
        action = int(rng.choice([1, 1, 1, 10, 11, 12]))
        mine, theirs = env.step(action), plain.step(action)
        assert ram(env) == ram(plain)
        assert mine[4]["score"] == mine[1] and mine[4]["points"] == theirs[1]
        if mine[1] != theirs[1]:
            assert (theirs[1] - mine[1]) % 160 == 0
            seen = True
        paid.append(mine[1])
        if mine[2]:
            env.reset(), plain.reset()
    assert seen and min(paid) < 0


def test_action_chopper_command_shots_are_held_back():
    """Where a shot is suppressed the executed frames say so, and the emulator gets the move without it."""
    env = assay.make("atari/ChopperCommand+delay_shots+sticky=0.0")
    env.reset(seed=0)
    fired = []
    for _ in range(60):
        *_, info = env.step(1)
        fired += [frame in (1, *range(10, 18)) for frame in info["executed_frames"]]
    assert 0 < sum(fired) < len(fired)


# Episodes


def test_a_plain_game_is_the_emulators():
    """Step by step what ale_py's own env gives without its stickiness, the first observation apart.

    Ours is a frame later: it is drawn by a frame that is then taken back, so that it can show variations.
    """
    import gymnasium

    gymnasium.register_envs(ale_py)
    theirs = gymnasium.make("ALE/Breakout-v5", repeat_action_probability=0.0)
    ours = assay.make("atari/Breakout+sticky=0.0")
    theirs.reset(seed=0), ours.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(300):
        action = int(rng.integers(4))
        a, b = theirs.step(action), ours.step(action)
        assert np.array_equal(a[0], b[0]) and a[1:4] == b[1:4]
        assert a[4]["lives"] == b[4]["lives"]
        if a[2]:
            theirs.reset(), ours.reset()


def test_every_episode_of_a_seed_is_the_same_again():
    task = "atari/Pong+random_perturbation_enemy+noops=30"
    runs = []
    for _ in range(2):
        env = assay.make(task)
        run = [env.reset(seed=3)[0].tobytes()]
        for _ in range(2):
            run += [env.step(2)[0].tobytes() for _ in range(30)]
            run.append(env.reset()[0].tobytes())
        runs.append(run)
    assert runs[0] == runs[1]
    other = assay.make(task)
    other.reset(seed=4)
    assert [other.step(2)[0].tobytes() for _ in range(30)] != runs[0][1:31]


def test_a_variation_does_not_shift_anothers_draws():
    alone, _ = played("atari/Pong+random_perturbation_enemy", [2] * 40)
    beside, _ = played("atari/Pong+random_perturbation_enemy+reward.noise=0.5+action.random=0.0", [2] * 40)
    assert ram(alone) == ram(beside)


def test_stickiness_is_ours_and_told():
    _, steps = played("atari/Pong+sticky=0.5", [2, 3] * 40)
    frames = [info["executed_frames"] for *_, info in steps]
    assert all(set(each) <= {3, 4, 0} for each in frames)
    assert any(len(set(each)) > 1 for each in frames)
    _, never = played("atari/Pong+sticky=0.0", [2, 3] * 10)
    assert all(len(set(info["executed_frames"])) == 1 for *_, info in never)


def test_noops_frameskip_lives_and_limits():
    env = assay.make("atari/Breakout+frameskip=[2,4]+max_frames=50+sticky=0.0")
    env.reset(seed=0)
    lengths = []
    while True:
        *_, truncated, info = env.step(0)
        lengths.append(len(info["executed_frames"]))
        if truncated:
            break
    assert set(lengths) == {2, 3, 4} and 50 <= info["frame"] < 54
    env = assay.make("atari/Breakout+life_loss+sticky=0.0")
    env.reset(seed=0)
    for step in range(400):
        _, _, terminated, _, info = env.step(1 if step % 20 == 0 else 0)
        if terminated:
            break
    assert terminated and info["lives"] == 4


def test_modes_are_kept_over_a_seeded_reset():
    """Freeway's mode 3 has other traffic than mode 0, before and after reset(seed=)."""
    env, plain = assay.make("atari/Freeway+mode=3+difficulty=1"), assay.make("atari/Freeway")
    seen = []
    for seed in (0, 1):
        a, b = env.reset(seed=seed)[0], plain.reset(seed=seed)[0]
        seen.append(a.tobytes())
        assert a.tobytes() != b.tobytes()
        assert env.unwrapped.inner.host.emulator.ale.cloneState().getCurrentMode() == 3
    assert seen[0] == seen[1]


def test_save_and_restore_everything():
    task = "atari/Pong+lazy_enemy+random_perturbation_enemy+overlap=last+observation=gray84+frameskip=[2,4]"
    env = assay.make(task + "+observation.noise=0.1+reward.noise=0.2@random:0.1")
    env.reset(seed=1)
    for action in (2, 3, 4) * 20:
        env.step(action)
    saved = env.save()

    def went_on(with_env):
        return [
            (o.tobytes(), r, t, i["executed_frames"]) for o, r, t, _, i in map(with_env.step, (1, 2, 3) * 20)
        ]

    first = went_on(env)
    env.restore(saved)
    assert went_on(env) == first
    for reset in (False, True):
        other = assay.make(env.unwrapped.task)
        if reset:
            other.reset(seed=2)
        other.restore(saved)
        assert went_on(other) == first
    with pytest.raises(
        NotApplicable, match=r"restore takes what save\(\) of atari/Pong gave, not that of atari/Pong\+"
    ):
        assay.make("atari/Pong").restore(saved)


@pytest.mark.parametrize("game", ["Qbert", "Tetris", "Pong"])
def test_a_game_that_was_just_reset_takes_the_state_of_another(game):
    """Qbert and Tetris took no state before their first frame, and went on from their start."""
    env, other = (assay.make(f"atari/{game}+sticky=0.0+observation=ram") for _ in range(2))
    env.reset(seed=0), other.reset(seed=0)
    for action in (2, 3, 4) * 20:
        env.step(action)
    other.restore(env.save())
    for action in (1, 2, 3) * 40:
        assert env.step(action)[0].tobytes() == other.step(action)[0].tobytes()


@pytest.mark.parametrize("game", ["Qbert", "Tetris", "Assault", "IceHockey"])
def test_games_that_restart_otherwise_begin_alike_every_time(game):
    """A second reset_game of Assault and IceHockey differs; Qbert and Tetris cannot be put back."""
    env = assay.make(f"atari/{game}+sticky=0.0+observation=ram")
    runs = []
    for _ in range(3):
        run = [env.reset(seed=0)[0].tobytes()]
        runs.append(run + [env.step(step % 3)[0].tobytes() for step in range(60)])
    fresh = assay.make(f"atari/{game}+sticky=0.0+observation=ram")
    run = [fresh.reset(seed=0)[0].tobytes()]
    runs.append(run + [fresh.step(step % 3)[0].tobytes() for step in range(60)])
    assert runs[0] == runs[1] == runs[2] == runs[3]


def test_starts_of_recorded_play(tmp_path):
    from assay.envs.atari.starts import record_states, write_states

    env = assay.make("atari/Pong+starts=play:4+observation=ram")
    firsts = {env.reset(seed=seed)[0].tobytes() for seed in range(24)}
    assert len(firsts) == 4
    host = assay.make("atari/Pong").unwrapped.inner.host
    write_states(record_states(host, 3, 20, seed=5), "atari/Pong", str(tmp_path / "pong.npz"))
    env = assay.make(f'atari/Pong+starts="{tmp_path / "pong.npz"}"+observation=ram')
    assert len({env.reset(seed=seed)[0].tobytes() for seed in range(24)}) == 3
    with pytest.raises(NotApplicable, match=r"holds starts of atari/Pong, not of atari/Boxing"):
        assay.make(f'atari/Boxing+starts="{tmp_path / "pong.npz"}"')
    (tmp_path / "other.npz").write_text("nothing")
    with pytest.raises(NotApplicable, match="is not a file of recorded starts"):
        assay.make(f'atari/Pong+starts="{tmp_path / "other.npz"}"')


def test_rewards_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "mine_of_atari.py").write_text(
        "def moved(before, action, after):\n    return float(after['player_y'] != before['player_y'])\n"
        "def broken(before, action, after):\n    raise KeyError('no')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    env = assay.make('atari/Pong+rewards=[game,"mine_of_atari:moved"]+sticky=0.0')
    env.reset(seed=0)
    total = 0.0
    for _ in range(60):
        _, paid, _, _, info = env.step(2)
        assert paid == sum(info["reward_parts"].values())
        assert info["reward_parts"]["game"] == info["score"]
        total += info["reward_parts"]["mine_of_atari:moved"]
    assert total > 0
    env = assay.make('atari/Pong+rewards=["mine_of_atari:broken"]')
    env.reset(seed=0)
    with pytest.raises(KeyError):
        env.step(0)


def test_schedules_switch_rules_on():
    """Before step 20 the plain game, from then on the enemy's place is the player's."""
    env, plain = assay.make("atari/Pong+parallel_enemy@sudden:20"), assay.make("atari/Pong")
    env.reset(seed=0), plain.reset(seed=0)
    for step in range(1, 60):
        env.step(2), plain.step(2)
        if step < 20:
            assert ram(env) == ram(plain), step
    enemy, player = cells(env, 21, 60)
    assert enemy == player


def test_what_comes_on_later_draws_from_the_episodes_own_stream():
    """Same seed, same draws, episode after episode; another seed, others."""
    env = assay.make("atari/Pong+random_perturbation_enemy@sudden:5+sticky=0.0")
    runs = []
    for seed in (0, 0, 1):
        env.reset(seed=seed)
        runs.append([cells(env, 21)[0] for _ in range(40) if env.step(0)])
    assert runs[0] == runs[1] != runs[2]
    env.reset()
    assert [cells(env, 21)[0] for _ in range(40) if env.step(0)] != runs[2]


def test_the_originals_schedule_runs_rules_once_more_a_step():
    """Five calls for four frames: a drift every sixth call acts oftener than one every sixth frame."""
    ours, _ = played("atari/Pong+up_drift+sticky=0.0", [0] * 120)
    theirs = assay.make("atari/Pong+up_drift+sticky=0.0+compat=hackatari")
    plain = assay.make("atari/Pong+sticky=0.0")
    assert np.array_equal(theirs.reset(seed=0)[0], plain.reset(seed=0)[0])
    for _ in range(120):
        theirs.step(0)
    assert ram(theirs) != ram(ours)
    assert theirs.unwrapped.inner.host.calls == 1 + 120 * 6  # once more after its detection, on reset too


# Bad input


@pytest.mark.parametrize(
    "task, error, says",
    [
        ("atari/Pnog", UnknownName, "did you mean 'Pong'"),
        ("atari/Joust", NotApplicable, "does not support the ROM of atari/Joust"),
        ("atari/Pong+lazy_enmy", UnknownName, "did you mean 'lazy_enemy'"),
        ("atari/Pong+half_igloo", UnknownName, "it is one of Frostbite"),
        ("atari/Pong+mode=7", WrongLevel, "mode takes one of 0, 1"),
        ("atari/Asterix+mode=3", WrongLevel, "mode takes one of 0 "),
        ("atari/Boxing+color_player=pink", WrongLevel, "black, white, red, blue, green"),
        ("atari/Boxing+color_player=red+classic_colors", None, ""),
        ("atari/Boxing+color_player=blue+classic_colors", NotApplicable, "both write cell 1"),
        ("atari/Boxing+gravity+down", NotApplicable, "gravity and down both write cell 34"),
        ("atari/Pong+overlap=last", NotApplicable, "overlap=last has no effect"),
        ("atari/Pong+compat=hackatari", NotApplicable, "has no rules"),
        ("atari/Pong+action.sticky=0.5", NotApplicable, "write sticky=0 beside action.sticky"),
        ("atari/Surround+observation=labels", NotApplicable, "no named cells"),
        ("atari/Pong+observation=objets", WrongLevel, "rgb, gray, gray84"),
        ("atari/IceHockey+no_damage", NotApplicable, "cannot be done"),
        ("atari/Pong+frameskip=[4,2]", WrongLevel, "whole numbers from 1 to 60, the fewest first"),
        ("atari/Pong+pool=false", NotApplicable, "acts on observation=gray84, rgb64, object_masks"),
        ("atari/Pong+channels=first", NotApplicable, "write stack=4 or drop it"),
        ('atari/Pong+rewards=["nowhere:f"]', UnknownName, "the reward 'nowhere:f' cannot be imported"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(task, error, says):
    if error is None:
        assay.make(task).close()
        return
    with pytest.raises(error, match=says) as found:
        assay.make(task)
    assert "\n" not in str(found.value) and isinstance(found.value, AssayError)


def test_gymnasiums_checker_finds_nothing():
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    for task in ("atari/Pong+lazy_enemy", "atari/Breakout+observation=gray84+noops=30"):
        check_env(gymnasium.make("assay.gym:assay/Task-v0", task=task).unwrapped, skip_render_check=True)
