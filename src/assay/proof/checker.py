"""What proves the axes of a family: the interface between `assay check` and the laws. No jax here.

A family's record names its Checker in one string; the laws of native and of hosted tasks each offer one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.core.axis import Axis
from assay.proof.certificate import Certificate


class QuickRun(NamedTuple):
    """What the strongest level of an axis touches, as far as it was looked for, and its run."""

    touched: set[str]
    run: Any  # a trace of arrays, or a digest


def in_no_crowd(env: str, axes: list[Axis]) -> dict[str, QuickRun]:
    """Where every axis is run by itself."""
    return {}


@dataclass(frozen=True)
class Checker:
    """The laws of one kind of task."""

    build: Callable[[str, Axis], Any]  # env, axis: the task at the strongest level, or NotApplicable
    check: Callable[[str, Axis], tuple[Certificate, Any]]  # the certificate, and the strongest run
    check_quickly: Callable[[str, Axis], QuickRun]
    check_in_crowd: Callable[[str, list[Axis]], dict[str, QuickRun]] = in_no_crowd
