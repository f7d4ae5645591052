"""A run from its plan to its end: what does not need workers to be seen."""

import pytest

from assay.conduct.phases import conduct, open_or_create
from assay.conduct.references import without_reward_axes
from assay.errors import AssayError
from assay.plans.make_plan import train_plan
from assay.plans.plan import plan_to_json
from assay.results import create
from assay.runs.local import Local
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
    assert str(without_reward_axes(task)) == scored


def test_an_agent_that_is_paid_late_can_reach_the_optimum_and_not_more():
    paid_at_once, paid_late = (
        optimum(without_reward_axes("toy/discrete+delay=8")),
        optimum("toy/discrete+delay=8"),
    )
    assert paid_at_once.value == pytest.approx(100) and paid_late.value < 99.9


def test_a_run_that_an_older_assay_planned_is_neither_joined_nor_resumed(tmp_path):
    plan = train_plan("tabular_q", "toy/discrete", seeds=1, settings={"steps": 1000})
    older = {name: value for name, value in plan_to_json(plan).items() if name != "version"}
    create(tmp_path / "run", older).close()
    says = r"run was planned by an older assay, and this one reads version 1; run it anew\.$"
    with pytest.raises(AssayError, match=says):
        open_or_create(plan, tmp_path / "run", ["assay"], tmp_path)
    with create(tmp_path / "other", older) as run, pytest.raises(AssayError, match="by an older assay"):
        conduct(run, Local(1))
