"""From a task's text to the task: look up every name, type every value, refuse what cannot hold. No jax here.

`task(text)` gives the canonical text; `resolve(text)` also the entries behind it, which `native.py` and
`hosted.py` make into something that runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from assay.catalogue import axis_of, env_entry, load
from assay.core.axis import Axis, show_value
from assay.core.clock import (
    EPISODES,
    STEPS,
    Choice,
    Counting,
    Cyclic,
    LogUniform,
    Ramp,
    Random,
    Sudden,
    Uniform,
)
from assay.core.concepts import Turn, Window
from assay.core.family import EnvEntry
from assay.core.streams import RESERVED, shared_stream, streams_of
from assay.core.variation import Channel, Field, HostRule, Inner, put
from assay.errors import BadText, NotApplicable, WrongLevel
from assay.task_text import DRAWN, Schedule, Setting, TaskText, Value, parse, parse_value, print_value

CLOCKS = {"sudden": Sudden, "cyclic": Cyclic, "ramp": Ramp, "random": Random, "window": Window, "turn": Turn}
DISTRIBUTIONS = {"uniform": Uniform, "loguniform": LogUniform}


class Optimum(NamedTuple):
    value: float | None
    how: str


@dataclass(frozen=True)
class Resolved:
    """A task's text with the entries behind it; values are typed by their axes."""

    text: TaskText
    entry: EnvEntry
    axes: tuple[Axis, ...]  # one per setting, in the text's order

    def value(self, name: str, default: Any = None) -> Any:
        written = (s.value for s in self.text.settings if s.name == name)
        return next(written, self.preset.get(name, default))

    @property
    def preset(self) -> Mapping[str, Any]:
        """What the text's preset sets; a setting of its own goes before."""
        named = (s.value for s in self.text.settings if s.name == "preset")
        return self.entry.presets.get(str(next(named, "")), {})

    @property
    def settings(self) -> Any:
        """The settings record that the family's `build` receives."""
        settings = self.entry.params() if self.entry.params else None
        for path, value in {**self.preset, **self.structure}.items():
            settings = put(settings, path, value)
        return settings

    @property
    def structure(self) -> dict[str, Value]:
        """The settings that the family's `build` receives."""
        pairs = zip(self.axes, self.text.settings)
        return {
            axis.name: setting.value
            for axis, setting in pairs
            if axis.kind == "structure" and axis.acts is None
        }

    @property
    def variation_settings(self) -> list[tuple[Axis, Setting]]:
        """The settings that are variations: the family's own in acting order, then the rest as written."""
        own = [axis.name for axis in self.entry.axes]
        pairs = [pair for pair in zip(self.axes, self.text.settings) if pair[0].name not in self.structure]
        return sorted(pairs, key=lambda pair: own.index(pair[0].name) if pair[0].name in own else len(own))


def task(text: str | TaskText, config: Mapping[str, Any] | None = None) -> TaskText:
    """The canonical form of a task: names known, values typed by their axes, preconditions met."""
    return resolve(text, config).text


def optimum(text: str | TaskText, config: Mapping[str, Any] | None = None) -> Optimum:
    """The best return that any policy can expect of a task, or why it is not known."""
    resolved = resolve(text, config)
    if not resolved.entry.optimum:
        return Optimum(None, f"no optimum is computed for {resolved.text.env}")
    scheduled = [setting.name for setting in resolved.text.settings if setting.schedule is not None]
    if scheduled:
        return Optimum(None, f"{scheduled[0]} does not stay the same")
    own = {axis.name for axis in resolved.entry.axes} | set(resolved.structure)
    foreign = [axis for axis in resolved.axes if axis.name not in own and axis.components != ("observation",)]
    if foreign:
        return Optimum(None, f"{foreign[0].name} is not part of the computation")
    others = {
        setting.name: setting.value
        for setting in resolved.text.settings
        if setting.name not in resolved.structure
    }
    return Optimum(*load(resolved.entry.optimum)(resolved.settings, others))


def resolve(text: str | TaskText, config: Mapping[str, Any] | None = None) -> Resolved:
    """A text, or a text and a dict of further settings, looked up and checked."""
    written = parse(text) if isinstance(text, str) else text
    if not isinstance(written, TaskText) or not isinstance(config or {}, Mapping):
        raise BadText(
            f"a task is a text such as toy/discrete+delay=4, with a dict beside it, not {show_value(text)}."
        )
    entry = env_entry(written.env)
    settings = written.settings + tuple(
        Setting(name, to_plain(value)) for name, value in (config or {}).items()
    )
    axes = tuple(axis_of(written.env, setting.name) for setting in settings)
    typed = tuple(type_setting(axis, setting) for axis, setting in zip(axes, settings))
    resolved = Resolved(TaskText(written.env, typed), entry, axes)
    for axis, setting in zip(axes, typed):
        check_needs(resolved, axis, setting)
        check_excludes(resolved, axis, setting)
        check_schedule(resolved, axis, setting)
    return resolved


def type_setting(axis: Axis, setting: Setting) -> Setting:
    """The setting with its value in the axis' type, and so the levels that its schedule may draw."""
    schedule = setting.schedule
    if schedule is not None and schedule.kind in DRAWN and axis.kind != "structure":
        schedule = replace(schedule, numbers=tuple(to_plain(axis.to_level(n)) for n in schedule.numbers))
    return replace(setting, value=to_plain(axis.to_level(setting.value)), schedule=schedule)


def to_plain(value: Any) -> Any:
    """Lists, arrays and dicts as the text holds them: nested tuples of plain numbers and words."""
    if isinstance(value, Mapping):
        return tuple((to_plain(key), to_plain(item)) for key, item in value.items())
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(to_plain(item) for item in value) if isinstance(value, (list, tuple)) else value


def check_needs(resolved: Resolved, axis: Axis, setting: Setting) -> None:
    """An axis away from neutral whose precondition does not hold would do nothing, so it is refused."""
    if setting.value == axis.neutral:
        return
    for need in axis.needs:
        if not any(holds(resolved, either) for either in need.split("|")):
            example = f"{resolved.text.env}+{axis.context or need}+{setting}"
            wanted = " or ".join(either if "=" in either else f"{either} set" for either in need.split("|"))
            raise NotApplicable(f"{axis.name} acts only with {wanted}; write for example {example}.")


def holds(resolved: Resolved, need: str) -> bool:
    """Whether "mode=color" is so, or "delay" is away from its neutral."""
    name, _, wanted = need.partition("=")
    neutral = axis_of(resolved.text.env, name).neutral
    value = resolved.value(name, neutral)
    return bool(value == parse_value(wanted) if wanted else value != neutral)


def check_excludes(resolved: Resolved, axis: Axis, setting: Setting) -> None:
    """What is given replaces what would be generated: a setting left with nothing to do is refused."""
    idle = [s.name for s in resolved.text.settings if s.name in axis.excludes]
    if idle and setting.value != axis.neutral:
        raise NotApplicable(f"beside {axis.name} there is nothing for {idle[0]} to do; drop one of them.")


def check_tied(resolved: Resolved, axis: Axis, why: str) -> None:
    """A level that is built into the env under some setting can neither be traced nor scheduled."""
    for need in axis.tied:
        if holds(resolved, need):
            raise NotApplicable(f"under {need} the level of {axis.name} is part of the env and {why}.")


def check_schedule(resolved: Resolved, axis: Axis, setting: Setting) -> None:
    schedule = setting.schedule
    if schedule is None:
        return
    check_tied(resolved, axis, "takes no schedule")
    acts = load(axis.acts) if isinstance(axis.acts, str) else axis.acts
    if acts is not None and isinstance(acts.clock, Counting):
        raise NotApplicable(f"{axis.name} counts episodes by a clock of its own; drop {schedule}.")
    if schedule.kind not in DRAWN and max(schedule.numbers) >= 2**31:
        counted = EPISODES if schedule.unit == EPISODES else STEPS
        raise WrongLevel(f"a schedule counts up to {2**31 - 1} {counted}, not {max(schedule.numbers)}.")
    if axis.kind == "structure":
        raise NotApplicable(
            f"{axis.name} changes the task's structure and cannot change over time; drop {schedule}."
        )
    if schedule.kind == "ramp" and axis.kind != "dose":
        raise NotApplicable(
            f"{axis.name} has nothing between its values, so it cannot follow {schedule}; "
            "use sudden, cyclic or random."
        )
    if schedule.kind in DRAWN:
        check_distribution(axis, setting, schedule)
        return
    if axis.components == ("initial",) and schedule.unit == STEPS and schedule.kind != "cyclic":
        raise NotApplicable(
            f"{axis.name} acts at reset, before {schedule} has begun; add ':life' or ':episodes' to it."
        )


def check_distribution(axis: Axis, setting: Setting, schedule: Schedule) -> None:
    """A level that is a distribution has at least two values, all of them numbers of the axis."""
    value = setting.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotApplicable(f"{axis.name}={print_value(value)} is no number, so it cannot follow {schedule}.")
    if schedule.kind != "choice" and axis.kind != "dose":
        raise NotApplicable(
            f"{axis.name} has nothing between its values, so it cannot follow {schedule}; use choice."
        )
    if set(schedule.numbers) == {value}:
        raise WrongLevel(f"{setting} has one value only; drop {schedule}, or name another number in it.")
    if schedule.kind == "loguniform" and value <= schedule.numbers[0]:
        raise WrongLevel(f"{setting} must go up: write the smaller number after @loguniform.")


def clock_of(schedule: Schedule | None) -> Any:
    if schedule is None:
        return None
    if schedule.kind == "choice":
        return Choice(schedule.numbers)
    if schedule.kind in DISTRIBUTIONS:
        return DISTRIBUTIONS[schedule.kind](*schedule.numbers)
    return CLOCKS[schedule.kind](*schedule.numbers, unit=schedule.unit)


def build_record(
    axis: Axis, setting: Setting, resolved: Resolved
) -> Field | Inner | Channel | HostRule | None:
    """The record that acts, at its level and on its clock, or None where the axis is a params field."""
    acts = load(axis.acts) if isinstance(axis.acts, str) else axis.acts
    for switch, instead in axis.instead:
        acts = instead if resolved.value(switch) else acts
    if acts is None:
        return None
    clock = clock_of(setting.schedule) or acts.clock  # a record of the user's own may bring its clock
    moved: Field | Inner | Channel | HostRule = replace(acts, level=setting.value, clock=clock)
    level: Any = setting.value
    if isinstance(moved, Channel) and moved.sized:
        drawn = setting.schedule.numbers if setting.schedule and setting.schedule.kind in DRAWN else ()
        return replace(moved, bound=bound_for(axis, max((level, *drawn))))
    if isinstance(moved, Channel) and moved.bound and level > moved.bound:
        raise WrongLevel(f"{axis.name} was made for levels up to {moved.bound}, not {show_value(level)}.")
    return moved


class OnHost(NamedTuple):
    """What acts on a hosted task."""

    rules: tuple[HostRule, ...]  # as written: a host's rules run in the text's order
    channels: tuple[Channel, ...]  # in the order in which they act


def build_host_records(resolved: Resolved) -> OnHost:
    """The records that act on a hosted task, refused where its host cannot take them."""
    pairs = zip(resolved.axes, resolved.text.settings)
    records = [build_record(axis, setting, resolved) for axis, setting in pairs
               if axis.name not in resolved.structure]  # fmt: skip
    rules = tuple(acts for acts in records if isinstance(acts, HostRule))
    channels = tuple(acts for axis, setting in resolved.variation_settings
                     if isinstance(acts := build_record(axis, setting, resolved), Channel))  # fmt: skip
    inner = [acts for acts in records if isinstance(acts, (Field, Inner))]
    if inner and resolved.entry.varied_inside:
        raise NotApplicable(
            f"{inner[0].name} varies the inside of a native env; {resolved.text.env} is varied by rules."
        )
    if inner or (rules and not resolved.entry.varied_inside):
        raise NotApplicable(
            f"{resolved.text.env} is hosted, and {(inner or rules)[0].name} varies its inside; "
            "a host takes variations of the action, the reward and the observation."
        )
    require_own_names((*rules, *channels), resolved.text.env)
    return OnHost(rules, channels)


def bound_for(axis: Axis, level: int) -> int:
    """The shape a level needs: the largest catalogue level, so a sweep is one program, or more if asked."""
    return int(level) if axis.kind == "structure" else max(level, *axis.levels)


def require_fit(acts: Any, space: Any, env: str) -> None:
    """A channel that cannot act on this space says so when the task is built."""
    why = acts.fits(space)
    if why:
        raise NotApplicable(f"{acts.name} does not apply to {env}: {why}.")


def require_own_names(variations: tuple[Any, ...], env: str) -> None:
    """Two records of one name would draw the same numbers."""
    names = [acts.name for acts in variations]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise NotApplicable(f"two variations of this {env} task are called {twice[0]!r}; rename one of them.")
    taken = list(RESERVED)
    for name in names:
        shared = shared_stream(name, taken)
        if shared:
            raise NotApplicable(
                f"{name!r} would draw the numbers of {shared[1]!r} in {env}: their streams have one number; "
                "rename the variation."
            )
        taken += streams_of(name)


def wrong_seed_error(seed: Any) -> WrongLevel:
    return WrongLevel(f"a seed is a whole number from 0 to 2**64 - 1, not {seed!r}.")
