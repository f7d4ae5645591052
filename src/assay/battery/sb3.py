"""Classes of Stable-Baselines3 in the battery, and the user's subclasses of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.battery.gym_table import TableEnv
from assay.battery.outside import number_given, strange_rows
from assay.battery.spaces import BETWEEN, TWO
from assay.battery.subject import Run, Traits, Way
from assay.battery.table import Exam, Question
from assay.battery.tasks import SHORTER
from assay.errors import AssayError, NotApplicable, UnknownName
from assay.interop.agents import FAILURES, blame
from assay.task_text import Value, unknown_name_error

DRAWS = 32
LANES = 16  # of an agent that learns from rollouts
CLASSES = ("DDPG", "TD3", "SAC", "DQN", "PPO", "A2C")  # a subclass before the class that it is one of
ROLLOUTS = ("PPO", "A2C")  # classes that learn from rollouts of several envs
DRAWING = ("PPO", "A2C", "SAC")  # classes whose policies draw actions
ACTS = {"DQN": (TWO,), "PPO": (TWO, BETWEEN), "A2C": (TWO, BETWEEN)}  # of the others (BETWEEN,)
# As in `own_settings.py`: small networks and short trainings.
OFF_POLICY = {"learning_starts": 400, "batch_size": 32, "gamma": 0.99}
CONTINUOUS = {
    **OFF_POLICY, "steps": 6000, "learning_rate": 2e-3, "buffer_size": 1500, "tau": 0.05,
    "learning_starts": 1500, "train_freq": 1, "gamma": 0.95,
}  # fmt: skip
ROLLING = {"gamma": 0.99, "gae_lambda": 0.95, "n_steps": 64, "steps": 40_960}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "DQN": {
        **OFF_POLICY, "steps": 8000, "learning_rate": 2e-3, "buffer_size": 2000, "train_freq": 2,
        "target_update_interval": 80, "exploration_fraction": 0.5, "exploration_final_eps": 0.1,
    },
    "PPO": {**ROLLING, "learning_rate": 2e-3, "ent_coef": 0.1, "batch_size": 256, "n_epochs": 4},
    "A2C": {**ROLLING, "learning_rate": 3e-3, "ent_coef": 0.02, "n_steps": 16, "steps": 81_920},
    "SAC": {**CONTINUOUS, "ent_coef": "auto_0.01"},
    "TD3": CONTINUOUS,
    "DDPG": CONTINUOUS,
}  # fmt: skip
NOISE = 1.0  # standard deviation on the actions of TD3 and DDPG, in training; 1 is half their range


def class_named(name: str) -> type:
    """The class of Stable-Baselines3 with this name."""
    library = stable_baselines3()
    if name not in CLASSES:
        raise UnknownName(f"sb3:{name} is none of sb3:{', sb3:'.join(sorted(CLASSES))}; write one of these.")
    found: type = getattr(library, name)
    return found


def stable_baselines3() -> Any:
    try:
        import stable_baselines3
    except ImportError:
        raise NotApplicable(
            "this agent needs PyTorch and Stable-Baselines3, which are not installed; "
            'pip install "rl-assay[sb3]".'
        ) from None
    return stable_baselines3


def kind_of(model: type) -> str:
    """The class of the library that a class is, or is derived from; "" where it is none."""
    library = stable_baselines3()
    return next((name for name in CLASSES if issubclass(model, getattr(library, name))), "")


class Sb3Subject:
    """A class of Stable-Baselines3 that is trained on one table after another."""

    def __init__(self, name: str, model: type, given: Mapping[str, Value], continuous: bool = False):
        self.name, self._model, self._kind, self.at_once = name, model, kind_of(model), 1
        if not self._kind:
            raise NotApplicable(
                f"{name} is derived from none of {', '.join(sorted(CLASSES))}; give one that is."
            )
        known = inspect.signature(getattr(stable_baselines3(), self._kind)).parameters
        for setting in given:
            if setting not in known and setting != "steps":
                raise unknown_name_error("setting", setting, list(known), where=name, see="its own page")
        self._settings = {**SETTINGS[self._kind], **given}
        self._steps = int(number_given(name, self._settings, "steps", 0))
        del self._settings["steps"]
        can = ACTS.get(self._kind, (BETWEEN,))
        if continuous and BETWEEN not in can:
            raise NotApplicable(f"--continuous is not for {name}, whose actions are numbered; leave it out.")
        paid = self._settings.get("ent_coef")
        replays = "" if "buffer_size" in self._settings else "it keeps no replay"
        self.traits = Traits(
            discount=number_given(name, self._settings, "gamma", 0.99),
            steps=self._steps,
            actions=(BETWEEN, *(acts for acts in can if acts != BETWEEN)) if continuous else can,
            n_step=int(self._settings.get("n_steps", 1)) if self._kind not in ROLLOUTS else 1,
            replays=replays,
            settles="its actor seldom leaves a bound" if self._kind in ("TD3", "DDPG") else "",
            draws="" if self._kind in DRAWING and paid else "it is not paid for the entropy of its policy",
            frozen_target=self._frozen_target(),
            shorter_discount={"gamma": SHORTER} if self._kind not in ROLLOUTS else None,
            normalising={},
        )

    def _frozen_target(self) -> dict[str, Any] | None:
        if self._kind in ROLLOUTS:
            return None
        return {"target_update_interval": 10**9} if self._kind == "DQN" else {"tau": 0.0}

    def run(self, way: Way, exams: Sequence[Exam], seeds: Sequence[int]) -> list[Run]:
        with one_thread():
            return [self._run_one(way, exam, seed) for exam, seed in zip(exams, seeds)]

    def _run_one(self, way: Way, exam: Exam, seed: int) -> Run:
        settings = {**self._settings, **dict(way.settings)}
        try:
            model = self._new_model(way, exam, seed, settings)
            model.learn(self._steps)
            shares = np.stack([self._answers(model, way, exam, question) for question in exam.questions])
            if not way.detour:
                return Run(shares)
            for rows in np.split(strange_rows(seed), 250):
                model.predict(rows, deterministic=True)
            after = np.stack([self._answers(model, way, exam, question) for question in exam.questions])
            return Run(shares, after)
        except FAILURES as error:
            raise AssayError(
                f"{self.name} raised {blame(error)}, while it trained with seed {seed}."
            ) from error

    def _new_model(self, way: Way, exam: Exam, seed: int, settings: Mapping[str, Any]) -> Any:
        from stable_baselines3.common.noise import NormalActionNoise
        from stable_baselines3.common.vec_env import DummyVecEnv

        lanes = LANES if self._kind in ROLLOUTS else 1
        env = DummyVecEnv([lambda: TableEnv(exam.table, way.acts)] * lanes)
        more = dict(settings)
        more.setdefault("policy_kwargs", {"net_arch": [32, 32]})
        if self._kind in ("TD3", "DDPG"):
            more.setdefault("action_noise", NormalActionNoise(np.zeros(1), NOISE * np.ones(1)))
        return self._model("MlpPolicy", env, seed=seed, device="cpu", verbose=0, **more)

    def _answers(self, model: Any, way: Way, exam: Exam, question: Question) -> npt.NDArray[np.float32]:
        """The shares of the second action in some answers, (DRAWS,)."""
        row = exam.table.rows[exam.table.look[question.path[-1]]]
        # DQN strays where it is not asked for its best action.
        drawn = self._kind in DRAWING
        actions = np.asarray(model.predict(np.tile(row, (DRAWS, 1)), deterministic=not drawn)[0], "float32")
        flat: npt.NDArray[np.float32] = actions.reshape(DRAWS)
        return (flat + np.float32(1)) / np.float32(2) if way.acts == BETWEEN else flat


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch on one core: networks this small are slower on several."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
