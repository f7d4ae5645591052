"""Checks one axis of a hosted task: the measurements of `proof/laws/hosted.py` turned into a certificate."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from assay.catalogue import family_of, load
from assay.core import scalars
from assay.core.axis import Axis
from assay.core.family import Cost
from assay.core.host import HostedTask
from assay.errors import NotApplicable
from assay.hosted import build_hosted
from assay.proof.certificate import Certificate, Law, code_digest
from assay.proof.checker import Checker, QuickRun
from assay.proof.laws import hosted as host_laws
from assay.proof.laws.channels import Fed, can_be_fed
from assay.proof.touched_laws import (
    exact_components,
    is_felt,
    leaves_alone,
    own_chance,
    record_name,
    stays_neutral,
)
from assay.proof.touched_laws import strongest as strongest_places
from assay.task_text import Setting, TaskText, print_value
from assay.tasks import task

STARTS = 5
# A step on an emulator costs a hundred of CartPole's.
STEPS_BY_COST: Mapping[Cost, int] = {"compiled": 1000, "light": 1000, "emulator": 250}
WEAKER_STEPS = 200  # for the levels that the law of feeling does not ask about
COST_STEPS = 2000
AT_AN_END = ("reward.terminal",)  # they act where an episode terminates, and some hosts only cut theirs
OTHERS = ("action.random", "action.sticky", "reward.noise")  # they draw, and at 0 change nothing


def check(env: str, axis: Axis) -> tuple[Certificate, str]:
    """The certificate of an axis on a hosted env, and a digest of its strongest run."""
    base, steps = in_context(env, axis), steps_on(env)
    plain = build_hosted(base)
    strongest = build_hosted(with_level(base, axis, axis.levels[-1]))
    judge = judge_of(plain, base, axis, axis.levels[-1])
    digest = host_laws.follow(judge, strongest, seed=0, script=0, steps=steps).digest
    neutral = build_hosted(with_level(base, axis, axis.neutral))
    at_neutral = follow_starts(env, plain, neutral, steps)
    strong = strongest_places(axis)
    runs = []
    for place, level in enumerate(axis.levels):
        varied = build_hosted(with_level(base, axis, level))
        length = steps if place in strong else min(steps, WEAKER_STEPS)
        runs.append(follow_starts(env, judge_of(plain, base, axis, level), varied, length))
    touched = {name: [share(run, name) for run in runs] for name in host_laws.MARKS}
    shares = {} if is_built(axis) else {name: values for name, values in touched.items() if any(values)}
    read = all(trace.latent_read for trace in at_neutral)
    exact = exact_components(axis, shares, STARTS * steps)
    if is_built(axis):
        exact = Law(None, "it builds another host, and all that follows from its steps differs")
    if axis.name in AT_AN_END and not any(trace.terminated for run in runs for trace in run):
        return Certificate(
            axis.name, env, axis.components, (), {}, 0, {"applies": Law(None, "no episode terminates there")},
            code_digest(env, axis),
        ), digest  # fmt: skip
    exact = exact if read else Law(exact.holds, f"{exact.says}, latent not readable")
    far = fed_with(strongest, axis)
    is_neutral = stays_neutral(neutral_is_plain(at_neutral), fed_with(neutral, axis))
    laws = {
        f"level {print_value(axis.neutral)} identical": is_neutral,
        "felt": another_host(plain, base, axis, runs) if is_built(axis) else is_felt(axis, shares),
        "nothing else touched": leaves_alone(exact, far),
        "seeds differ": own_chance(seeds_differ(plain, judge, strongest), far),
        "draws its own": draws_its_own(base, judge, axis, digest),
        "global random state without effect": ignores_global_state(judge, strongest, steps, digest),
    }
    notes = {"cost": f"{cost(plain, strongest, min(COST_STEPS, 2 * steps)):+.0%} of a step"}
    certificate = Certificate(
        axis.name, str(base), axis.components, tuple(print_value(level) for level in axis.levels),
        shares, STARTS * steps, laws, code_digest(env, axis),
        {"numpy": np.__version__, "gymnasium": version("gymnasium")}, notes,
    )  # fmt: skip
    return certificate, digest


def check_quickly(env: str, axis: Axis) -> QuickRun:
    """The digest of the strongest run alone."""
    base = in_context(env, axis)
    judge = judge_of(build_hosted(base), base, axis, axis.levels[-1])
    varied = build_hosted(with_level(base, axis, axis.levels[-1]))
    return QuickRun(set(), host_laws.follow(judge, varied, 0, 0, steps_on(env)).digest)


def steps_on(env: str) -> int:
    """Of every start."""
    return STEPS_BY_COST[family_of(env).cost]


def judge_of(plain: HostedTask, base: TaskText, axis: Axis, level: Any) -> HostedTask:
    """The task that judges a level: the plain one, or one at that level where actions have another shape."""
    varied = build_hosted(with_level(base, axis, level))
    same = getattr(plain.spaces["action"], "shape", ()) == getattr(varied.spaces["action"], "shape", ())
    return plain if same else varied


def in_context(env: str, axis: Axis) -> TaskText:
    return task(env + (f"+{axis.context}" if axis.context else ""))


def build(env: str, axis: Axis) -> HostedTask:
    """The task with the axis at its strongest level."""
    return build_hosted(with_level(in_context(env, axis), axis, axis.levels[-1]))


def with_level(base: TaskText, axis: Axis, level: Any) -> TaskText:
    kept = tuple(s for s in base.settings if s.name != axis.name)
    return TaskText(base.env, kept + (Setting(axis.name, level),))


def follow_starts(env: str, plain: HostedTask, varied: HostedTask, steps: int) -> list[host_laws.HostTrace]:
    """Five starts under the scripts in turn, and under a policy with long episodes where one is known."""
    named = family_of(env).lasting.get(env)
    lasting = load(named) if named else None
    scripts = len(host_laws.SCRIPTS) + (lasting is not None)
    return [host_laws.follow(plain, varied, seed, seed % scripts, steps, lasting) for seed in range(STARTS)]


def fed_with(task: HostedTask, axis: Axis) -> Fed | None:
    """The axis' channel and its space, where it is a channel that can be fed by itself."""
    for passage in (each for passages in task.passages.values() for each in passages):
        if passage.channel.name == record_name(axis) and can_be_fed(passage.channel, passage.space):
            return Fed(passage.channel, passage.space, passage.xp, passage.xp is scalars)
    return None


def share(runs: list[host_laws.HostTrace], component: str) -> float:
    return sum(run.touched[component] for run in runs) / sum(run.steps for run in runs)


def is_built(axis: Axis) -> bool:
    """A structure that the host itself is built with."""
    return axis.kind == "structure" and axis.acts is None


def another_host(plain: HostedTask, base: TaskText, axis: Axis, runs: list[list[host_laws.HostTrace]]) -> Law:
    """Every level has other spaces, or goes another way under the same actions."""
    for level, run in zip(axis.levels, runs):
        same = plain.spaces["action"] == build_hosted(with_level(base, axis, level)).spaces["action"]
        marks = ["start" if name == "initial" else name for name in axis.components]
        if same and not any(trace.touched[name] for trace in run for name in marks):
            return Law(False, f"level {print_value(level)} changes nothing")
    return Law(True, "every level")


def neutral_is_plain(runs: list[host_laws.HostTrace]) -> Law:
    touched = sorted({name for run in runs for name, count in run.touched.items() if count})
    return Law(not touched, f"touches {', '.join(touched)}" if touched else "")


def seeds_differ(plain: HostedTask, judge: HostedTask, varied: HostedTask) -> Law:
    """Under one and the same held action another seed is another run, unless nothing is drawn by chance."""
    hold = host_laws.SCRIPTS.index("hold")

    def different(by: HostedTask, task: HostedTask) -> int:
        return len({host_laws.follow(by, task, seed, hold, WEAKER_STEPS).met for seed in range(STARTS)})

    runs = different(judge, varied)
    draws = any(passage.wanted for passages in varied.passages.values() for passage in passages)
    if runs == 1 and not draws and different(plain, plain) == 1:
        return Law(None, "nothing is drawn by chance")
    return Law(runs > 1, f"{STARTS} seeds, {runs} different runs")


def draws_its_own(base: TaskText, judge: HostedTask, axis: Axis, digest: str) -> Law:
    """Other variations that draw, added at neutral, leave the run as it is: none shifts another's draws."""
    free = {setting.name for setting in base.settings} | {axis.name}
    others = [name for name in OTHERS if name not in free and fits(base, name)]
    beside = TaskText(base.env, base.settings + tuple(Setting(name, 0.0) for name in others))
    varied = build_hosted(with_level(beside, axis, axis.levels[-1]))
    again = host_laws.follow(judge, varied, 0, 0, steps_on(base.env))
    return Law(again.digest == digest)


def fits(base: TaskText, name: str) -> bool:
    try:
        return bool(build_hosted(TaskText(base.env, (Setting(name, 0.0),))))
    except NotApplicable:
        return False


def ignores_global_state(judge: HostedTask, varied: HostedTask, steps: int, digest: str) -> Law:
    random.seed(12345)
    np.random.seed(12345)  # the point is to disturb it
    return Law(host_laws.follow(judge, varied, 0, 0, steps).digest == digest)


def cost(plain: HostedTask, varied: HostedTask, steps: int) -> float:
    """CPU time of a varied step against a plain one, best of three, resets counted."""
    return min(seconds(varied, steps) for _ in range(3)) / min(seconds(plain, steps) for _ in range(3)) - 1


def seconds(task: HostedTask, steps: int) -> float:
    rng = np.random.default_rng(0)
    actions = [task.host.sample(rng) for _ in range(steps)]
    task.reset(0, 0)
    begun, episode = time.process_time(), 0
    for action in actions:
        out = task.step(action)
        if out.terminated or out.truncated:
            episode += 1
            task.reset(0, episode)
    return time.process_time() - begun


CHECKER = Checker(build, check, check_quickly)
