"""Functions of the user's own that a task's text names as module:function. No jax here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from assay.errors import AssayError, WrongLevel


def import_function(text: str, label: str, missing: type[AssayError] = WrongLevel) -> Callable[..., Any]:
    """The function that `text` names.

    Errors call it by `label`. An error of the kind `missing` says that it cannot be imported.
    """
    module, _, name = text.partition(":")
    try:
        function: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise missing(f"{label} cannot be imported ({error}); write module:function.") from None
    if not callable(function):
        raise WrongLevel(f"{label} names a {type(function).__name__}; name a function.")
    return function
