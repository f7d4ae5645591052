"""The page of the paper's experiment, from made-up findings."""

import importlib.util
import json
from pathlib import Path

from assay.analysis.difficulty import judge_difficulty
from assay.analysis.episode_errors import ErrorRun, Played
from assay.report.difficulty_tables import as_json

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gohr_results.py"
MEDIANS = {"shape_match": 355, "clockwise": 379, "b23_then_b01": 222, "b3_then_b1": 400}


def load():
    spec = importlib.util.spec_from_file_location("gohr_results", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def found():
    """Nine runs a rule, a few errors around the median; the second episode is clean."""
    played = [
        Played(f"rules/{rule}", f"linear_q actions={actions}", tuple(
            ErrorRun(seed, (median + seed - 4.0, 0.0), (True, True)) for seed in range(9)
        ))
        for actions in ("all", "occupied")
        for rule, median in MEDIANS.items()
    ]  # fmt: skip
    return json.loads(json.dumps(as_json(judge_difficulty(played, draws=100))))


def test_the_page_says_what_agrees_and_what_does_not(tmp_path):
    script = load()
    (tmp_path / "run.json").write_text(json.dumps({"plan": {"settings": {"memory": 1000, "actions": "all"}}}))
    page = script.page(found(), [tmp_path, tmp_path], 9)
    assert "`memory=1000`" in page and "actions=all`" not in page.partition("## ")[0]
    # With all actions b3_then_b1 is 83% above the prototype, the other three are on it.
    assert "3 of 4 medians lie within 20% of the prototype's." in page
    assert "| `b3_then_b1` | 400 |" in page and "219 (+83%)" in page
    assert "`b3_then_b1` over `clockwise` p =" in page and "this agrees" in page
    assert "36 of 36 runs still made errors" in page
