"""Where the code of a Gymnasium env lies."""

from __future__ import annotations

from importlib import import_module

import gymnasium


def modules_of(name: str) -> list[str]:
    """The module that registers `gym/module:Env-v0`, and the one that Gymnasium's registry names."""
    module, _, id = name.removeprefix("gym/").rpartition(":")
    try:
        if module:
            import_module(module)
        point = gymnasium.spec(id).entry_point
    except (gymnasium.error.Error, ImportError):  # making the env says what is wrong
        point = None
    where = point.partition(":")[0] if isinstance(point, str) else getattr(point, "__module__", "")
    return [each for each in (module, where) if each]
