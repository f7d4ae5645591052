"""The part that all plans share, from a user's request: agent, settings, seeds, episodes, worlds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.catalogue import axis_of, env_entry, load, world_seed_of
from assay.errors import AssayError, NotApplicable, UnknownName
from assay.plans.agents import (
    CHECKPOINT,
    comes_trained,
    has_training,
    is_outside,
    learns,
    outside_agent,
    require_own_env,
    require_task,
    settings_of,
    steps_of,
    why_unfit,
)
from assay.plans.companions import companions_of
from assay.plans.defaults import EPISODES, EPISODES_ALONE, SEEDS
from assay.plans.plan import RUN, TRAIN, Basis, ScoreRange, TaskLimits, through_json
from assay.task_spaces import SpaceTable
from assay.task_text import TaskText
from assay.tasks import resolve
from assay.tasks import task as canonical_task

HORIZON = "horizon"  # the axis of the steps after which an episode is cut


def basis_of(
    kind: str,
    agent: str,
    task: str,
    *,
    seeds: int | None = None,
    first_seed: int = 0,
    episodes: int | None = None,
    settings: Mapping[str, Any] | None = None,
    trust: bool = False,
    max_steps: int | None = None,
    transcripts: bool = False,
) -> Basis:
    """The part that all plans share, looked up and checked.

    Where an env generates its world and the task does not fix that world's seed, every trained seed has a
    world of its own: the findings then hold for worlds of this kind, not for a single one.
    """
    text = canonical_task(task)
    entry = env_entry(text.env)
    require_task(agent, str(text), entry.native)
    config = settings_of(agent, settings or {})
    budget = steps_of(config)
    trains = has_training(agent, budget)
    if entry.native or trains or comes_trained(agent):
        require_fit(agent, text, SpaceTable()(text), entry.native, config)
    require_checkpoint_fits(agent, [text], trust)
    require_own_env(agent, text.env)
    if budget < 0 or (budget == 0 and learns(agent)):
        raise NotApplicable(f"{agent} learns nothing in {budget} steps; give it more.")
    if is_outside(agent) and trains and not budget:
        raise AssayError(f"{agent} is trained, so give its number of env steps, such as --steps 20000.")
    if not trains and budget:
        raise AssayError(f"{agent} is not trained, so --steps {budget} has no effect; drop it.")
    if kind == TRAIN and not trains:
        raise AssayError(f"{agent} cannot be trained; `assay examine {agent} {task}` examines it as it is.")
    if seeds is not None and not trains and kind != RUN:
        raise AssayError(f"{agent} is not trained, so its units are episodes: use --episodes, not --seeds.")
    for name, number in (("seeds", seeds), ("episodes", episodes), ("max-steps", max_steps)):
        if number is not None and number < 1:
            raise AssayError(f"--{name} is at least 1, not {number}.")
    count = seeds if seeds is not None else (SEEDS if trains else 1)
    return Basis(
        kind=kind,
        agent=agent,
        settings=through_json(config),
        budget=budget,
        trains=trains,
        seeds=tuple(range(first_seed, first_seed + count)),
        episodes=episodes or (EPISODES if trains else EPISODES_ALONE),
        own_worlds=trains and draws_worlds([text]),
        trust=trust and agent.startswith(CHECKPOINT),
        max_steps=step_limit_of([text], max_steps),
        transcripts=transcripts,
        companions=companions_of([text]),
    )


def require_fit(
    agent: str, text: TaskText, spaces: Mapping[str, Any], native: bool, settings: Mapping[str, Any]
) -> None:
    """Refuses an agent, or settings of it, that are of no use in the spaces of a task."""
    if why := why_unfit(agent, spaces, native, settings):
        raise NotApplicable(f"{agent} does not fit {text}: {why}.")


def require_checkpoint_fits(agent: str, texts: Iterable[TaskText], trust: bool) -> None:
    """Refuses a checkpoint that was made for another env than one of these tasks."""
    fit = outside_agent(agent, trust).require_fit if is_outside(agent) else None
    if fit is None:
        return
    from assay.interop.checkpoints.contract import planned_interface  # brings gymnasium

    table = SpaceTable()
    for text in texts:
        if interface := planned_interface(str(text), **table(text)):
            fit(interface)


def draws_worlds(texts: Sequence[TaskText]) -> bool:
    """Whether every trained seed gets a world of its own: an env generates worlds, and no task fixes one."""
    worlds = [(text, axis.name) for text in texts if (axis := world_seed_of(text.env))]
    named = any(setting.name == name for text, name in worlds for setting in text.settings)
    return bool(worlds) and not named


def step_limit_of(texts: Sequence[TaskText], asked: int | None) -> int | None:
    """The steps after which episodes of these tasks are cut, or None; refuses envs that would break pairs."""
    hosted = {text.env: text for text in texts if not env_entry(text.env).native}
    if not hosted and asked is not None:
        raise NotApplicable(
            f"--max-steps is for hosted envs; {texts[0].env} has its own limit among its axes: "
            f"`assay list {texts[0].env}` shows it."
        )
    if not hosted:
        return None
    from assay.plans.env_probe import probe  # brings gymnasium

    return max((cut for text in hosted.values() if (cut := probe(text, asked)) is not None), default=None)


def declared_range(text: TaskText) -> ScoreRange | None:
    """The range of this task's scores, as its env declares it, or None."""
    code = env_entry(text.env).score_range
    declared = load(code)(text) if code else None
    return None if declared is None else ScoreRange(*declared)


def limits_of_tasks(texts: Sequence[TaskText], max_steps: int | None = None) -> dict[str, TaskLimits]:
    """What is known beforehand of the episodes of these tasks; tasks of which nothing is are left out.

    `max_steps` is the plan's own limit, which hosted envs have.
    """
    found = {}
    for text in texts:
        native = env_entry(text.env).native
        steps = most_steps(text) if native else max_steps
        limits = TaskLimits(declared_range(text) or settled_range(text, steps), steps)
        if limits != TaskLimits():
            found[str(text)] = limits
    return found


def settled_range(text: TaskText, steps: int | None) -> ScoreRange | None:
    """Where scores lie at the very settings of a native task, or None.

    It is not known where something that counts in scores has a schedule or comes from another family.
    """
    code = env_entry(text.env).score_limits
    if not code or steps is None:  # that a variation of one's own may set the steps is known by now
        return None
    resolved = resolve(text)
    own = {axis.name for axis in resolved.entry.axes}
    asking = [each for each in zip(resolved.axes, resolved.text.settings) if each[0].asks]
    if any(setting.schedule or axis.name not in own for axis, setting in asking):
        return None
    others = {
        setting.name: setting.value
        for setting in resolved.text.settings
        if setting.name not in resolved.structure
    }
    ends = load(code)(resolved.settings, others, steps)
    return None if ends is None else ScoreRange(low=ends[0], high=ends[1], two_valued=False)


def most_steps(text: TaskText) -> int | None:
    """The horizon of a native task; None where it is scheduled, or a variation of one's own may set it."""
    try:
        neutral = axis_of(text.env, HORIZON).neutral
    except UnknownName:
        return None
    written = [setting for setting in text.settings if setting.name == HORIZON]
    if any(setting.schedule for setting in written) or any(":" in each.name for each in text.settings):
        return None
    steps = written[-1].value if written else neutral
    return steps if isinstance(steps, int) else None
