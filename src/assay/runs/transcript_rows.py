"""The steps of a job's evaluation as the table that the records keep."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from assay.core.events import EventReport, StepTaken
from assay.results.record import canonical
from assay.results.transcripts import SCHEMA


def transcript_of(tasks: Iterable[tuple[str, Iterable[Iterable[StepTaken]]]]) -> pa.Table | None:
    """The transcript of a job from the episodes of its tasks; None if there are no tasks."""
    transcripts = [transcript_table(task, episodes) for task, episodes in tasks]
    return pa.concat_tables(transcripts) if transcripts else None


def transcript_table(task: str, episodes: Iterable[Iterable[StepTaken]]) -> pa.Table:
    """The episodes of one task, from number 0 on."""
    rows = [
        (task, episode, step, as_json(taken.action), as_json(taken.executed), float(taken.reward),
         float(taken.score), bool(taken.terminated), bool(taken.truncated), events_json(taken.events))
        for episode, steps in enumerate(episodes) for step, taken in enumerate(steps, 1)
    ]  # fmt: skip
    across = zip(*rows) if rows else ([] for _ in SCHEMA)
    return pa.table([pa.array(values, field.type) for values, field in zip(across, SCHEMA)], schema=SCHEMA)


def events_json(events: dict[str, EventReport]) -> str | None:
    if not events:
        return None
    return as_json({
        axis: {"opportunity": opportunity, "event": event, "detail": detail}
        for axis, (opportunity, event, detail) in events.items()
    })  # fmt: skip


def as_json(value: Any) -> str:
    return canonical(as_plain(value))


def as_plain(value: Any) -> Any:
    """Numbers, arrays and dicts of them as JSON has them; numbers that are not finite become null."""
    if isinstance(value, dict):
        return {str(name): as_plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return as_plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
