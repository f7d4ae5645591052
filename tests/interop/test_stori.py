"""STORI's configurations as tasks."""

import pytest
import yaml

import assay
from assay.errors import NotApplicable


def crop(mode, chance):
    return config("3.2", sight={"type": "crop", "mode": mode, "prob": chance})


EVENT = {"mode": "2", "random_stochasticity_prob": 0.25}
BLACKOUT = {"type": "blackout", "mode": "10", "prob": 1.0}


def config(kind, sight=None, event=None, action=None, drift=None):
    intrinsic = {
        "action_dependent": {"stochastic_action_prob": action} if action is not None else None,
        "action_independent_random": event,
        "action_independent_concept_drift": drift,
    }
    blocks = {
        "intrinsic_stochasticity": {name: block for name, block in intrinsic.items() if block},
        "partial_observation": sight,
    }
    return {"stochasticity_type": kind} | {name: block for name, block in blocks.items() if block}


def drift(secondary, mode="sudden", threshold=300, skip=4):
    return {
        "temporal_mode": mode, "temporal_threshold": threshold, "secondary_concept_type": secondary,
        "skip": skip,
    }  # fmt: skip


PUBLISHED = [
    ("Breakout", config("3.1"), ""),
    ("Breakout", config("1", action=0.3), "+action.random=0.3"),
    ("BankHeist", config("1", action=0.3), "+action.restricted.0-9=0.3"),
    ("Breakout", config("2.1", event=EVENT), "+stori_event_2=0.25"),
    ("Breakout", config("3.2", sight=BLACKOUT), "+stori_blackout_10=1.0"),
    ("Breakout", crop("1", 0.75), "+observation.mask.left=0.75"),
    ("Breakout", crop("5", 1.0), "+observation.torch.75=1.0"),
    ("Boxing", crop("2", 0.75), "+observation.mask.right=0.75"),
    ("Boxing", config("3.2", sight={"type": "ram", "mode": "2", "prob": 0.7}), "+stori_ram_2=0.7"),
    ("Breakout", config("2.2", sight=BLACKOUT, drift=drift("3.2")), "+stori_blackout_10=1.0@sudden:300"),
    ("Gopher", config("2.2", sight=BLACKOUT, drift=drift("3.2", "cyclic", 600)),
     "+stori_blackout_10=1.0@turn:600:1:2"),
    ("Breakout", config("2.2", event=EVENT, drift=drift("2.1", skip=1)),
     "+frameskip=1+stori_event_2=0.25@sudden:300"),
    ("Breakout", config("2.1", event={"mode": "0", "random_stochasticity_prob": 0.5}), ""),
]  # fmt: skip


@pytest.mark.parametrize("game, written, wanted", PUBLISHED)
def test_a_configuration_is_a_task(game, written, wanted):
    assert str(assay.from_stori(written, game)) == f"atari/{game}+sticky=0.0{wanted}"


def test_dotted_keys_and_files_say_the_same_as_nested_keys(tmp_path):
    dotted = {
        "stochasticity_type": 3.2, "partial_observation.type": "crop", "partial_observation.mode": 3,
        "partial_observation.prob": 1,
    }  # fmt: skip
    (tmp_path / "stori.yaml").write_text(yaml.safe_dump(dotted))
    wanted = "atari/Pong+sticky=0.0+observation.mask.top=1.0"
    assert str(assay.from_stori(dotted, "Pong")) == wanted
    assert str(assay.from_stori(tmp_path / "stori.yaml", "Pong")) == wanted


def test_what_assay_has_of_its_own_can_be_played():
    env = assay.make(assay.from_stori(config("1", action=0.3), "BankHeist", acts="frame"), events=True)
    env.reset(seed=0)
    assert "action.restricted.0-9" in env.step(0)[-1]["events"]
    by_frame = assay.from_stori(config("2.1", event=EVENT), "Breakout", acts="frame")
    assert "+granularity=frame+" in str(by_frame)
    with pytest.raises(NotApplicable, match=r"observation\.mask\.top is drawn once a step"):
        assay.from_stori(crop("3", 1), "Breakout", acts="frame")


@pytest.mark.parametrize(
    "written, says",
    [
        ({"stochasticity_typ": "1"}, "no key 'stochasticity_typ'; did you mean 'stochasticity_type'"),
        (config("4"), "stochasticity_type is one of 0, 1, 2.1, 2.2, 3.1, 3.2, not '4'"),
        ({}, "lacks stochasticity_type"),
        (config("1", action=1.5), "stochastic_action_prob is a chance from 0 to 1, not 1.5"),
        (config("3.1", action=-1), "is a chance from 0 to 1, not -1"),
        (config("1"), "lacks intrinsic_stochasticity.action_dependent.stochastic_action_prob"),
        (config("2.1", event=EVENT | {"mode": "4"}), "from 0 to 3 for events of Breakout"),
        (crop("6", 1), "from 0 to 5 for crops, not '6'"),
        (config("3.2", sight=BLACKOUT | {"type": "blur"}), "one of crop, blackout, ram, not 'blur'"),
        (config("2.2", drift=drift("2.2")), "secondary_concept_type is one of 1, 2.1, 3.2, not '2.2'"),
        (config("2.2", drift=drift("3.1")), "secondary_concept_type is one of 1, 2.1, 3.2, not '3.1'"),
        (config("2.2", action=0.3, drift=drift("1", "gradual")), "one of sudden, cyclic, not 'gradual'"),
        (config("2.2", action=0.3, drift=drift("1", threshold=0)), "a whole number from 1 up, not 0"),
        (config("3.2", sight=BLACKOUT) | {"partial_observation.prob": 1}, "set twice"),
        (7, "is a dict or a YAML file"),
        # Of blocks that the type does not read.
        (config("3.1", drift=drift("2.2")), "secondary_concept_type is one of 1, 2.1, 3.2, not '2.2'"),
        (config("3.1", event=EVENT | {"mode": "99"}), "from 0 to 4 for any of STORI's games, not '99'"),
        (config("3.1", drift=drift("1", threshold=-5)), "a whole number from 1 up, not -5"),
        (config("3.1", drift=drift("1", skip="foo")), "skip is a whole number from 1 up, not 'foo'"),
        (config("3.1", drift=drift("1", "bar")), "one of sudden, cyclic, not 'bar'"),
        (config("3.1") | {"partial_observations": {}}, "no key 'partial_observations'; did you mean"),
        (config("3.1") | {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}, "nested 4 deep at most"),
    ],
)  # fmt: skip
def test_what_stori_does_not_know_is_refused_in_one_sentence(written, says):
    with pytest.raises(assay.AssayError, match=says) as refused:
        assay.from_stori(written, "Breakout")
    assert "\n" not in str(refused.value)


def test_a_configuration_that_refers_to_itself_is_refused():
    circle = config("3.1")
    circle["partial_observation"] = circle
    with pytest.raises(assay.AssayError, match="deep at most"):
        assay.from_stori(circle, "Breakout")


def test_games_are_known_at_once_under_both_names():
    assert str(assay.from_stori(config("3.1"), "ALE/Breakout-v5")) == "atari/Breakout+sticky=0.0"
    for game in ("Nope", "ALE/Nope-v5", 3):
        with pytest.raises(assay.AssayError):
            assay.from_stori(config("3.1"), game)


def test_type_0_is_the_labelled_state_without_chance():
    labelled = "atari/Breakout+sticky=0.0+observation=labels"
    assert str(assay.from_stori(config("0"), "Breakout")) == labelled


def test_blocks_without_keys_are_none():
    empty = config("3.1") | {"intrinsic_stochasticity": {"action_dependent": {}}, "partial_observation": {}}
    assert str(assay.from_stori(empty, "Breakout")) == "atari/Breakout+sticky=0.0"


def test_modes_of_a_game_that_stori_lacks_are_refused():
    with pytest.raises(assay.AssayError, match="for Breakout, Boxing, Gopher, BankHeist, not for Pong"):
        assay.from_stori(config("2.1", event=EVENT), "Pong")
