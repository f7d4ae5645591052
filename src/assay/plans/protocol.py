"""The parts of a suite's plan beside its pairs: the env's measures, and the search for a blind policy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.catalogue import env_entry, load
from assay.errors import AssayError, NotApplicable
from assay.plans.agents import settings_of, why_unfit
from assay.plans.plan import BlindPlan, MeasurePlan, PairPlan, through_json
from assay.plans.question import BLIND
from assay.suites.suite import Suite
from assay.task_spaces import SpaceTable
from assay.task_text import TaskText, parse
from assay.tasks import resolve

SCORE = "score"


def measures_of(text: str) -> tuple[Any, ...]:
    """The measures that the env of a task takes of how its episodes ended."""
    entry = env_entry(parse(text).env)
    return load(entry.measures) if entry.measures else ()


def measures_to_show(pairs: Sequence[PairPlan]) -> tuple[MeasurePlan, ...]:
    """The measures that reports show; none where the tasks have different ones."""
    measures = {measures_of(text) for pair in pairs for text in pair.tasks}
    if len(measures) != 1:
        return ()
    shown = [measure for measure in measures.pop() if measure.title]
    return tuple(MeasurePlan(m.name, m.title, m.gap, m.digits, known_range(m.range)) for m in shown)


def known_range(declared: tuple[float, float] | None) -> tuple[float | None, float | None] | None:
    """The range of a measure as a plan has it: JSON has no infinity, so that an open end is None there."""
    if declared is None:
        return None
    low, high = (end if math.isfinite(end) else None for end in declared)
    return low, high


def plan_blind(suite: Suite, pairs: Sequence[PairPlan], agent: str, budget: int) -> BlindPlan | None:
    """The search for the best blind policy; None where the suite asks for none, or the agent is blind."""
    if not suite.blind or agent == BLIND:
        return None
    blind_pairs = tuple(
        PairPlan(train=without_observation_axes(pair.train), evaluate=without_observation_axes(pair.evaluate))
        for pair in pairs
    )
    for text in {text for pair in blind_pairs for text in pair.tasks}:
        require_blind(suite, text)
    own: Mapping[str, Any] = settings_of(BLIND, {})
    # A run that is scaled down has a smaller search too.
    steps = min(own["steps"], budget or own["steps"])
    configs = [settings_of(BLIND, {"choose": by, "steps": steps}) for by in suite.blind]
    names = env_entry(parse(blind_pairs[0].train).env).actions
    hold, press = (names[own[key]] if names else f"action {own[key]}" for key in ("hold", "press"))
    return BlindPlan(blind_pairs, tuple(through_json(config) for config in configs), (hold, press))


def without_observation_axes(text: str) -> str:
    """The task without the axes that touch only the observation, which a blind policy does not notice.

    Tasks that differ only in how the world looks become one task, which is played once for all of them.
    """
    resolved = resolve(parse(text))
    kept = [
        s for axis, s in zip(resolved.axes, resolved.text.settings) if axis.components != ("observation",)
    ]
    return str(resolve(TaskText(resolved.text.env, tuple(kept))).text)


def require_blind(suite: Suite, text: str) -> None:
    """Refuses a suite whose tasks a blind policy cannot play, or whose choice is by an unknown measure."""
    env = env_entry(parse(text).env)
    why = why_unfit(BLIND, SpaceTable()(parse(text))) if env.native else "it is hosted"
    if why:
        raise NotApplicable(
            f"{suite.name} asks for a blind policy on {text}, but {why}; drop `blind` from the suite."
        )
    known = (SCORE, *(measure.name for measure in measures_of(text)))
    for by in suite.blind:
        if by not in known:
            raise AssayError(
                f"{suite.name} chooses a blind policy by {by!r}, but {env.name} measures only "
                f"{', '.join(known)}."
            )
