"""Rules that a game itself would undo: at its start, in its count of lives, after a step."""

import pytest

import assay

pytest.importorskip("ale_py")


def cells(env, *numbers):
    return [int(env.unwrapped.inner.host.emulator.ram[number]) for number in numbers]


def test_rules_that_a_games_first_frame_would_undo_come_after_it():
    corners = 32, 33, 34, 35  # the fighters' places
    for preset in ("", "+preset=machado2018"):
        env = assay.make(f"atari/Boxing+switch_positions+sticky=0.0{preset}")
        env.reset(seed=0)
        assert cells(env, *corners) == [105, 30, 85, 4]
        env.step(0)
        assert cells(env, 32, 34) == [105, 85], "the player stays where the rule put him"
    env = assay.make("atari/Boxing+switch_positions+sticky=0.0+compat=hackatari")
    env.reset(seed=0)
    env.step(0)
    assert cells(env, 32, 34) == [30, 4], "in the original the game undoes the rule"


def test_rules_of_steps_run_under_the_originals_schedule_too(tmp_path, monkeypatch):
    (tmp_path / "steps.yaml").write_text(
        "game: Pong\nvariations:\n  counted:\n    means: counts steps\n    direction: neutral\n"
        "    touches: [transition]\n    memory: {n: 0}\n"
        "    step: [{keep: {n: n + 1}}, {set: {'ram[120]': n}}]\n"
    )
    monkeypatch.chdir(tmp_path)
    for compat in ("", "+compat=hackatari"):
        env = assay.make(f"atari/Pong+steps.yaml:counted+sticky=0.0{compat}")
        env.reset(seed=0)
        for _ in range(5):
            env.step(0)
        assert cells(env, 120)[0] == 5


def test_lives_that_are_given_back_are_not_counted_as_lost():
    """Qbert's emulator counts a life less whenever the cell changes; Seaquest takes one at the start."""
    for ends in ("", "+life_loss"):
        env = assay.make(f"atari/Qbert+unlimited_lives+sticky=0.0{ends}")
        env.reset(seed=0)
        steps = [env.step(action) for action in (2, 3, 4, 5) * 250]
        assert {info["lives"] for *_, info in steps} == {4} and not any(step[2] for step in steps)
    env = assay.make("atari/Seaquest+unlimited_oxygen+sticky=0.0+action.random=1.0")
    plain = assay.make("atari/Seaquest+sticky=0.0+action.random=1.0")
    lost = []
    for each in (env, plain):
        each.reset(seed=0)
        ends = 0
        for _ in range(1500):
            if each.step(0)[2]:
                ends += 1
                each.reset()
        lost.append(ends)
    assert lost[0] < lost[1]
