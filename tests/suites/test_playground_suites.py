"""The suites of MDP Playground: the grids are the paper's, both designs are there.

That every task is one, `test_file.py` asks of every suite of the catalogue.
"""

from assay.agents.dqn import Config as Dqn
from assay.agents.tabular_q import Config as TabularQ
from assay.catalogue import suites
from assay.suites.playground_tuning import SUITES as TUNING
from assay.task_text import parse

BY_NAME = {
    suite.name.removeprefix("playground/"): suite
    for suite in suites()
    if suite.name.startswith("playground/")
}


def levels(name: str, axis: str) -> list:
    """The level of an axis in every pair, None where it is plain."""
    found = [{s.name: s.value for s in parse(pair.train).settings} for pair in BY_NAME[name].pairs]
    return [each.get(axis) for each in found]


def test_the_grids_of_the_discrete_env_are_those_of_the_paper():
    assert levels("delay", "delay") == [None, 1, 2, 4, 8]
    assert levels("sequence-length", "sequence_length") == [None, 2, 3, 4]
    assert levels("transition-noise", "transition_noise") == [None, 0.01, 0.02, 0.1, 0.25]
    assert levels("reward-noise", "reward_noise") == [None, 1.0, 5.0, 10.0, 25.0]
    assert levels("reward-density", "reward_density") == [None, 0.5, 0.75]
    assert len(BY_NAME["delay-by-sequence-length"].pairs) == 5 * 4
    assert len(BY_NAME["transition-noise-by-reward-noise"].pairs) == 5 * 5


def test_the_grids_of_pictures():
    assert levels("image-transforms", "image_transforms") == [
        None, "shift", "scale", "flip", "rotate", "scale-shift-rotate-flip",
    ]  # fmt: skip
    assert levels("image-transforms", "image_scale_range")[2] == (0.5, 2.0)
    assert levels("image-sh-quant", "image_sh_quant") == [None, 2, 4, 8, 16]
    assert levels("image-ro-quant", "image_ro_quant") == [None, 2, 4, 9, 18, 36]
    assert levels("image-scale-range", "image_scale_range") == [
        (0.8, 1.25), (0.75, 1.33), (0.667, 1.5), (0.5, 2.0),
    ]  # fmt: skip


def test_the_grids_of_the_continuous_env():
    assert levels("time-unit", "time_unit") == [None, 0.1, 0.2, 0.5, 2.0, 4.0, 8.0]
    assert levels("continuous-reward-noise", "reward_noise") == [None, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0]
    assert levels("action-loss-weight", "action_loss_weight") == [None, 0.01, 0.1, 1.0, 5.0, 10.0, 100.0]
    assert len(BY_NAME["action-space-max-by-time-unit"].pairs) == 7 * 7
    assert len(BY_NAME["action-space-max-by-time-unit-order-3"].pairs) == 4 * 5
    assert len(BY_NAME["transition-noise-by-target-radius"].pairs) == 8 * 4


def test_the_grids_of_games_and_bodies():
    assert levels("breakout-delay", "reward.delay") == [None, 1, 2, 4, 8]
    assert levels("qbert-transition-noise", "action.other") == [None, 0.01, 0.02, 0.1, 0.25]
    assert levels("beam-rider-reward-noise", "reward.noise") == [None, 0.01, 0.05, 0.1, 0.25]
    assert levels("halfcheetah-time-unit", "time_unit") == [None, 0.2, 0.4, 2.0, 4.0]
    assert levels("reacher-action-range", "action_range") == [None, 0.025, 0.05, 0.1, 0.25, 0.5, 2.0]
    assert levels("halfcheetah-irrelevant", "irrelevant_dims") == [None, 2, 4, 8, 16, 32]


def test_every_duration_of_a_body_is_a_whole_number_of_physics_steps():
    for body, steps_of_an_action in (("halfcheetah", 5), ("pusher", 5), ("reacher", 2)):
        for level in levels(f"{body}-time-unit", "time_unit")[1:]:
            assert abs(level * steps_of_an_action - round(level * steps_of_an_action)) < 1e-9


def test_noise_is_also_played_without_noise_at_every_report():
    for name in ("transition-noise", "reward-noise", "transition-noise-by-reward-noise"):
        suite = BY_NAME[name]
        assert suite.rollouts and {pair.evaluate for pair in suite.pairs} == {"toy/discrete"}
    assert not BY_NAME["delay"].rollouts


def test_both_designs_are_there_where_a_world_is_generated():
    assert set(levels("delay-one-mdp", "mdp_seed")) == {0} and set(levels("delay", "mdp_seed")) == {None}
    alone = [name for name in BY_NAME if f"{name}-one-mdp" not in BY_NAME and not name.endswith("-one-mdp")]
    assert not any(BY_NAME[name].pairs[0].train.startswith("toy/discrete") for name in alone)


def test_seeds_and_budgets_are_the_published_ones():
    found = {name: (len(suite.seeds), suite.steps) for name, suite in BY_NAME.items()}
    assert found["delay"] == (100, 20_000) and found["delay-by-sequence-length"] == (10, 20_000)
    assert found["breakout-delay"] == (5, 10_000_000) and found["pusher-time-unit"] == (5, 500_000)
    assert found["tune-dqn-rate"] == (3, 20_000)


def test_tuning_sets_what_the_agents_have():
    known = {"dqn": Dqn, "tabular_q": TabularQ}
    for suite in TUNING:
        assert len(suite.settings) == len(suite.pairs)
        for settings in suite.settings:
            config = known[suite.agent](**settings)  # which refuses a name or a value that it does not know
            assert {name: getattr(config, name) for name in settings} == settings


def test_the_networks_that_were_tried():
    sizes = [each["hidden"] for each in BY_NAME["tune-dqn-networks"].settings]
    assert len(sizes) == 12 and sizes[0] == (128,) and sizes[-1] == (512,) * 4


def test_names_are_used_once():
    assert len({each.name for each in suites()}) == len(suites())
