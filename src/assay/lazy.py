"""Doors: modules that offer names and load what stands behind each when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def door(module: str, offers: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a module that offers names of others: {"iqm": "assay.stats.aggregate"}."""

    def load(name: str) -> Any:
        if name not in offers:
            known = ", ".join(sorted(offers))
            raise AttributeError(f"module {module!r} has no attribute {name!r}; it offers {known}.")
        return getattr(import_module(offers[name]), name)

    return load
