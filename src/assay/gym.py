"""Registers assay in Gymnasium under one id for all tasks, whose texts are no valid ids there:

    gymnasium.make("assay.gym:assay/Task-v0", task="toy/discrete+delay=4")

Gymnasium imports the module before the colon and then expects the id, so importing this module registers it.
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
