"""compat=stori: what the original does, its mistakes included, and draws that were recorded."""

import json

import numpy as np
import pytest

import assay
from assay.errors import AssayError, NotApplicable, UnknownName
from tests.envs.atari.stori_play import fill_holes, host_of, play

ale_py = pytest.importorskip("ale_py")
RAM = "+observation=ram"


def test_the_first_picture_is_the_emulators_own():
    import gymnasium

    gymnasium.register_envs(ale_py)
    theirs = gymnasium.make("ALE/Breakout-v5", repeat_action_probability=0.0, frameskip=1)
    ours = assay.make("atari/Breakout+block_cancel=0.0+compat=stori+sticky=0+frameskip=1")
    for _ in range(2):
        assert (theirs.reset(seed=0)[0] == ours.reset(seed=0)[0]).all()
        for action in (1, 0, 2, 3, 0):
            a, b = theirs.step(action), ours.step(action)
            assert (a[0] == b[0]).all() and a[1:4] == b[1:4]


def test_boxing_a_cancelled_hit_is_paid_back_one_frame_later():
    rewards, memories, *_ = play("atari/Boxing+hit_cancel=1+compat=stori+frameskip=1" + RAM, 1200)
    hits = np.flatnonzero(rewards)
    assert len(hits) and not memories[:, 18:20].any()
    plain, *_ = play("atari/Boxing+frameskip=1" + RAM, 1200)
    first = np.flatnonzero(plain)[0]
    assert rewards[first] == 0 and rewards[first + 1] == -plain[first]


def test_gopher_the_original_also_undoes_digging():
    *_, events = play("atari/Gopher+fill_cancel=1+compat=stori" + RAM, 900, fill_holes)
    details = np.array([each["fill_cancel"].detail for each in events if each["fill_cancel"].detail[1]])
    dug_away = (details[:, 3].astype(int) & ~details[:, 4].astype(int)).astype(bool)
    assert dug_away.sum() > 0  # bits went from dug back to not dug


def test_bank_heist_the_original_forgets_the_count_of_cities():
    env = assay.make("atari/BankHeist+city_switch=1+compat=stori+sticky=0+frameskip=1" + RAM)
    env.reset(seed=0)
    host_of(env).emulator.put(0, 6)
    assert int(env.step(0)[0][0]) in (0, 1, 3)


def test_a_sudden_drift_comes_one_step_early_and_a_cycle_does_not():
    for schedule, first in (("sudden:10", 9), ("cyclic:10:10", 0)):
        *_, events = play(f"atari/BankHeist+city_switch=1@{schedule}+compat=stori" + RAM, 20)
        assert [each["city_switch"].event for each in events].index(True) == first


def test_recorded_draws_decide_frame_by_frame(tmp_path):
    """City 0 at the start; draws per frame, and one more for the city where an event happens."""
    file = tmp_path / "draws.json"
    # Two frames without, then a switch to the next city but one, and one without.
    file.write_text(
        json.dumps({"format": "assay draws 1", "draws": {"city_switch": [[0.9, 0.5, 0.1, 0.5, 0.9]]}})
    )
    task = f'atari/BankHeist+city_switch=0.3+compat=stori+sticky=0+frameskip=1+draws="{file}"'
    env = assay.make(task + RAM, events=True)
    env.reset(seed=0)
    happened = [env.step(0)[-1]["events"]["city_switch"].event for _ in range(4)]
    assert happened == [False, False, True, False]
    with pytest.raises(AssayError, match="hold 5 numbers for episode 0"):
        env.step(0)


@pytest.mark.parametrize(
    "content, says", [("{", "is not JSON"), ("[]", "holds no draws"),
                      ('{"format": "assay draws 1", "draws": {"city_switch": [[1.5]]}}', "below 1"),
                      ('{"format": "assay draws 1", "draws": {}, "also": 1}', "has the key 'also'"),
                      ('{"format": "assay draws 1", "draws": {"a": [[0]], "a": [[0]]}}', "written twice"),
                      ('{"format": "assay draws 1", "draws": {"city_switch": [[0]], "stori_event_3": [[0]]}}',
                       "twice, under two spellings"), ("[" * 100_000, "nested too deep")],
)  # fmt: skip
def test_a_wrong_file_of_draws_is_refused(tmp_path, content, says):
    file = tmp_path / "draws.json"
    file.write_text(content)
    with pytest.raises(AssayError, match=says):
        assay.make(f'atari/BankHeist+city_switch=0.3+draws="{file}"')
    with pytest.raises(NotApplicable, match="no file"):
        assay.make('atari/BankHeist+city_switch=0.3+draws="nowhere.json"')
    with pytest.raises(AssayError, match="seed: with a whole number"):
        assay.make('atari/BankHeist+city_switch=0.3+draws="seed:²"')


def test_another_seed_of_the_draws_leaves_the_game_alone():
    """The start, with its drawn no-ops, is the same; the events differ."""
    runs = []
    for draws in ("", "+draws=seed:1", "+draws=seed:1", "+draws=seed:2"):
        env = assay.make("atari/BankHeist+city_switch=0.2+noops=30+sticky=0+observation=ram" + draws)
        start = env.reset(seed=0)[0].tobytes()
        runs.append((start, [int(env.step(0)[0][0]) for _ in range(60)]))
    assert len({start for start, _ in runs}) == 1
    cities = [each for _, each in runs]
    assert cities[1] == cities[2] and cities[0] != cities[1] != cities[3]


def test_a_file_of_draws_holds_every_variation_of_the_task(tmp_path):
    """In any of its spellings; one that is misspelt or missing would draw by chance."""
    file = tmp_path / "draws.json"

    def events(task, name):
        file.write_text(json.dumps({"format": "assay draws 1", "draws": {name: [[0.99] * 100]}}))
        env = assay.make(f'atari/BankHeist+{task}=0.9+sticky=0+draws="{file}"', events=True)
        env.reset(seed=0)
        return sum(env.step(0)[-1]["events"][task].event for _ in range(20))

    assert events("city_switch", "city_switch") == events("stori_event_3", "stori_event_3") == 0
    assert events("stori_event_3", "city_switch") == 0
    with pytest.raises(UnknownName, match=r"city_swich.*did you mean 'city_switch'"):
        events("city_switch", "city_swich")
    with pytest.raises(NotApplicable, match="holds no draws of city_switch"):
        events("city_switch", "fuel_leak")
