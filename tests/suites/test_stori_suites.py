"""The suites of STORI: its presets under their ids, its published scores, and every crossing."""

import pytest

from assay.catalogue import axis_of, suite
from assay.errors import AssayError
from assay.plans.jobs import group_by_job, jobs_of
from assay.plans.make_plan import first_seeds, plan_pairs, suite_plan
from assay.suites import stori
from assay.suites.suite import Pair, PublishedScore, Suite
from assay.task_text import parse
from assay.tasks import task

GAMES = {"breakout": 7, "boxing": 7, "gopher": 5, "bankheist": 5}


def test_breakout_3_2b_by_hand():
    [pair] = [each for each in suite("stori/breakout").pairs if each.name == "Breakout 3.2B"]
    assert (
        pair.train
        == pair.evaluate
        == (
            "atari/Breakout+sticky=0.0+observation=gray84+stack=1+observation.mask.left=0.75+observation.stack=4"
        )
    )
    assert pair.baseline == "Breakout 3.1"
    assert pair.published == (
        PublishedScore("DreamerV3", 3.57, 1.43, 3),
        PublishedScore("STORM", 6.48, 2.5, 3),
    )


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_presets_and_the_published_protocol(game):
    for name in (f"stori/{game}", f"stori/{game}-compat"):
        chosen = suite(name)
        assert len(chosen.pairs) == GAMES[game]
        assert (chosen.steps, chosen.seeds, chosen.episodes) == (100_000, (0, 7, 13), 100)
        assert all(pair.train == pair.evaluate and len(pair.published) == 2 for pair in chosen.pairs)
        assert [pair.name for pair in chosen.pairs if pair.name == pair.baseline] == [chosen.pairs[3].name]
        assert chosen.random and chosen.counts_events


def test_all_24_presets_stand_in_one_suite():
    assert len(suite("stori").pairs) == 24 == len({pair.train for pair in suite("stori").pairs})


@pytest.mark.parametrize("name", [each.name for each in stori.SUITES])
def test_every_task_is_known(name):
    for pair in suite(name).pairs:
        assert str(task(pair.train)) and str(task(pair.evaluate))


def test_variations_are_of_the_type_that_a_preset_names():
    for chosen in ("stori", "stori/toy", "stori/platformer"):
        for pair in suite(chosen).pairs:
            text = parse(pair.train)
            axes = [axis_of(text.env, each.name) for each in text.settings if not each.schedule]
            kinds = {axis.stochasticity or axis.origin.rpartition("STORI type ")[2] for axis in axes}
            drifts = any(each.schedule for each in text.settings)
            kind = pair.name.split()[-1].rstrip("ABC")
            if kind in ("1", "2.1", "3.2"):
                assert kind in kinds, pair
            elif kind == "2.2":
                assert drifts or kind in kinds, pair


def test_the_original_s_placement_is_per_frame():
    texts = {pair.name: pair.train for pair in suite("stori/boxing-compat").pairs}
    assert "+action_channels=frame" in texts["Boxing 1"] and "compat" not in texts["Boxing 1"]
    assert all("+compat=stori" in texts[f"Boxing {kind}"] for kind in ("2.1", "2.2", "3.2A", "3.2C"))
    assert texts["Boxing 3.1"] == suite("stori/boxing").pairs[3].train


def test_a_crossing_trains_once_on_every_preset_and_tests_on_all():
    pairs = plan_pairs(suite("stori/gopher-crossing"), ())
    groups = group_by_job(pairs)
    assert len(pairs) == 25 and len(groups) == 5
    assert all(len({pair.evaluate for pair in group}) == 5 for group in groups.values())
    assert pairs[1].cell == ("1", "2.1") and pairs[1].name == "Gopher 1 on 2.1"


def test_random_play_has_a_job_of_its_own_for_every_task():
    plan = suite_plan(suite("stori/toy"), "dqn", seeds=2)
    random = [job for job in jobs_of(plan) if job.agent == "random"]
    assert len(random) == 9 * 2 and {job.seed for job in random} == {0, 7}  # every seed has its own world
    assert not suite_plan(suite("stori/toy"), "random").suite.random  # it is its own reference


def test_seeds_of_a_suite_are_used_as_they_are():
    assert first_seeds((0, 7, 13), 2) == (0, 7)
    assert first_seeds((0, 7, 13), 5) == (0, 7, 13, 1, 2)
    plain = Suite("own", 1, "", (Pair("toy/discrete", "toy/discrete"),), (0, 7, 13), 4)
    assert suite_plan(plain, "dqn").seeds == (0, 7, 13)
    assert suite_plan(plain, "dqn", first_seed=3).seeds == (3, 4, 5)


def test_recipes_are_settings_that_the_user_s_own_replace():
    pairs = (Pair("toy/discrete", "toy/discrete"),)
    own = Suite("own", 1, "", pairs, (0,), 4, recipes={"dqn": {"batch": 16, "hidden": [8]}})
    assert suite_plan(own, "dqn", settings={"batch": 64}).settings["hidden"] == [8]
    assert suite_plan(own, "dqn", settings={"batch": 64}).settings["batch"] == 64
    assert suite_plan(own, "random").budget == 0


def test_a_baseline_that_is_no_pair_is_refused():
    with pytest.raises(AssayError, match="compares the pair 'a' with 'b', and no pair has that name"):
        Suite("own", 1, "", (Pair("toy/discrete", "toy/discrete", "a", baseline="b"),), (0,), 4)


def test_a_suite_that_acts_at_every_frame_says_which_presets_cannot():
    asks = {each.name: each.asks for each in stori.SUITES if each.name.endswith("-compat")}
    assert "(3.2B and 3.2C once a step: they cut" in asks["stori/breakout-compat"]
    assert "(3.2B once a step: it cuts" in asks["stori/boxing-compat"]
    assert asks["stori/gopher-compat"].endswith("frame by frame?")
