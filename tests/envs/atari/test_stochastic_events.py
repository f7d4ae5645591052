"""STORI's random events (type 2.1) on the emulator: memory, rewards and reports."""

import numpy as np
import pytest

import assay
from assay.catalogue import axis_of
from assay.errors import NotApplicable, UnknownName, WrongLevel
from tests.envs.atari.stori_play import column_x, fill_holes, follow_ball, host_of, play

pytest.importorskip("ale_py")
RAM = "+observation=ram"
EVENTS = {"Breakout": 3, "Boxing": 3, "Gopher": 3, "BankHeist": 4}
BLACKOUTS = {"Breakout": 11, "Boxing": 9, "Gopher": 18, "BankHeist": 10}
HIDES = {"Breakout": 2, "Boxing": 3, "Gopher": 5, "BankHeist": 6}


def test_every_number_of_the_original_names_a_variation_at_any_probability():
    for kind, numbers in (("event", EVENTS), ("blackout", BLACKOUTS), ("ram", HIDES)):
        for game, most in numbers.items():
            for number in range(1, most + 1):
                axis = axis_of(f"atari/{game}", f"stori_{kind}_{number}")
                assert (axis.kind, axis.neutral, axis.low, axis.high) == ("dose", 0.0, 0.0, 1.0)
                assert axis.origin == "STORI"
                assert axis.stochasticity == ("2.1" if kind == "event" else "3.2")
            with pytest.raises(UnknownName):
                axis_of(f"atari/{game}", f"stori_{kind}_{most + 1}")
    assert assay.make("atari/Breakout+stori_event_2=0.25").reset(seed=0)[1]["variations"] == ("block_cancel",)


@pytest.mark.parametrize("level", [-0.1, 1.5])
def test_a_probability_outside_0_to_1_is_refused(level):
    with pytest.raises(WrongLevel, match="from 0 to 1"):
        assay.make(f"atari/Breakout+block_cancel={level}")


def test_settings_without_anything_to_act_on_are_refused():
    for setting in ("granularity=frame", "compat=stori", "align=next", "draws=none.json"):
        with pytest.raises(NotApplicable, match=setting.split("=")[0]):
            assay.make(f"atari/Breakout+{setting}")
    with pytest.raises(NotApplicable, match="align"):
        assay.make("atari/Breakout+block_cancel=1+align=next")
    with pytest.raises(NotApplicable, match="twice"):
        assay.make("atari/Breakout+block_cancel=0.5+stori_event_2=0.5")


def test_breakout_hits_are_cancelled_with_and_without_pay():
    plain, walls, *_ = play("atari/Breakout" + RAM, 300, follow_ball)
    paid, kept, *_ = play("atari/Breakout+block_cancel_paid=1" + RAM, 300, follow_ball)
    unpaid, same, _, events = play("atari/Breakout+block_cancel=1" + RAM, 300, follow_ball)
    assert plain.sum() > 0 and (walls[-1, :36] != walls[0, :36]).any()
    assert paid.sum() > 0 and (kept[:, :36] == kept[0, :36]).all()
    assert unpaid.sum() == 0 and (same[:, :36] == same[0, :36]).all()
    assert same[-1, 77] > 0  # the game's own count of hits advances
    reports = [each["block_cancel"] for each in events]
    hits = [report for report in reports if report.event]
    assert hits and all(report.opportunity for report in hits)
    times, cells, cell, before, after, withheld = hits[0].detail
    assert (times, cells, withheld) == (1, 1, 1) and cell < 36 and before < after


def test_a_new_wall_is_no_hit():
    """Every brick but one is gone; the wall that the game builds after the last hit stays."""
    env = assay.make("atari/Breakout+block_cancel_paid=1+sticky=0+frameskip=1")
    env.reset(seed=0)
    host = host_of(env)
    for function, each in host.hooks["event"]:
        full, empty = [255] * 128, [0] * 128
        written = {}
        function(full, written.__setitem__, each.memory, each.draws, 9, 0, 4, bytes(empty), bytes(full))
        assert written == {} and each.draws.opportunities == 0
        points, owed = function(
            empty, written.__setitem__, each.memory, each.draws, 9, 0, 4, bytes(full), bytes(full)
        )
        assert written == dict.fromkeys(range(36), 255) and (points, owed) == (4, 0)


def test_breakout_bricks_return_a_byte_at_a_time():
    _, walls, _, events = play("atari/Breakout+block_return=1" + RAM, 300, follow_ball)
    returned = [each["block_return"].detail for each in events if each["block_return"].event]
    assert returned and all(detail[1] == 1 and detail[0] == 1 for detail in returned)
    assert ((walls[:, :36] != walls[0, :36]).sum(1) <= 2).all()


def test_boxing_cancelled_hits_net_nothing():
    rewards, memories, *_ = play("atari/Boxing+hit_cancel=1" + RAM, 600)
    plain, others, *_ = play("atari/Boxing" + RAM, 600)
    assert np.abs(plain).sum() > 3 and others[:, 18:20].any()
    assert not rewards.any() and not memories[:, 18:20].any()


def test_boxing_a_cancelled_hit_is_settled_after_the_variation_is_off():
    """At step 41 it goes off; the emulator's correction of a hit before that is not paid either."""
    for off in range(20, 60, 4):
        rewards, *_ = play(f"atari/Boxing+hit_cancel=1@cyclic:{off}:1000+frameskip=1" + RAM, off + 1)
        assert not rewards.any()


def test_boxing_colours_flip_and_flip_back_in_the_picture_alone():
    task = "atari/Boxing+color_flip=1"
    rewards, memories, seen, _ = play(task, 30)
    plain_rewards, plain, pictures, _ = play("atari/Boxing", 30)
    assert (memories == plain).all() and (rewards == plain_rewards).all()
    changed = [(a != b).any() for a, b in zip(seen, pictures)]
    assert changed == [False] + [True, False] * 15  # one event a step


def test_boxing_corners_are_those_of_the_start():
    _, memories, _, events = play("atari/Boxing+swap_corners=1+frameskip=1" + RAM, 12)
    assert np.abs(memories[-1, 32:36].astype(int) - [109, 30, 87, 4]).max() <= 2
    assert events[-1]["swap_corners"].detail[0] == 1


def test_gopher_no_filling_is_paid_nor_lasts():
    plain, *_ = play("atari/Gopher" + RAM, 900, fill_holes)
    rewards, memories, *_ = play("atari/Gopher+fill_cancel=1+frameskip=4" + RAM, 900, fill_holes)
    assert (plain % 100 == 20).sum() > 5 and not (rewards % 100).any()
    before, after = memories[:-1, :24], memories[1:, :24]
    still = np.abs(memories[1:, 31].astype(int) - memories[:-1, 31]) <= 16  # else a round began
    carrots = memories[1:, 52] == memories[:-1, 52]
    assert not (before & ~after)[still & carrots].any()


def test_gopher_the_columns_are_of_unequal_widths():
    assert [column_x(cell, bit) for cell, bit in ((0, 4), (1, 7), (2, 0), (3, 4), (4, 7), (5, 7))] == [
        0, 16, 48, 80, 96, 156,
    ]  # fmt: skip


def test_gopher_a_carrot_goes_once_and_never_the_last():
    env = assay.make("atari/Gopher+carrot_loss=1+sticky=0" + RAM)
    env.reset(seed=0)
    carrots = [int(env.step(0)[0][52]) for _ in range(62)]
    assert carrots[:58] == [7] * 58 and carrots[-1] in (3, 5, 6)
    env.reset()
    host_of(env).emulator.put(52, 2)
    assert {int(env.step(0)[0][52]) for _ in range(70)} == {2}


def test_bank_heist_bombs_fuel_cities_and_banks():
    _, plain, *_ = play("atari/BankHeist" + RAM, 200)
    _, memories, *_ = play("atari/BankHeist+dud_bomb=1" + RAM, 200)
    assert plain[:, 12].any() and not memories[:, 12].any()
    _, leaked, _, events = play("atari/BankHeist+fuel_leak=1" + RAM, 20)
    cities = len(np.unique(leaked[:, 0] % 4))
    assert leaked[0, 86] == 12 and sum(each["fuel_leak"].event for each in events) == cities
    _, switched, _, events = play("atari/BankHeist+city_switch=1" + RAM, 20)
    assert (switched[:, 0] // 4 == 0).all() and (np.diff(switched[1:, 0].astype(int)) != 0).all()


def test_bank_heist_the_count_of_cities_is_kept():
    env = assay.make("atari/BankHeist+city_switch=1+sticky=0" + RAM)
    env.reset(seed=0)
    host_of(env).emulator.put(0, 6)
    assert int(env.step(0)[0][0]) in (4, 5, 7)


def test_bank_heist_an_empty_bank_pays_nothing():
    env = assay.make("atari/BankHeist+empty_bank=1+sticky=0")
    env.reset(seed=0)
    function, each = host_of(env).hooks["event"][0]
    before, after = [0] * 128, [0] * 128
    before[25], after[25] = 253, 255
    arguments = (each.memory, each.draws, 9, 0, 10.0, bytes(before), bytes(128))
    each.draws.begin_step()
    assert function(after, None, *arguments) == (0, 0)
    assert function(before, None, *arguments) == (10.0, 0)


@pytest.mark.parametrize(
    "task", ["Breakout+block_cancel", "Boxing+color_flip", "Gopher+fill_cancel", "BankHeist+city_switch"]
)
def test_probability_0_is_the_plain_game(task):
    game = task.split("+")[0]
    for one, other in zip(play(f"atari/{task}=0.0", 60)[:3], play(f"atari/{game}", 60)[:3]):
        assert all(np.array_equal(a, b) for a, b in zip(one, other))


def test_one_draw_holds_for_a_step_or_for_a_frame():
    """City switch: a step switches at most once; per frame the chance of a step is 1 - (1 - p) ** 4."""
    shares = {}
    for granularity in ("step", "frame"):
        *_, events = play(f"atari/BankHeist+city_switch=0.3+granularity={granularity}" + RAM, 1500)
        times = np.array([each["city_switch"].detail[0] for each in events])
        assert times.max() == (1 if granularity == "step" else 4)
        shares[granularity] = (times > 0).mean()
    for granularity, expected in (("step", 0.3), ("frame", 1 - 0.7**4)):
        assert abs(shares[granularity] - expected) < 4 * np.sqrt(expected * (1 - expected) / 1500)


def test_the_same_seed_gives_the_same_events_and_another_seed_others():
    task = "atari/BankHeist+city_switch=0.2" + RAM
    runs = [play(task, 100, seed=seed)[1][:, 0].tolist() for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("granularity", ["step", "frame"])
def test_a_saved_game_goes_on_with_the_same_events(granularity):
    task = f"atari/BankHeist+city_switch=0.2+hide_blocks=0.5+blackout_score=0.5+granularity={granularity}"
    env = assay.make(task)
    env.reset(seed=0)
    for _ in range(30):
        env.step(3)
    saved = env.save()
    runs = []
    for _ in range(2):
        env.restore(saved)
        runs.append([env.step(4)[0].tobytes() for _ in range(30)])
    assert runs[0] == runs[1] and len(set(runs[0])) > 5


def test_schedules_switch_events_on_and_off():
    *_, events = play("atari/BankHeist+city_switch=1@cyclic:5:7" + RAM, 24)
    assert [each["city_switch"].event for each in events] == ([True] * 5 + [False] * 7) * 2
    *_, events = play("atari/BankHeist+city_switch=1@sudden:6" + RAM, 10)
    assert [each["city_switch"].event for each in events] == [False] * 6 + [True] * 4
    *_, events = play("atari/BankHeist+city_switch=1@ramp:0:400" + RAM, 400)
    share = [np.mean([each["city_switch"].event for each in part]) for part in (events[:200], events[200:])]
    assert share[0] < 0.4 < 0.6 < share[1]


def test_workers_play_what_one_env_plays():
    task = "atari/BankHeist+city_switch=0.2+blackout_all=0.5+sticky=0"
    lanes = assay.make_vec(task, 2, workers=2, events=True)
    single = assay.make(task, events=True)
    lanes.reset(seed=4), single.reset(seed=5)
    different = 0
    for _ in range(40):
        seen, *_, info = lanes.step(np.array([3, 3]))
        one, *_, told = single.step(3)
        np.testing.assert_array_equal(seen[1], one)
        np.testing.assert_array_equal(
            info["events"]["city_switch"].detail[1], told["events"]["city_switch"].detail
        )
        different += info["events"]["city_switch"].event[0] != info["events"]["city_switch"].event[1]
    assert different > 3  # lanes draw apart
    lanes.close()


SCORED = "+sticky=0+action.random=1.0"  # random play


def sums(task, steps=1200):
    """The rewards, the score and the game's own points of random play."""
    env = assay.make(task + SCORED)
    env.reset(seed=0)
    total = np.zeros(3)
    for _ in range(steps):
        _, reward, terminated, truncated, info = env.step(0)
        total += reward, info["score"], info["points"]
        if terminated or truncated:
            env.reset()
    return total


@pytest.mark.parametrize("task", ["Breakout+block_cancel=1.0+fire=true", "Gopher+fill_cancel=1.0"])
def test_what_an_event_took_back_does_not_count_in_the_score(task):
    """The event undid what the game paid for; a variation of the reward alone changes no score."""
    paid, score, points = sums(f"atari/{task}")
    assert paid == score < points
    paid, score, points = sums(f"atari/{task}+reward.scale=3.0")
    assert paid == 3 * score and score < points


@pytest.mark.parametrize("task", ["Breakout+block_cancel=1.0+fire=true", "Boxing+hit_cancel=1.0"])
def test_a_reward_function_beside_the_games_own_gets_no_cancelled_reward(task, tmp_path, monkeypatch):
    (tmp_path / "nothing.py").write_text("def more(before, action, after):\n    return 0.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    env = assay.make(f'atari/{task}+rewards=[game,"nothing:more"]{SCORED}')
    env.reset(seed=0)
    for _ in range(600):
        _, reward, terminated, *_ = env.step(0)
        assert reward == 0.0
        if terminated:
            env.reset()


@pytest.mark.parametrize("way", ["granularity=frame", "compat=stori", "granularity=step"])
def test_a_picture_is_reported_hidden_where_it_is_hidden(way):
    """Frames of a step that nobody sees are drawn for too, and do not count."""
    env = assay.make(f"atari/BankHeist+sticky=0+{way}+blackout_all=0.3", events=True)
    plain = assay.make(f"atari/BankHeist+sticky=0+{way}+blackout_all=0.0")
    env.reset(seed=0), plain.reset(seed=0)
    told, hidden = [], []
    for _ in range(100):
        seen, *_, info = env.step(3)
        told.append(bool(info["events"]["blackout_all"].event))
        hidden.append(bool((seen != plain.step(3)[0]).any()))
    assert told == hidden and 15 < sum(told) < 50


def test_what_hides_pictures_alone_is_refused_where_none_is_shown():
    for observation in ("ram", "labels", "decoded"):
        with pytest.raises(NotApplicable, match="hide_ball changes the picture alone"):
            assay.make(f"atari/Breakout+observation={observation}+hide_ball=1.0")
    assay.make("atari/Breakout+observation=ram+block_cancel=0.5")
