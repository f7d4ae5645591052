"""Both DQNs are trained alike, counted alike, and a ratio counts only where they learn the same."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from assay.agents.dqn import Config
from assay.agents.network import outputs
from assay.bench import dqn
from assay.cli import bench
from assay.cli.main import app
from assay.stats.aggregate import Interval


def side(low, high):
    return dqn.Side("some", 2, 1.0, 1.0, 1.0, Interval((low + high) / 2, low, high), [low, high])


def comparison(theirs_low, theirs_high, setting=("batch", 32, 32)):
    ours, theirs = side(90.0, 95.0), side(theirs_low, theirs_high)
    work = dqn.work_of(Config(), ours, 1e11)
    agree = dqn.overlap(ours.score, theirs.score)
    return dqn.Comparison(ours, work, [dqn.Setting(*setting)], theirs, agree, 7.0)


def test_a_ratio_counts_where_intervals_overlap_and_settings_are_equal():
    assert comparison(94.0, 99.0).counts
    assert not comparison(96.0, 99.0).counts
    assert not comparison(-math.inf, math.inf).counts
    assert not comparison(94.0, 99.0, ("batch", 32, 64)).counts


def test_the_verdict_says_when_the_ratio_does_not_count():
    assert "does not count" not in bench.verdict(comparison(94.0, 99.0))
    assert "do not overlap, so this does not count" in bench.verdict(comparison(96.0, 99.0))
    assert "settings differ" in bench.verdict(comparison(94.0, 99.0, ("batch", 32, 64)))
    assert "train more" in bench.verdict(comparison(-math.inf, math.inf))


def test_products_are_counted_by_hand():
    # 8 -> 256 -> 256 -> 8: 139,264 FLOP forward for a row, 135,168 above the first layer.
    work = dqn.work_of(Config(), side(90.0, 95.0), 1e11)
    assert work.as_written == 20_000 * 139_264 + 4750 * 32 * (3 * 139_264 + 135_168)
    assert work.done == 8 * 135_168 * (5000 + 100 + 2 * 4750)
    assert work.share_done == pytest.approx(work.done / 1e11)  # at a second for each seed


def test_it_stops_at_steps_that_no_training_has():
    for steps, says in (("2500", "1000 or a multiple of it"), ("1000", "where learning starts")):
        done = CliRunner().invoke(app, ["bench", "dqn", "--steps", steps])
        assert done.exit_code == 2 and says in done.stderr


def test_without_stable_baselines3_ours_stands_alone():
    alone = comparison(94.0, 99.0)._replace(theirs=None, agree=None, ratio=None)
    assert "not installed" in bench.verdict(alone) and not alone.counts


def test_their_network_read_into_ours_gives_their_values():
    torch = pytest.importorskip("torch")
    pytest.importorskip("stable_baselines3")
    model = dqn.their_dqn(Config(), seed=3)
    params = dqn.as_our_params(model)
    found = outputs(params, np.eye(8, dtype=np.float32))
    wanted = model.q_net.q_net(torch.eye(8)).detach().numpy()
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_small_comparison_from_the_command_line():
    pytest.importorskip("stable_baselines3")
    words = ["bench", "dqn", "--seeds", "2", "--their-seeds", "1", "--steps", "2000", "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["dqn"]
    assert all(setting["ours"] == setting["theirs"] for setting in found["settings"])
    assert found["ours"]["seeds"] == 2 and found["theirs"]["seeds"] == 1
    assert found["ratio"] > 1 and found["agree"] is None and not found["counts"]
    assert 0 < found["work"]["share_done"] < found["work"]["share_as_written"]
