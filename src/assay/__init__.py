"""assay: the exam for reinforcement-learning agents.

    env  = assay.make("toy/discrete+delay=4")            # gymnasium.Env, seeded by reset(seed=)
    venv = assay.make_vec("toy/discrete", num_envs=64)   # gymnasium.vector.VectorEnv
    jenv = assay.make_jax("toy/discrete")                # pure: reset(key), step(key, world, action)

    result = assay.examine("tabular_q", "toy/discrete", axes=["transition_noise"], seeds=5, steps=2000)
    result.verdicts, result.table(), result.frame()      # in a notebook `result` shows its report

Importing assay imports neither jax nor gymnasium; each is loaded when first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import assay.chance
import assay.suites
import assay.variations  # noqa: F401 - all three load nothing; see below
from assay.lazy import door

__version__ = "0.1.0"

if TYPE_CHECKING:  # what is loaded when first needed, for type checkers and editors
    from assay.catalogue import suite
    from assay.chance.of_task import Chance
    from assay.core.axis import Axis
    from assay.core.variation import Channel, Field, Inner
    from assay.door.drift import DriftResult, drift
    from assay.door.exams import check, examine, executor_of, open_run, train
    from assay.door.run_result import RunResult
    from assay.door.shift import ShiftResult, shift
    from assay.door.unit_test import UnitTestResult, unit_test
    from assay.errors import AssayError
    from assay.interop.experiments.experiment import Experiment, from_playground_experiment
    from assay.interop.gymnasium import make
    from assay.interop.kage import from_kage, to_kage
    from assay.interop.play import play
    from assay.interop.playground import from_playground
    from assay.interop.policy import Policy
    from assay.interop.sb3_vec_env import make_sb3
    from assay.interop.stori import from_stori
    from assay.interop.vector import make_vec
    from assay.native import make_jax
    from assay.suites.suite import Pair, Suite
    from assay.task_text import TaskText
    from assay.tasks import optimum, task

_DOOR = {
    "examine": "assay.door.exams",
    "train": "assay.door.exams",
    "check": "assay.door.exams",
    "open_run": "assay.door.exams",
    "RunResult": "assay.door.run_result",
    "drift": "assay.door.drift",
    "DriftResult": "assay.door.drift",
    "shift": "assay.door.shift",
    "ShiftResult": "assay.door.shift",
    "unit_test": "assay.door.unit_test",
    "UnitTestResult": "assay.door.unit_test",
    "executor_of": "assay.door.exams",
    "Chance": "assay.chance.of_task",
    "Channel": "assay.core.variation",
    "Inner": "assay.core.variation",
    "Field": "assay.core.variation",
    "Axis": "assay.core.axis",
    "Suite": "assay.suites.suite",
    "Pair": "assay.suites.suite",
    "make": "assay.interop.gymnasium",
    "make_vec": "assay.interop.vector",
    "make_sb3": "assay.interop.sb3_vec_env",
    "make_jax": "assay.native",
    "Policy": "assay.interop.policy",
    "play": "assay.interop.play",
    "from_playground": "assay.interop.playground",
    "from_playground_experiment": "assay.interop.experiments.experiment",
    "Experiment": "assay.interop.experiments.experiment",
    "from_kage": "assay.interop.kage",
    "to_kage": "assay.interop.kage",
    "from_stori": "assay.interop.stori",
    "task": "assay.tasks",
    "optimum": "assay.tasks",
    "suite": "assay.catalogue",
    "AssayError": "assay.errors",
}
__all__ = [
    "AssayError",
    "Axis",
    "Chance",
    "Channel",
    "DriftResult",
    "Experiment",
    "Field",
    "Inner",
    "Pair",
    "Policy",
    "RunResult",
    "ShiftResult",
    "Suite",
    "UnitTestResult",
    "__version__",
    "chance",
    "check",
    "drift",
    "examine",
    "executor_of",
    "from_kage",
    "from_playground",
    "from_playground_experiment",
    "from_stori",
    "make",
    "make_jax",
    "make_sb3",
    "make_vec",
    "open_run",
    "optimum",
    "play",
    "shift",
    "suite",
    "suites",
    "task",
    "to_kage",
    "train",
    "unit_test",
    "variations",
]


# Three public functions share their names with folders. Python binds a subpackage to its parent once, when it
# is first imported: that happens above, so these definitions stay.
def variations(env: str) -> tuple[Axis, ...]:
    """Every axis of an env: its own first, then those of any task."""
    from assay.catalogue import variations

    return variations(env)


def suites() -> tuple[Suite, ...]:
    """Every suite."""
    from assay.catalogue import suites

    return suites()


def chance(task: str | TaskText, *, samples: int = 0, seed: int = 0) -> Chance:
    """How much of a task is left to chance or hidden, exactly where it can be: bits, drift and optima.

    With `samples`, what is not known exactly is estimated from so many steps of random play, where states
    can be counted. `seed` is that of random play and of simulated bounds.

        assay.chance("toy/discrete+action.random=0.3").action.bits
        assay.chance("toy/discrete+hidden_mode=0.05").best.beliefs
    """
    from assay.chance.of_task import chance

    return chance(task, samples=samples, seed=seed)


__getattr__ = door(__name__, _DOOR)


def __dir__() -> list[str]:
    return sorted(__all__)
