"""What a plan says of a suite beside its pairs: the env's measures, and the best blind policy, which is
searched for and played beside the agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.catalogue import env_entry, load
from assay.errors import AssayError, NotApplicable
from assay.plans.agents import settings_of, unfit
from assay.plans.plan import BlindPlan, MeasurePlan, PairPlan, as_read_back
from assay.plans.question import BLIND
from assay.suites.suite import Suite
from assay.task_spaces import SpaceTable
from assay.task_text import TaskText, parse
from assay.tasks import resolve

SCORE = "score"


def measures_of(text: str) -> tuple[Any, ...]:
    """What the env of a task tells of how its episodes ended."""
    entry = env_entry(parse(text).env)
    return load(entry.measures) if entry.measures else ()


def shown_measures(pairs: Sequence[PairPlan]) -> tuple[MeasurePlan, ...]:
    """What reports show of the env's measures; nothing where tasks tell different ones."""
    each = {measures_of(text) for pair in pairs for text in pair.tasks}
    if len(each) != 1:
        return ()
    shown = [measure for measure in each.pop() if measure.title]
    return tuple(MeasurePlan(m.name, m.title, m.gap, m.digits, m.range or None) for m in shown)


def blind_beside(suite: Suite, pairs: Sequence[PairPlan], agent: str, budget: int) -> BlindPlan | None:
    """What is asked of the best blind policy, once for each way to choose it; nothing of blind itself."""
    if not suite.blind or agent == BLIND:
        return None
    unseen = tuple(
        PairPlan(train=without_looks(pair.train), evaluate=without_looks(pair.evaluate)) for pair in pairs
    )
    for text in {text for pair in unseen for text in pair.tasks}:
        require_blind(suite, text)
    own: Mapping[str, Any] = settings_of(BLIND, {})
    # A run that is scaled down has a smaller search too.
    steps = min(own["steps"], budget or own["steps"])
    configs = [settings_of(BLIND, {"choose": by, "steps": steps}) for by in suite.blind]
    names = env_entry(parse(unseen[0].train).env).actions
    hold, press = (names[own[key]] if names else f"action {own[key]}" for key in ("hold", "press"))
    return BlindPlan(unseen, tuple(as_read_back(config) for config in configs), (hold, press))


def without_looks(text: str) -> str:
    """The task without what touches the observation alone, which a blind policy does not notice.

    All looks of one world are then one task, played once for all of them.
    """
    resolved = resolve(parse(text))
    kept = [
        s for axis, s in zip(resolved.axes, resolved.text.settings) if axis.components != ("observation",)
    ]
    return str(resolve(TaskText(resolved.text.env, tuple(kept))).text)


def require_blind(suite: Suite, text: str) -> None:
    """Refuses a suite that asks for what no blind policy can be tried on, or chosen by."""
    env = env_entry(parse(text).env)
    why = unfit(BLIND, SpaceTable()(parse(text))) if env.native else "it is hosted"
    if why:
        raise NotApplicable(f"{suite.name} asks for a blind policy on {text}, but {why}; drop its blind.")
    known = (SCORE, *(measure.name for measure in measures_of(text)))
    for by in suite.blind:
        if by not in known:
            raise AssayError(
                f"{suite.name} chooses a blind policy by {by!r}; {env.name} tells {', '.join(known)}."
            )
