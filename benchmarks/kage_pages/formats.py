"""Numbers and tables as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from assay.stats.aggregate import Interval
from assay.stats.gap import MeanError, mean_and_error


def number(value: float, digits: int) -> str:
    """Rounded; no minus before a zero."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def spread(values: np.ndarray | MeanError, digits: int) -> str:
    """Mean ± standard error; one unit has no error."""
    mean, error = values if isinstance(values, MeanError) else mean_and_error(values)
    return number(mean, digits) + (f" ± {number(error, digits)}" if math.isfinite(error) else "")


def interval_text(interval: Interval | None, digits: int) -> str:
    """The value with its ends; without them where the data give none."""
    if interval is None:
        return "–"
    if not math.isfinite(interval.low):
        return number(interval.value, digits)
    value, low, high = (number(each, digits) for each in interval)
    return f"{value} [{low}, {high}]"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(heads)} |",
        "|" + "---|" * len(heads),
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def listed(words: Iterable[object]) -> str:
    return ", ".join(map(str, words)) or "none"


def count(seeds: int) -> str:
    return f"{seeds} seed{'s' * (seeds != 1)}"


def paragraph(text: str) -> str:
    """A text that was wrapped in the source, as one line."""
    return " ".join(text.split())
