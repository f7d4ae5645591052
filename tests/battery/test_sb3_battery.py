"""Classes of Stable-Baselines3 in the battery: which are taken, and what is asked of them."""

import sys

import numpy as np
import pytest

from assay.battery.battery_tests import BY_NAME
from assay.battery.choose import choose_subject
from assay.battery.spaces import BETWEEN, TWO
from assay.battery.tasks import Asked
from assay.errors import AssayError

sb3 = pytest.importorskip("stable_baselines3")

SUBCLASS = """
from stable_baselines3 import DQN


class MyDQN(DQN):
    pass
"""


def exam(name):
    return BY_NAME[name].make(np.random.default_rng(0), Asked(0.99, 200))


@pytest.mark.parametrize(("name", "settings", "shape"), [
    ("PPO", {"steps": 32, "n_steps": 2, "batch_size": 32, "n_epochs": 1}, (6, 32)),
    ("DQN", {"steps": 40, "learning_starts": 20}, (6, 32)),
    ("TD3", {"steps": 40, "learning_starts": 20}, (6, 32)),
])  # fmt: skip
def test_a_class_is_trained_and_answers(name, settings, shape):
    subject, test = choose_subject(f"sb3:{name}", settings), BY_NAME["values"]
    (run,) = subject.run(test.way(subject.traits), [exam("values")], [0])
    assert run.shares.shape == shape
    assert ((run.shares >= 0) & (run.shares <= 1)).all()


def test_what_is_known_of_a_class_decides_which_tests_apply():
    ppo, dqn, sac = (choose_subject(f"sb3:{name}", {}).traits for name in ("PPO", "DQN", "SAC"))
    assert ppo.actions == (TWO, BETWEEN) and dqn.actions == (TWO,) and sac.actions == (BETWEEN,)
    assert ppo.replays and not dqn.replays and not sac.replays
    assert not ppo.draws and dqn.draws and not sac.draws
    assert ppo.frozen_target is None and dqn.frozen_target and sac.frozen_target == {"tau": 0.0}
    assert choose_subject("sb3:PPO", {"ent_coef": 0.0}).traits.draws


def test_a_subclass_of_the_users_is_found_by_its_module(tmp_path, monkeypatch):
    (tmp_path / "my_dqn_of_test.py").write_text(SUBCLASS)
    monkeypatch.syspath_prepend(str(tmp_path))
    subject = choose_subject("my_dqn_of_test:MyDQN", {"gamma": 0.95})
    assert subject.name == "my_dqn_of_test:MyDQN" and subject.traits.discount == 0.95
    sys.modules.pop("my_dqn_of_test")


@pytest.mark.parametrize(("name", "settings", "says"), [
    ("sb3:TRPO", {}, "sb3:TRPO is none of sb3:A2C"),
    ("sb3:PPO", {"speed": 1}, "no setting of sb3:PPO is called 'speed'"),
    ("sb3:PPO", {"gamma": "much"}, "gamma of sb3:PPO is a number"),
])  # fmt: skip
def test_what_is_no_class_or_no_setting_is_refused(name, settings, says):
    with pytest.raises(AssayError, match=says):
        choose_subject(name, settings)


def test_settings_that_the_class_refuses_are_an_error_in_a_sentence():
    subject, test = choose_subject("sb3:DQN", {"steps": 40, "learning_rate": "fast"}), BY_NAME["values"]
    with pytest.raises(AssayError, match="sb3:DQN raised"):
        subject.run(test.way(subject.traits), [exam("values")], [0])
