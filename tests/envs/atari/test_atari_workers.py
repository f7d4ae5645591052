"""Lanes in processes of their own: alike, and none left behind whatever happens."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import assay
from assay.errors import AssayError, NotApplicable
from assay.interop.worker_vector import WorkerDied

pytest.importorskip("ale_py")

TASK = "atari/Pong+lazy_enemy+observation=gray84+max_frames=160"


def is_alive(pid):
    return os.path.exists(f"/proc/{pid}")


@pytest.mark.parametrize("autoreset", ["next-step", "same-step", "disabled"])
def test_workers_play_what_one_process_plays(autoreset):
    one = assay.make_vec(TASK, 3, autoreset=autoreset, workers=0)
    two = assay.make_vec(TASK, 3, autoreset=autoreset, workers=2)
    rng, ended = np.random.default_rng(0), 0
    for first, second in zip(one.reset(seed=5)[0], two.reset(seed=5)[0]):
        assert np.array_equal(first, second)
    for _ in range(100):
        actions = rng.integers(0, 6, 3)
        a, b = one.step(actions), two.step(actions)
        assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4]))
        assert np.array_equal(a[4]["ram"], b[4]["ram"]) and np.array_equal(a[4]["score"], b[4]["score"])
        over = a[2] | a[3]
        ended += over.sum()
        if over.any() and autoreset == "same-step":
            assert [each is not None for each in b[4]["final_obs"]] == over.tolist()
        if over.any() and autoreset == "disabled":
            with pytest.raises(AssayError, match="has ended"):
                two.step(actions)
            one.reset(options={"reset_mask": over}), two.reset(options={"reset_mask": over})
    assert ended >= 6
    one.close(), two.close()


def test_lane_i_is_make_of_seed_plus_i():
    lanes = assay.make_vec(TASK, 2, workers=2)
    lanes.reset(seed=7)
    single = assay.make(TASK)
    single.reset(seed=8)
    for action in (2, 3, 1) * 5:
        assert np.array_equal(lanes.step([action, action])[0][1], single.step(action)[0])
    lanes.close()


def test_a_worker_that_dies_is_told_and_replaced():
    lanes = assay.make_vec(TASK, 2, workers=2)
    lanes.reset(seed=3)
    dead = lanes.workers[1].process.pid
    os.kill(dead, signal.SIGKILL)
    with pytest.raises(WorkerDied, match=r"lanes 1 to 1 of atari/Pong.*\(seeds 4\) ended with signal 9"):
        lanes.step([0, 0])
    with pytest.raises(WorkerDied, match=r"lanes 1 of atari/Pong.* were started again; call reset\(\)"):
        lanes.step([0, 0])
    observation, _ = lanes.reset(seed=3)
    fresh = assay.make(TASK)
    assert np.array_equal(observation[1], fresh.reset(seed=4)[0])
    pids = [worker.process.pid for worker in lanes.workers]
    assert dead not in pids
    lanes.close()
    assert not any(map(is_alive, pids))


def test_workers_end_with_their_parent():
    code = (
        "import assay, time; "
        "v = assay.make_vec('atari/Pong+observation=ram', 2, workers=2); v.reset(seed=0); "
        "print(*[w.process.pid for w in v.workers], flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pids = list(map(int, parent.stdout.readline().split()))
    assert len(pids) == 2 and all(map(is_alive, pids))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 20
    while any(map(is_alive, pids)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(is_alive, pids))


def test_what_a_reward_of_yours_raises_reaches_you(tmp_path, monkeypatch):
    (tmp_path / "mine_in_workers.py").write_text(
        "def broken(before, action, after):\n    raise KeyError('no such cell')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    lanes = assay.make_vec('atari/Pong+rewards=["mine_in_workers:broken"]', 2, workers=2)
    lanes.reset(seed=0)
    with pytest.raises(AssayError, match="no such cell"):
        lanes.step([0, 0])
    lanes.close()


def test_bad_numbers_of_workers():
    with pytest.raises(AssayError, match="workers is a whole number"):
        assay.make_vec(TASK, 2, workers=-1)
    with pytest.raises(NotApplicable, match="workers is for games"):
        assay.make_vec("gym/CartPole-v1", 2, workers=2)
    with pytest.raises(AssayError):
        assay.make_vec("atari/Nothing", 2)


@pytest.mark.parametrize("workers", [0, 1])
def test_observations_are_the_callers_to_keep(workers):
    """They lie where workers wrote them, and nobody writes there while they or a part of them are held."""
    lanes = assay.make_vec("atari/Pong+observation=ram+max_frames=40", 2, workers=workers)
    held, copies = [lanes.reset(seed=0)[0]], []
    copies.append(held[0].copy())
    for step in range(12):
        seen = lanes.step([step % 6] * 2)[0]
        copies.append(seen.copy())
        held.append(seen[1:] if step % 2 else memoryview(seen))
        del seen
    assert np.array_equal(held[0], copies[0])
    for step, (part, whole) in enumerate(zip(held[1:], copies[1:])):
        assert np.array_equal(np.asarray(part), whole[1:] if step % 2 else whole)
    own = lanes.step([0, 0])[0]
    own[:] = 0  # also to write in
    assert lanes.step([0, 0])[0].any() and not own.any()
    lanes.close()
    assert np.array_equal(held[0], copies[0])


def test_observations_that_are_let_go_are_not_copied():
    lanes = assay.make_vec("atari/Pong+observation=ram", 2, workers=1)
    seen = lanes.reset(seed=0)[0]
    places = set()
    for _ in range(20):
        seen = lanes.step([0, 0])[0]
        places.add(seen.ctypes.data)
    assert len(places) <= 2
    lanes.close()
