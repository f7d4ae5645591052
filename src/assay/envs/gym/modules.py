"""The modules that hold the code of a Gymnasium env."""

from __future__ import annotations

from importlib import import_module

import gymnasium


def modules_of(name: str) -> list[str]:
    """The module that registers `gym/module:Env-v0`, and the one that Gymnasium's registry names."""
    module, _, id = name.removeprefix("gym/").rpartition(":")
    try:
        if module:
            import_module(module)
        entry_point = gymnasium.spec(id).entry_point
    except (gymnasium.error.Error, ImportError):  # `build` tells what is wrong
        entry_point = None
    if isinstance(entry_point, str):
        source = entry_point.partition(":")[0]
    else:
        source = getattr(entry_point, "__module__", "")
    return [each for each in (module, source) if each]
