"""Variations of any task whose names say what they act on, beyond those that the catalogue lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.core.axis import Axis
from assay.variations.action_matrix import RESTRICTED, restricted_axis
from assay.variations.concealment import HIDE, MASK, TORCH, hide_axis, mask_axis, torch_axis

# Beginning of the name -> its axis.
PATTERNS: Mapping[str, Callable[[str], Axis]] = {
    RESTRICTED: restricted_axis,
    MASK: mask_axis,
    f"{TORCH}.": torch_axis,
    HIDE: hide_axis,
}


def named_axis(name: str) -> Axis | None:
    """The axis so named, or None; a name that begins as one of them and goes on wrongly is refused."""
    for beginning, make in PATTERNS.items():
        if name.startswith(beginning):
            return make(name)
    return None
