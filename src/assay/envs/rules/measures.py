"""How an episode of hidden rules ended. No jax here."""

from __future__ import annotations

import math
from operator import attrgetter

from assay.envs.measure import DIFFERENCE, Measure

COUNT = (0.0, math.inf)

MEASURES = (
    Measure("errors", attrgetter("errors"), "errors", gap=DIFFERENCE, range=COUNT),
    Measure("cleared", attrgetter("cleared"), "cleared", digits=3, range=(0.0, 1.0)),
    Measure("stalemate", attrgetter("stalemate"), "stalemate", digits=3, range=(0.0, 1.0)),
    Measure("attempts", attrgetter("attempts"), "attempts", gap=DIFFERENCE, range=COUNT),
    Measure("pieces_left", attrgetter("pieces_left"), "pieces left", gap=DIFFERENCE, range=COUNT),
)
