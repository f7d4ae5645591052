"""Deliberately wrong variations, each caught by the law it breaks."""

import pytest

from assay.catalogue import axis_of
from assay.proof import hosted, native

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
    "global_chance": ("jit, vmap and Python agree", "reward under vmap is not that of Python"),
}


@pytest.mark.parametrize("name", CAUGHT)
def test_wrong_variation_is_caught(outside, name):
    law, says = CAUGHT[name]
    certificate, _ = native.check("outside/corridor", axis_of("outside/corridor", name))
    assert certificate.laws[law].holds is False, certificate.sentence()
    assert certificate.laws[law].says == says
    assert not certificate.holds


def test_rare_one_acts_on_under_a_percent_of_steps(outside):
    certificate, _ = native.check("outside/corridor", axis_of("outside/corridor", "wrong_transition"))
    assert 0 < certificate.shares["transition"][0] < 0.01


@pytest.mark.parametrize("name", ["slip", "horizon"])
def test_right_axes_of_the_same_env_hold(outside, name):
    certificate, _ = native.check("outside/corridor", axis_of("outside/corridor", name))
    assert certificate.holds, certificate.sentence()


def test_hosted_channel_that_writes_into_the_host_is_caught(outside):
    certificate, _ = hosted.check("outside/leaky", axis_of("outside/leaky", "in_place"))
    law = certificate.laws["nothing else touched"]
    assert law.holds is False and "transition" in law.says


def test_hosted_channel_that_declares_another_component_and_acts_only_after_resets_is_caught(outside):
    certificate, _ = hosted.check("outside/leaky", axis_of("outside/leaky", "counts_resets"))
    law = certificate.laws["nothing else touched"]
    assert law.holds is False and "observation" in law.says
    assert certificate.shares["observation"][0] < 0.5
