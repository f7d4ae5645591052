"""Episodes that the plan's limit ended: their share per axis, and a caution where scores are capped."""

import gymnasium
import numpy as np
import pytest

from assay.analysis.findings import find
from assay.conduct.phases import conduct, open_or_create
from assay.plans.make_plan import exam_plan
from assay.report.attribution import cautions, cuts
from assay.report.markdown import markdown
from assay.report.page import page
from assay.runs.local import Local

AGENT = "def act(observation):\n    return 1\n"


class Waiting(gymnasium.Env):
    """Ends by action 0 alone, pays 1 a step."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.np_random.random(1).astype(np.float32), {}

    def step(self, action):
        return np.ones(1, np.float32), 1.0, action == 0, False, {}


@pytest.fixture
def exam(tmp_path, monkeypatch):
    (tmp_path / "waits.py").write_text(AGENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    gymnasium.register("AssayWaiting-v0", Waiting, disable_env_checker=True)
    plan = exam_plan("waits:act", "gym/AssayWaiting-v0", only=("action.random",), episodes=6, max_steps=40)
    with open_or_create(plan, tmp_path / "run", ["assay"], tmp_path) as run:
        assert conduct(run, Local(1)) == []
        yield find(run)
    del gymnasium.registry["AssayWaiting-v0"]


def test_the_page_says_how_many_episodes_were_cut(exam):
    assert exam.plain_cut == 1.0 and exam.cut_after == 40
    (finding,) = exam.findings
    assert 0 <= finding.cut < 1
    assert (
        "100% of plain episodes were cut after 40 steps, so scores are capped (--max-steps raises that)"
        in (cautions(exam))
    )
    ((_, told),) = cuts(exam)
    assert "the plain task 100%" in told and f"action.random {finding.cut:.0%}" in told
    assert "scores are capped" in page(exam) and told in markdown(exam)
