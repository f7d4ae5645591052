"""A native task as a Gymnasium env whose infos tell what its variations did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from assay.core import step as loop
from assay.core.events import EVENTS, EventReport
from assay.core.reports import reports
from assay.interop.checks import action_of
from assay.interop.concepts import ConceptCount, require_counted
from assay.interop.native_env import Form, NativeEnv, Snapshot, key_of_step
from assay.tasks import Resolved


@partial(jax.jit, static_argnames="form")
def report_events(leaves: list, carried: tuple, chosen: Any, form: Form) -> dict[str, EventReport]:
    """The reports of variations on the step that `advance` makes of the same arguments."""
    task = form.task(leaves)
    play = form.play(task, carried)
    chosen = jnp.asarray(chosen, loop.spaces(task)["action"].dtype)
    return reports(task, key_of_step(play, play.world.time + 1), play.world, chosen)


class ReportingNativeEnv(NativeEnv):
    """A native task whose infos report what its variations did in the step, by a second program."""

    def __init__(self, resolved: Resolved, render_mode: str | None = None):
        super().__init__(resolved, render_mode)
        self.concepts = ConceptCount(resolved.text)

    def _begin(self, seed: int, episode: int, anew: bool) -> tuple[Any, dict]:
        self.concepts.begin(new_life=anew)
        return super()._begin(seed, episode, anew)

    def save(self) -> Snapshot:
        return replace(super().save(), concepts=self.concepts.save())

    def restore(self, snapshot: Snapshot | Mapping[str, Any]) -> None:
        require_counted(snapshot)
        super().restore(snapshot)
        if isinstance(snapshot, Snapshot) and snapshot.concepts is not None:
            self.concepts.restore(snapshot.concepts)
        elif isinstance(snapshot, Mapping):
            self.concepts.go_to(int(snapshot["t"]))

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        self._require_live()
        chosen = action_of(self._our_actions, action, self._takes_beyond)
        events = report_events(self._leaves, self._carried, chosen, form=self._form)
        observation, reward, terminated, truncated, info = super().step(action)
        told = {name: as_plain(report) for name, report in jax.device_get(events).items()}
        info[EVENTS] = told | self.concepts.step()
        return observation, reward, terminated, truncated, info


def as_plain(report: EventReport) -> EventReport:
    """Python's bools, and the detail as numpy has it."""
    return EventReport(bool(report.opportunity), bool(report.event), report.detail)
