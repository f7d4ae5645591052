"""A pixel agent that comes trained: the policy of `ppo` on the plain platformer, with its weights shipped.

`benchmarks/ship_weights.py` makes the file and sets its digest.
"""

from __future__ import annotations

from assay.agents.ppo_shipped import trained_agent
from assay.agents.shipped import FOLDER, Shipped
from assay.core.space import Box, Discrete

NAME = "ppo-platformer"
PICTURE, ACTIONS = Box(0, 255, (128, 128, 3), "uint8"), Discrete(8)
DIGEST = "4c26a9de19f3ed555d075e0a1b2c64253e3925f95ff15f1b54884389a6177fed"
WEIGHTS = Shipped(FOLDER / "ppo_platformer.npz", DIGEST)
AGENT = trained_agent(NAME, WEIGHTS, PICTURE, ACTIONS)
