"""What one drift carries into the next: episodes that are over by then, though not in the control."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Lives(NamedTuple):
    """The scores of both arms, (units, episodes, steps) each; NaN after the end of an episode."""

    drifted: np.ndarray
    control: np.ndarray

    def lasting(self, drift: int) -> np.ndarray:
        """(units, episodes) whether the control's episode goes on at a drift."""
        going: np.ndarray = np.isfinite(self.control[:, :, drift:]).any(axis=-1)
        return going

    def carried(self, drift: int) -> np.ndarray:
        """(units, episodes) whether an episode was over before a drift, and its control was not."""
        over: np.ndarray = ~np.isfinite(self.drifted[:, :, drift:]).any(axis=-1)
        carried: np.ndarray = self.lasting(drift) & over
        return carried

    def set_aside(self, carried: np.ndarray) -> np.ndarray:
        """(units, steps) the drifted scores as if carried episodes were their controls, and lost nothing."""
        kept = np.where(carried[..., None], self.control, self.drifted)
        scores: np.ndarray = np.nan_to_num(kept).mean(axis=1)
        return scores
