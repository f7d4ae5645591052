"""How a game is stepped: the ways through a step, lives and no-ops, snapshots, modes and difficulties."""

from functools import partial

import numpy as np
import pytest

import assay
from assay.envs.atari.frame_loops import run_all
from assay.errors import NotApplicable

pytest.importorskip("ale_py")


def ram(env):
    return ram_of(env.unwrapped.inner.host)


def ram_of(host):
    return host.emulator.buffer.tolist()


def run_of(env, steps, seed=0):
    rng, found = np.random.default_rng(seed), [env.reset(seed=seed)[0].tobytes()]
    for _ in range(steps):
        seen, *rest, info = env.step(int(rng.integers(env.action_space.n)))
        found.append((seen.tobytes(), *rest, info["executed_frames"], info["frame"], info["lives"]))
        if any(rest[1:]):
            found.append(env.reset()[0].tobytes())
    return found


@pytest.mark.parametrize(
    "task",
    [
        "atari/Breakout+starts=play:64+observation=palette",
        "atari/Breakout+starts=play:64+observation=gray84",  # the last two frames are merged
        "atari/Alien+unlimited_lives+observation=palette",
        "atari/Alien+unlimited_lives+observation=gray84",
        "atari/Breakout+hide_ball=0.5+starts=play:64+observation=palette",
    ],
)
def test_the_short_ways_through_a_step_are_the_long_one(task):
    usual, long = (assay.make(f"{task}+frameskip=7") for _ in range(2))
    host = long.unwrapped.inner.host
    assert host._run.func is not run_all
    host._run = partial(run_all, host)
    found = run_of(usual, 400)
    assert found == run_of(long, 400)
    if task.startswith("atari/Breakout"):  # frames are counted to the one in which a game ended
        lengths = {len(each[4]) for each in found if isinstance(each, tuple) and each[2]}
        assert lengths - {7}


def test_lives_that_a_rule_gives_back_are_not_lost():
    env = assay.make("atari/Alien+unlimited_lives+life_loss+sticky=0.0+frameskip=1")
    env.reset(seed=0)
    told, emulator = set(), env.unwrapped.inner.host.emulator
    counted = set()
    for step in range(3000):
        _, _, terminated, _, info = env.step(step // 4 % 3 + 1)
        told.add(info["lives"]), counted.add(emulator.lives())
        assert not terminated
    assert told == {3} and min(counted) < 3


def test_noops_last_as_long_as_is_asked_after_the_button():
    lengths = set()
    env = assay.make("atari/Breakout+noops=5+noop_frames=4+fire")
    for seed in range(20):
        env.reset(seed=seed)
        lengths.add(env.unwrapped.inner.host.emulator.frame_number())
    assert lengths == {8, 12, 16, 20, 24}
    unpressed = assay.make("atari/Breakout+noops=5+noop_frames=4")
    unpressed.reset(seed=19)
    assert ram(env) != ram(unpressed)  # the ball flies


@pytest.mark.parametrize("task, says", [
    ("atari/Pong+life_loss", r"atari/Pong has no lives to lose; drop life_loss\."),
    ("atari/Freeway+fire", r"the button alone has no effect in atari/Freeway; drop fire\."),
    ("atari/Pong+noop_frames=4", r"noop_frames is the length of no-ops.*write noops=30"),
])  # fmt: skip
def test_settings_that_would_do_nothing_are_refused(task, says):
    with pytest.raises(NotApplicable, match=says):
        assay.make(task)


def test_actions_and_cells_have_names():
    env = assay.make("atari/Pong+observation=ram")
    assert env.action_meanings() == ("NOOP", "FIRE", "RIGHT", "LEFT", "RIGHTFIRE", "LEFTFIRE")
    assert env.observation_labels()["ball_x"] == 49  # a cell of the RAM
    few = assay.make("atari/Pong+observation=labels")
    assert list(few.observation_labels().values()) == list(range(few.observation_space.shape[0]))
    assert assay.make("atari/Pong").observation_labels() == {}  # a picture names nothing


def test_a_protocol_is_the_same_in_games_without_lives_or_button():
    assert assay.make("atari/Pong+preset=atari100k").reset(seed=0)[0].shape == (84, 84, 4)
    assert assay.make("atari/Freeway+preset=paper").reset(seed=0)[0].shape == (84, 84, 4)


def test_a_start_that_can_only_be_reset_to_is_restored_with_its_cells(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(
        "game: Qbert\ncells: {far: 127}\nvariations:\n  mark:\n    means: a mark\n    direction: neutral\n"
        "    touches: [initial]\n    start: [{set: {far: 77}}]\n"
    )
    env = assay.make("atari/Qbert+mine.yaml:mark+observation=ram+sticky=0.0")
    assert env.reset(seed=0)[0][127] == 77
    saved = env.save()
    first = [env.step(action % 6)[0].tobytes() for action in range(30)]
    env.restore(saved)
    assert ram(env)[127] == 77
    assert [env.step(action % 6)[0].tobytes() for action in range(30)] == first


def test_one_that_is_off_in_a_snapshot_draws_on_when_it_comes_back():
    task = "atari/Pong+random_perturbation_enemy@cyclic:6+observation=ram+sticky=0.0"
    env = assay.make(task)
    env.reset(seed=3)
    for _ in range(9):  # on for six steps, now off
        info = env.step(0)[-1]
    assert not info["variations"]
    saved = env.save()
    first = [env.step(0)[0].tobytes() for _ in range(12)]
    other = assay.make(task)
    other.restore(saved)
    assert [other.step(0)[0].tobytes() for _ in range(12)] == first


def test_a_game_that_is_over_stands_still_whichever_way():
    usual, long = (assay.make("atari/Breakout+sticky=0.0").unwrapped.inner.host for _ in range(2))
    long._run = partial(run_all, long)
    for host in (usual, long):
        host.reset(0)
        step = 0
        while not host.step(1 if step % 20 == 0 else 0)[2]:
            step += 1
        _, paid, terminated, _, info = host.step(0)
        assert (paid, terminated, len(info["executed_frames"])) == (0, True, 1)
    assert usual.frame == long.frame and ram_of(usual) == ram_of(long)


def modes_and_difficulties(game):
    for what, known in (("mode", game.modes), ("difficulty", game.difficulties)):
        for number in known:
            yield what, number


def kept(game, what, number):
    env = assay.make(f"atari/{game.name}+{what}={number}+observation=ram+sticky=0.0")
    runs = []
    for _ in range(2):
        env.reset(seed=1)
        runs.append([env.step(step // 7 % int(env.action_space.n))[0].tobytes() for step in range(9)])
    state = env.unwrapped.inner.host.emulator.ale.cloneState()
    return runs[0] == runs[1] and number == (
        state.getCurrentMode() if what == "mode" else state.getDifficulty()
    )


def test_modes_and_difficulties_of_some_games():
    from assay.envs.atari.games import games

    for game in list(games().values())[::13]:
        for what, number in list(modes_and_difficulties(game))[:12]:
            assert kept(game, what, number), (game.name, what, number)


@pytest.mark.slow
def test_modes_and_difficulties_of_every_game():
    from assay.envs.atari.games import games

    for game in games().values():
        for what, number in modes_and_difficulties(game):
            assert kept(game, what, number), (game.name, what, number)
