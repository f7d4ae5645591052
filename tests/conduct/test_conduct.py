"""A run from its plan to its end: what does not need workers to be seen."""

import pytest

from assay.conduct.conduct import as_scored
from assay.tasks import optimum


@pytest.mark.parametrize(
    ("task", "scored"),
    [
        ("toy/discrete", "toy/discrete"),
        ("toy/discrete+delay=8+transition_noise=0.1", "toy/discrete+transition_noise=0.1"),
        # What is asked stays: scores count it.
        ("toy/discrete+sequence_length=2+reward_noise=1.0", "toy/discrete+sequence_length=2"),
    ],
)
def test_the_optimum_of_a_score_leaves_the_payment_out(task, scored):
    assert str(as_scored(task)) == scored


def test_an_agent_that_is_paid_late_can_reach_the_optimum_and_not_more():
    assert optimum(as_scored("toy/discrete+delay=8")).value == 100 > optimum("toy/discrete+delay=8").value
