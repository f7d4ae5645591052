"""Deliberately wrong variations, each caught by the law it breaks."""

import math
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import assay
from assay.catalogue import axis_of
from assay.core.events import EVENTS
from assay.core.streams import number_of
from assay.core.variation import Channel
from assay.envs.gym.policies import balance_pole
from assay.errors import NotApplicable
from assay.proof import hosted, native
from assay.proof.certificate import Law
from assay.proof.laws import channels as channel_laws
from assay.proof.laws import hosted as host_laws
from assay.proof.touched_laws import stays_neutral
from assay.tasks import require_own_names

CAUGHT = {
    # axis: (the law that fails, what it says)
    "wrong_initial": ("nothing else touched", "it touches initial too"),
    "wrong_action": ("nothing else touched", "it touches action too"),
    "wrong_transition": ("nothing else touched", "it touches transition too"),  # acts on under 1% of steps
    "wrong_reward": ("nothing else touched", "it touches reward too"),  # only at the last step of an episode
    "wrong_observation": ("nothing else touched", "it touches observation too"),
    "wrong_terminal": ("nothing else touched", "it touches terminal too"),
    "too_much": ("nothing else touched", "it never touches reward"),
    "nothing": ("felt", "level 1.0 changes nothing"),
    "after_a_reset": ("nothing else touched", "it touches initial too"),  # from the second episode on
    "foreign_stream": ("draws its own", "draws from another's stream"),
    "not_neutral": ("level 0.0 identical", "touches reward"),
    "own_table": ("seeds differ", "it adds noise of its own, alike under every seed; declare a draw"),
    "unfelt_start": ("felt", "level 1.0 changes nothing"),  # the first step wipes it out
    "global_chance": ("jit, vmap and Python agree", "reward under vmap is not that of Python"),
}


@pytest.mark.parametrize("name", CAUGHT)
def test_wrong_variation_is_caught(outside, name):
    law, says = CAUGHT[name]
    certificate, _ = native.check("outside/corridor", axis_of("outside/corridor", name))
    assert certificate.laws[law].holds is False, certificate.sentence()
    assert certificate.laws[law].says == says
    assert not certificate.holds


def test_a_key_of_its_own_is_caught(outside):
    axis = axis_of("outside/corridor", "own_key")
    plain = native.in_context("outside/corridor", axis)
    law = native.own_draws(plain, native.with_level(plain, axis, 1.0), axis)
    assert (law.holds, law.says) == (False, "draws from another's stream")


def test_what_lasts_and_is_not_neutral_past_500_steps_is_caught(outside):
    axis = axis_of("outside/corridor", "long_after")
    plain = native.in_context("outside/corridor", axis)
    law = stays_neutral(Law(True), native.fed_with(native.with_level(plain, axis, 0.0), axis))
    assert (law.holds, law.says) == (False, "it changes what passes at step 500 of a long episode")


def test_rare_one_acts_on_under_a_percent_of_steps(outside):
    certificate, _ = native.check("outside/corridor", axis_of("outside/corridor", "wrong_transition"))
    assert 0 < certificate.shares["transition"][0] < 0.01


@pytest.mark.parametrize("name", ["slip", "horizon"])
def test_right_axes_of_the_same_env_hold(outside, name):
    certificate, _ = native.check("outside/corridor", axis_of("outside/corridor", name))
    assert certificate.holds, certificate.sentence()


def test_hosted_channel_that_writes_into_the_host_is_caught(outside):
    certificate, _ = hosted.check("leaky/array", axis_of("leaky/array", "in_place"))
    law = certificate.laws["nothing else touched"]
    assert law.holds is False and "transition" in law.says


def test_hosted_channel_that_declares_another_component_and_acts_only_after_resets_is_caught(outside):
    certificate, _ = hosted.check("leaky/array", axis_of("leaky/array", "counts_resets"))
    law = certificate.laws["nothing else touched"]
    assert law.holds is False and "observation" in law.says
    assert certificate.shares["observation"][0] < 0.5


CAUGHT_ON_A_HOST = {
    "into_info": ("nothing else touched", "it touches info too"),
    "own_noise": ("seeds differ", "it adds noise of its own, alike under every seed; declare a draw"),
    "own_drops": ("seeds differ", "it adds noise of its own, alike under every seed; declare a draw"),
    "ignores_its_draw": ("seeds differ", "what it adds is the same under 3 seeds"),
    "late": ("level 0.0 identical", "it changes what passes at step 200 of a long episode"),  # they last 50
    "very_late": ("level 0.0 identical", "touches reward"),  # its memory lasts, past step 520
    "repaints": ("nothing else touched", "it alters what was seen before"),
}


@pytest.mark.parametrize("name", CAUGHT_ON_A_HOST)
def test_wrong_channel_on_a_host_is_caught(outside, name):
    law, says = CAUGHT_ON_A_HOST[name]
    certificate, _ = hosted.check("leaky/array", axis_of("leaky/array", name))
    assert certificate.laws[law].holds is False, certificate.sentence()
    assert certificate.laws[law].says.startswith(says)


def test_events_are_the_one_thing_in_an_info_that_may_differ():
    assert host_laws.same_info({"a": 1, EVENTS: ["jumped"]}, {"a": 1})
    assert not host_laws.same_info({"a": 1, "b": 2}, {"a": 1})
    assert not host_laws.same_info({"a": 1}, {"a": 2})


def test_only_envs_that_were_asked_for_reports_write_the_key_of_events():
    package = Path(assay.__file__).parent
    users = [p for p in package.rglob("*.py") if re.search(r"\bEVENTS\b", p.read_text())]
    assert {str(p.parent.relative_to(package)) for p in users} == {"core", "interop", "proof/laws"}


def test_the_pole_is_balanced_for_whole_episodes():
    """Random play falls after twenty steps or so, and what comes later would never be checked."""
    task = hosted.build_hosted("gym/CartPole-v1")
    for episode in range(5):
        seen, steps, over = task.reset(0, episode)[0], 0, False
        while not over:
            seen, _, terminated, over, *_ = task.step(balance_pole(seen))
            assert not terminated
            steps += 1
        assert steps == 500


def test_a_pattern_and_a_drift_are_no_noise():
    blink = [step % 40 < 3 for step in range(600)]
    drift = [1 - 0.99**step for step in range(600)]
    season = [math.sin(step / 20) for step in range(600)]
    noise = list(np.random.default_rng(0).normal(size=600))
    rare = [float(each > 1.3) for each in noise]
    assert [channel_laws.is_noise(each) for each in (blink, drift, season)] == [False] * 3
    assert channel_laws.is_noise(noise) and channel_laws.is_noise(rare)


def blinking(name):
    return Channel(
        1.0, name, ("reward",), lambda xp, level, memory, draw, value, ends, space: (memory, value)
    )


@pytest.mark.parametrize(
    "name, other", [("blink168_jnsh", "transition"), ("blink24836_qrmt", "action.sticky")]
)
def test_a_name_with_the_number_of_another_stream_is_refused(name, other, monkeypatch):
    assert number_of(name) == number_of(other)
    with pytest.raises(NotApplicable, match=rf"{name}.*{other}.*rename"):
        monkeypatch.setitem(sys.modules, "mine_named", SimpleNamespace(BLINK=blinking(name)))
        axis_of("toy/discrete", "mine_named:BLINK")
    beside = (blinking("action.sticky"), blinking(name))
    with pytest.raises(NotApplicable, match=rf"{name}.*{other}.*rename"):
        require_own_names(beside, "toy/discrete")


def test_a_name_with_the_number_of_anothers_clock_is_refused():
    assert number_of("blink6990_lgsk") == number_of("slip@clock")
    with pytest.raises(NotApplicable, match="slip@clock"):
        require_own_names((blinking("slip"), blinking("blink6990_lgsk")), "outside/corridor")
