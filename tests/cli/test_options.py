"""Options that a plan has no use for are refused, and a dry run plays an agent as a run does."""

from pathlib import Path

import pytest
from calling import CARTPOLE, one_sentence, run, works

pytestmark = pytest.mark.usefixtures("here")
SMOOTH = """
class Smooth:
    def reset(self):
        self.last = None

    def act(self, observation):
        mean = observation if self.last is None else (observation + self.last) / 2
        self.last = observation
        return int(mean[2] + 0.3 * mean[3] > 0)
"""


@pytest.mark.parametrize("words, says", [
    (["--retrain"], "--retrain is for agents that are trained, and verbs_mine:act is tried as it is."),
    (["--levels", "all"], "--levels all is for agents that are trained, and verbs_mine:act is tried as it "
                          "is."),
    (["--trust"], "--trust is for checkpoints of Stable-Baselines3, such as sb3:model.zip; "
                  "verbs_mine:act is none."),
    (["--unproved"], "--unproved is for variations of your own, such as mine:blink, and there is none."),
])  # fmt: skip
def test_an_option_without_a_use_is_refused(words, says):
    asked = run("examine", "verbs_mine:act", CARTPOLE, "--axes", "action.sticky", *words, "--dry-run")
    assert one_sentence(asked) == says


@pytest.mark.parametrize("words, says", [
    (["--parts", "elsewhere"], "--parts needs --ray; without --ray all files go into the run's folder."),
    (["--job-timeout", "0"], "--job-timeout takes seconds above 0, not 0."),
])  # fmt: skip
def test_how_jobs_are_done_is_checked_before_a_run_is_made(words, says):
    asked = run("train", "tabular_q", "toy/discrete", "--seeds", "1", "--out", "unmade", *words)
    assert one_sentence(asked) == says and not Path("unmade").exists()


def test_a_dry_run_resets_the_agent_before_it_acts():
    Path("smooth.py").write_text(SMOOTH)
    told = works("examine", "smooth:Smooth", CARTPOLE, "--axes", "action.sticky", "--dry-run")
    assert "measured just now" in told
