"""Wrong holds where seeds fail wholly: they grow with the number of axes, as the arithmetic says."""

import runpy
from pathlib import Path

import numpy as np
import pytest

CODE = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "unseen_failures.py"))


def test_more_axes_hold_wrongly_more_often():
    assert CODE["some_axis_without"](1, 0.15, 10) == pytest.approx(0.85**10)
    assert CODE["some_axis_without"](8, 0.15, 10) == pytest.approx(0.827, abs=0.001)
    one, eight = (CODE["wrong_exams"](axes, 0.15, 10, 60, np.random.default_rng(0)) for axes in (1, 8))
    assert one < 0.4 < 0.55 < eight
