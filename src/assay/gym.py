"""Tells Gymnasium of assay. One id for every task, for Gymnasium's ids admit no second `/`, no `+`, no `=`:

    gymnasium.make("assay.gym:assay/Task-v0", task="toy/discrete+delay=4")

Gymnasium imports the module before the colon and expects the id to be there; so importing this one registers.
"""

from __future__ import annotations

import gymnasium

ID = "assay/Task-v0"


def register() -> None:
    """Registers `assay/Task-v0`; calling it again changes nothing."""
    if ID not in gymnasium.registry:
        gymnasium.register(
            ID,
            entry_point="assay.interop.gymnasium:make_registered",
            vector_entry_point="assay.interop.vector:make_vec_registered",
        )


register()
