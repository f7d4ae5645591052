"""Events of an episode are counted where somebody asks, and counting changes nothing else."""

from assay.core.streams import digest_number
from assay.interop.gymnasium import make
from assay.interop.play import play
from assay.interop.policy import Policy
from assay.runs.result import evaluation_seed

TASK = "gym/CartPole-v1+action.sticky=1.0"


def test_every_step_but_the_first_repeats_the_action():
    plain = play(lambda observation: 1, make(TASK), "one", 0, 3)
    counted = play(lambda observation: 1, make(TASK, events=True), "one", 0, 3, counts=True)
    assert [each.events for each in plain] == [{}] * 3
    assert [each.events["action.sticky"] for each in counted] == [each.steps - 1 for each in plain]
    assert [each._replace(events={}) for each in counted] == [each._replace(events={}) for each in plain]


def test_the_agent_does_not_see_the_reports():
    seen = []

    def act(observation, info):
        seen.append("events" in info)
        return 1

    play(Policy(act, uses_info=True), make(TASK, events=True), "one", 0, 1, counts=True)
    assert seen and not any(seen)


def test_evaluation_has_another_seed_than_training():
    """Lanes of training are seeded by ("train", lane), evaluation by ("evaluate"), whatever the agent."""
    trained = {digest_number(seed, "train", lane) % 2**63 for seed in (0, 7, 13) for lane in range(8)}
    assert not trained & {evaluation_seed(seed) for seed in (0, 7, 13)}
