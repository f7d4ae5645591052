"""Checks rules inside a host: `check(env, axis)` is a certificate. One process per core.

Whatever family they are of: a host is asked through `core.inspection.Inspection` alone.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from multiprocessing import get_context
from typing import Any

import numpy as np

from assay.catalogue import axis_of, family_of, variations
from assay.core.axis import Axis
from assay.core.host import Host
from assay.core.streams import episode_number, generator
from assay.core.variation import HostRule
from assay.hosted import build_hosted
from assay.proof.certificate import Certificate, Law, code_digest
from assay.proof.laws import inside as inside_laws
from assay.proof.laws.hosted import as_bytes
from assay.proof.laws.inside import LENGTHS, Trace, inspect
from assay.proof.touched_laws import exact_components
from assay.task_text import Setting, TaskText, parse, print_value

SHORT = 300  # steps of the runs that are compared whole
NEUTRAL_STEPS = 260  # past those in which most games only begin
COST_STEPS = 150
STARTS = 4  # episodes whose starts are compared under each way of playing


def is_inside(axis: Axis) -> bool:
    """A rule that a host applies itself, which this file checks."""
    return isinstance(axis.acts, HostRule)


def own_axes(env: str) -> list[str]:
    return [axis.name for axis in variations(env) if is_inside(axis)]


def check(env: str, name: str) -> Certificate:
    """The certificate of one rule inside one host."""
    axis = axis_of(env, name)
    digest = code_digest(env, axis)
    if axis.refuses:
        law = {"applies": Law(None, axis.refuses)}
        return Certificate(axis.name, env, axis.components, (), {}, 0, law, digest)
    plain = host_of(env, axis, axis.neutral)
    traces = [level_traces(env, axis, level, plain) for level in axis.levels]
    shares, every = shares_of(traces), [trace for level in traces for trace in level]
    strongest = strongest_of(axis)
    varied = host_of(env, axis, strongest)
    situation = inspect(varied).situation
    digests = [inside_laws.run_digest(varied, 0, SHORT, situation) for _ in range(2)]
    disturb_global_state()
    digests.append(inside_laws.run_digest(host_of(env, axis, strongest), 0, SHORT, situation))
    outside = sorted({cell for trace in every for cell in trace.outside})
    laws = {
        f"level {print_value(axis.neutral)} identical": neutral_is_plain(env, plain),
        "felt": judge_felt(axis, shares),
        **({"felt in every way of playing": felt_in_every_way(env, axis)} if is_start(axis) else {}),
        "nothing else touched": judge_touched(axis, shares),
        "writes only its cells": Law(
            not outside, f"it writes {outside}" if outside else cells_in_words(inspect(varied).writes)
        ),
        "plain until it acts": Law(plain_until_it_acts(env, axis, strongest, plain)),
        "same seed, same run": Law(len(set(digests)) == 1),
        "draws its own": Law(beside_others(env, axis, strongest, situation) == digests[0]),
    }
    notes = {"cost": f"{cost(plain, varied):+.1%} of a step"}
    firsts = [trace.first for trace in every if trace.first is not None]
    if firsts:
        notes["first felt"] = f"at step {min(firsts)}"
    inert = max(trace.inert for trace in every)
    if inert > 0:
        notes["inert"] = f"{inert} bytes of the hidden state follow the declared cells, without effect"
    return Certificate(
        axis.name, str(TaskText(env, view_of(env))), axis.components,
        tuple(print_value(level) for level in axis.levels), shares, sum(LENGTHS), laws, digest,
        versions(env), notes | {"run": digests[0]},
    )  # fmt: skip


def versions(env: str) -> dict[str, str]:
    return {"numpy": np.__version__, **{name: version(name) for name in family_of(env).packages}}


def view_of(env: str) -> tuple[Setting, ...]:
    """The settings under which all that there is to see is seen."""
    return settings_in(env, family_of(env).inside_laws.view)


def base_of(env: str) -> tuple[Setting, ...]:
    """The same, with starts that differ from seed to seed."""
    return view_of(env) + settings_in(env, family_of(env).inside_laws.starts)


def settings_in(env: str, written: str) -> tuple[Setting, ...]:
    return parse(f"{env}+{written}").settings if written else ()


def strongest_of(axis: Axis) -> Any:
    """The last level that is no control."""
    active = [level for level in axis.levels if level not in axis.restates]
    return active[-1] if active else axis.levels[-1]


def host_of(env: str, axis: Axis, level: Any) -> Host:
    return build_hosted(TaskText(env, (*base_of(env), Setting(axis.name, level)))).host


def level_traces(env: str, axis: Axis, level: Any, plain: Host) -> list[Trace]:
    follow = inside_laws.judge_side_by_side if "observation" in axis.components else inside_laws.judge_steps
    varied = host_of(env, axis, level)
    return [follow(varied, plain, seed, steps) for seed, steps in enumerate(LENGTHS)]


def shares_of(traces: list[list[Trace]]) -> dict[str, list[float]]:
    total = sum(LENGTHS)
    every = {
        name: [sum(trace.touched[name] for trace in level) / total for level in traces]
        for name in traces[0][0].touched
    }
    return {name: values for name, values in every.items() if any(values)}


def judge_touched(axis: Axis, shares: dict[str, list[float]]) -> Law:
    """Declared equals touched; a mere control touches nothing."""
    if set(axis.levels) <= set(axis.restates):
        return Law(
            not shares, f"it touches {', '.join(shares)}" if shares else f"{sum(LENGTHS):,} steps a level"
        )
    return exact_components(axis, shares, sum(LENGTHS))


def judge_felt(axis: Axis, shares: dict[str, list[float]]) -> Law:
    """Every level touches a declared component; one that restates the game touches nothing at all."""
    most = 0.0
    for i, level in enumerate(axis.levels):
        touched = {name: values[i] for name, values in shares.items() if values[i]}
        if level in axis.restates:
            if touched:
                return Law(
                    False, f"level {print_value(level)} restates the game, but touches {', '.join(touched)}"
                )
            continue
        marks = ["start" if name == "initial" else name for name in axis.components]
        mine = max((touched.get(name, 0.0) for name in marks), default=0.0)
        if not mine:
            return Law(False, f"level {print_value(level)} changes nothing")
        most = max(most, mine)
    if not most:
        return Law(None, "it only restates the game, and is equal to it")
    return Law(True, f"{most:.2%} of steps")


def is_start(axis: Axis) -> bool:
    """Whether it acts at the start alone: what happens there before the first step may undo it."""
    return axis.components == ("initial",)


def felt_in_every_way(env: str, axis: Axis) -> Law:
    """A start leads elsewhere under each way of playing that a family names, in one of some episodes."""
    ways = family_of(env).inside_laws.ways
    for way in ways:
        base = (*view_of(env), *settings_in(env, way))
        plain = build_hosted(TaskText(env, base)).host
        for level in axis.levels:
            if level in axis.restates:
                continue
            varied = build_hosted(TaskText(env, (*base, Setting(axis.name, level)))).host
            if not any(inside_laws.starts_elsewhere(varied, plain, seed) for seed in range(STARTS)):
                return Law(False, f"level {print_value(level)} changes nothing under {way}")
    return Law(True, f"{len(ways)} ways")


def neutral_is_plain(env: str, plain: Host) -> Law:
    bare = build_hosted(TaskText(env, base_of(env))).host
    runs = [inside_laws.run_digest(host, 1, NEUTRAL_STEPS) for host in (bare, plain)]
    return Law(runs[0] == runs[1])


def plain_until_it_acts(env: str, axis: Axis, level: Any, plain: Host) -> bool:
    """Under the same actions nothing differs before the first cell that a rule changes."""
    varied = host_of(env, axis, level)
    inside = inspect(varied)
    if inside.shows or not inside.writes:
        return True
    seed = episode_number(0, 0, "host")
    inside.watch()
    action = inside_laws.script_of(0, varied, 0)
    seen, expected = varied.reset(seed)[0], plain.reset(seed)[0]
    for step in range(SHORT):
        if inside.changed_cells:
            return True
        if as_bytes(seen) != as_bytes(expected):
            return False
        chosen = action(step)
        (seen, paid, *ends, _), (expected, wanted, *plain_ends, _) = varied.step(chosen), plain.step(chosen)
        acted = (
            inside.changed_cells or paid != inside.points or list(inside.executed) != list(inside.intended)
        )
        if acted or any(ends):
            return True
        if (paid, ends) != (wanted, plain_ends):
            return False
    return True


def beside_others(env: str, axis: Axis, level: Any, situation: Any) -> str:
    """The same run beside channels and a rule that draw and change nothing: no draws shift others."""
    channels = (Setting("action.random", 0.0), Setting("reward.noise", 0.0))
    task = build_hosted(TaskText(env, (*base_of(env), *channels, Setting(axis.name, level))))
    inspect(task.host).add_idle_rule()
    return inside_laws.run_digest(task.host, 0, SHORT, situation, task)


def cells_in_words(cells: frozenset[int]) -> str:
    listed = ", ".join(map(str, sorted(cells)))
    return f"cells {listed}" if 0 < len(cells) <= 12 else f"{len(cells)} cells"


def disturb_global_state() -> None:
    random.seed(time.time_ns())
    np.random.seed(time.time_ns() % 2**32)  # the point is to disturb it


def cost(plain: Host, varied: Host) -> float:
    """What a varied host's rules take beside a plain step, timed by themselves where the varied host stands.

    Whole steps would compare two worlds: another state may cost the world beneath twice as much.
    """
    plain.reset(0), varied.reset(0)
    action = inside_laws.script_of(0, varied, 0)
    for step in range(COST_STEPS // 5):
        if any(varied.step(action(step))[2:4]):
            varied.reset(0)
    held = varied.sample(generator("held", 0))

    def a_plain_step() -> None:
        if any(plain.step(held)[2:4]):
            plain.reset(0)

    spent = [
        sum(each.times * time_call(each.call) for each in inspect(host).work()) for host in (varied, plain)
    ]
    return (spent[0] - spent[1]) / time_call(a_plain_step)


def time_call(call: Callable[[], Any]) -> float:
    """CPU seconds of a call, the least of three rounds."""
    rounds = []
    for _ in range(3):
        begun = time.process_time()
        for _ in range(COST_STEPS):
            call()
        rounds.append((time.process_time() - begun) / COST_STEPS)
    return min(rounds)


def check_all(
    pairs: list[tuple[str, str]],
    progress: Callable[[int, int, str], None] = lambda *_: None,
    keep: Callable[[Certificate], None] = lambda certificate: None,
) -> list[Certificate]:
    """Certificates in order, the run of each confirmed by a process that does nothing else."""
    certificates, spawn = [], get_context("spawn")
    workers = max(1, min(len(pairs), len(os.sched_getaffinity(0))))
    with ProcessPoolExecutor(workers, spawn) as pool, ProcessPoolExecutor(1, spawn) as another:
        checks = [pool.submit(check, *pair) for pair in pairs]
        runs = [another.submit(run_again, *pair) for pair in pairs]
        for number, (env, name) in enumerate(pairs):
            progress(number, len(pairs), f"{env}+{name}")
            certificates.append(add_agreement(checks[number].result(), runs[number].result()))
            keep(certificates[-1])
    return certificates


def run_again(env: str, name: str) -> str:
    """The digest of the strongest level's run."""
    axis = axis_of(env, name)
    if axis.refuses:
        return ""
    disturb_global_state()
    host = host_of(env, axis, strongest_of(axis))
    return inside_laws.run_digest(host, 0, SHORT, inspect(host).situation)


def add_agreement(certificate: Certificate, run: str) -> Certificate:
    if "applies" in certificate.laws:
        return certificate
    law = Law(certificate.notes["run"] == run)
    notes = {name: text for name, text in certificate.notes.items() if name != "run"}
    return replace(certificate, laws=certificate.laws | {"another process agrees": law}, notes=notes)


if __name__ == "__main__":
    for target in sys.argv[1:]:
        env, _, name = target.partition("+")
        for each in [name] if name else own_axes(env):
            certificate = check(env, each)
            shares = {k: [round(x, 4) for x in v] for k, v in certificate.shares.items()}
            print(
                "ok  " if certificate.holds else "FAIL", f"{env}+{certificate.sentence()}", shares, flush=True
            )
