"""A small part of benchmarks/planted.py: agents with planted weaknesses, and how often a report is wrong."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

SCRIPT = Path(__file__).parent.parent.parent / "benchmarks" / "planted.py"
spec = importlib.util.spec_from_file_location("planted", SCRIPT)
planted = importlib.util.module_from_spec(spec)
spec.loader.exec_module(planted)
EXAMS = 20


def seldom(share, exams=EXAMS):
    """At a true rate of 5% a fresh seed fails once in 1,000 times."""
    return stats.binom.sf(round(share * exams) - 1, exams, 0.05) > 1e-3


@pytest.mark.parametrize(
    "name", ["seeds, normal", "episodes, rare failures", "episodes, won or lost, range known"]
)
def test_words_are_seldom_wrong(name):
    false_breaks, false_holds, missed, *_ = planted.judged(
        planted.KINDS[name](), np.random.default_rng(5), 10, EXAMS
    )
    assert seldom(false_breaks) and seldom(false_holds) and seldom(missed)


def test_an_agent_seldom_differs_from_itself():
    kind = planted.KINDS["seeds, noisy random play"]()
    assert seldom(planted.equals(kind, np.random.default_rng(6), 10, EXAMS))


def test_planted_losses_are_found():
    *_, found, _ = planted.judged(planted.KINDS["seeds, normal"](), np.random.default_rng(7), 10, EXAMS)
    assert found >= 0.5
