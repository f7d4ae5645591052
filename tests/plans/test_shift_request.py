"""What can be asked of induced-policy shift, and the sentences on what cannot."""

import pytest

from assay.errors import AssayError, NotApplicable, UnknownName
from assay.plans.shift_request import MORE_THAN_SEEN, AxisLevel, require_teller, shift_request


def test_all_axes_of_the_observation_at_their_strongest_levels():
    request = shift_request("toy/discrete")
    assert request.levels == (
        AxisLevel("aliased", "4"),
        AxisLevel("observation.noise", "0.5"),
        AxisLevel("observation.dropout", "0.5"),
        AxisLevel("observation.delay", "4"),
    )
    reasons = {axis: each.why for each in request.not_asked for axis in each.axes}
    assert reasons["transition_noise"] == reasons["reward_noise"] == MORE_THAN_SEEN
    assert reasons["observation.irrelevant"] == "levels have other spaces"


def test_all_levels_know_which_are_the_strongest():
    request = shift_request("toy/discrete", ["observation.noise"], all_levels=True)
    assert len(request.levels) > 2 and [each.strongest for each in request.levels].count(True) == 1
    assert request.levels[-1] == AxisLevel("observation.noise", "0.5") and not request.not_asked


@pytest.mark.parametrize(
    ("task", "only", "says"),
    [
        ("toy/discrete", ["transition_noise"],
         "transition_noise touches the transition, and induced-policy shift compares two renderings"),
        ("toy/discrete", ["observation.irrelevant"], "levels have other spaces"),
        ("gym/CartPole-v1", [], "gym/CartPole-v1 is hosted, and a host renders only the state that it is in"),
    ],
)  # fmt: skip
def test_refusals(task, only, says):
    with pytest.raises(NotApplicable, match=says):
        shift_request(task, only)


def test_numbers_that_cannot_be():
    with pytest.raises(AssayError, match="5 states cannot come from 10 episodes, one from each at least"):
        shift_request("toy/discrete", states=5, episodes=10)
    with pytest.raises(AssayError, match="--episodes is a whole number from 1 up, not 0"):
        shift_request("toy/discrete", episodes=0)


def test_agents_that_cannot_tell_are_refused_by_name_with_the_next_move():
    says = "cannot tell how likely it takes each action.*take one of tabular_q, .*dqn.*`assay examine tests"
    with pytest.raises(NotApplicable, match=says):
        require_teller("tests.plans.request_others:act", {}, "toy/discrete")
    with pytest.raises(UnknownName, match="there is no module 'nowhere'"):
        require_teller("nowhere:act", {}, "toy/discrete")
    with pytest.raises(NotApplicable, match="the actions of toy/continuous are not numbered"):
        require_teller("random", {}, "toy/continuous")
