"""A schedule at an axis that is tried is refused, with the place where it belongs."""

import pytest

from assay.errors import NotApplicable
from assay.plans.scheduled_axis import require_no_schedule
from tests.cli.calling import one_sentence, run


@pytest.mark.parametrize("arguments", [
    ("examine", "random", "toy/discrete", "--axes", "action.random@sudden:100"),
    ("sweep", "random", "toy/discrete", "--axis", "action.random=0.2:0.8:0.3@sudden:100"),
])  # fmt: skip
def test_a_schedule_belongs_in_the_task(arguments):
    said = one_sentence(run(*arguments, "--dry-run"))
    assert "has a schedule" in said and "write it in the task, as in +action.random=LEVEL@sudden:100" in said


def test_names_and_levels_without_a_schedule_pass():
    for written in ("action.random", "mine:blink", "delay=1,2,4", 'x="a@b.json"', "hue=0:180:20"):
        require_no_schedule(written)
    with pytest.raises(NotApplicable, match=r"as in \+a=LEVEL@cyclic:5:life"):
        require_no_schedule("a=1,2@cyclic:5:life")
