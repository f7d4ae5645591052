"""assay: the exam for reinforcement-learning agents.

    env  = assay.make("toy/discrete+delay=4")            # gymnasium.Env, seeded by reset(seed=)
    venv = assay.make_vec("toy/discrete", num_envs=64)   # gymnasium.vector.VectorEnv
    jenv = assay.make_jax("toy/discrete")                # pure: reset(key), step(key, world, action)

Importing assay imports neither jax nor gymnasium; each is loaded when first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import assay.suites
import assay.variations  # noqa: F401 - both are empty; see below

__version__ = "0.1.0"

_DOOR = {
    "make": "assay.interop.gymnasium",
    "make_vec": "assay.interop.vector",
    "make_jax": "assay.native",
    "Policy": "assay.interop.policy",
    "from_playground": "assay.interop.playground",
    "from_kage": "assay.interop.kage",
    "to_kage": "assay.interop.kage",
    "task": "assay.tasks",
    "optimum": "assay.tasks",
    "suite": "assay.catalogue",
    "AssayError": "assay.errors",
}
__all__ = [*_DOOR, "variations", "suites", "__version__"]


# Two public functions share their names with folders. Python binds a subpackage to its parent once, when it
# is first imported: that happens above, so these definitions stay.
def variations(env: str) -> tuple:
    """Every axis of an env: its own first, then those of any task."""
    from assay.catalogue import variations

    return variations(env)


def suites() -> tuple:
    """Every suite."""
    from assay.catalogue import suites

    return suites()


def __getattr__(name: str) -> Any:
    if name not in _DOOR:
        raise AttributeError(
            f"module 'assay' has no attribute {name!r}; it offers {', '.join(sorted(__all__))}."
        )
    return getattr(import_module(_DOOR[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
