"""Runs the checks in two processes side by side and joins what they find. Imports no jax itself."""

from __future__ import annotations

import base64
import json
import os
import re
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.catalogue import axis_of, entries, env_entry, variations
from assay.errors import AssayError
from assay.proof.answer import Answer, from_line
from assay.proof.certificate import Certificate, Law
from assay.task_text import unknown_name_error

# No fused multiply-add, so that floats of plain Python and compiled programs can be compared bit for bit.
XLA_FLAGS = {"full": "--xla_cpu_max_isa=AVX --xla_backend_optimization_level=0", "quick": "", "inside": ""}
GRAY = 0.5  # of 255: how far the mean of a square of a picture may lie from that of another process
TOLERANCE = 1e-5  # between processes of other instruction sets


def what_to_check(targets: list[str], on: str | None = None) -> list[tuple[str, str]]:
    """(env, axis) pairs of families (toy), envs (toy/discrete) and axes (toy/discrete+delay, mine:blink)."""
    pairs: list[tuple[str, str]] = []
    for target in targets:
        env, _, name = target.partition("+")
        if ":" in target and "/" not in target:
            if on is None:
                raise AssayError(
                    f"say on which task {target!r} is to be checked: "
                    f"`assay check {target} --on gym/CartPole-v1`."
                )
            pairs.append((on, target))
        elif name:
            if not is_axis_name(env, name):
                raise AssayError(
                    f"a check takes an axis at all its levels; write {env}+{re.split('[=@+]', name)[0]}, "
                    f"not {target}."
                )
            pairs.append((env, name))
        else:
            pairs += [(each, axis.name) for each in envs_of(env) for axis in variations(each)]
    for env, name in pairs:
        env_entry(env), axis_of(env, name)
    return pairs


def is_axis_name(env: str, name: str) -> bool:
    """Whether this is an axis' name alone; an unknown one is an error that suggests."""
    return axis_of(env, re.split("[=@+]", name)[0]).name == name


def envs_of(target: str) -> list[str]:
    """The envs a word stands for: one env, or all of a family, an open family by its examples."""
    if "/" in target:
        return [target] if env_entry(target) else []
    known = {family.name: family for family in entries().families}
    if target not in known:
        raise unknown_name_error("family", target, sorted(known), see="assay list")
    return [name for entry in known[target].envs for name in entry.stand_ins]


def check_all(
    pairs: list[tuple[str, str]],
    progress: Callable[[int, int, str], None] = lambda *_: None,
    keep: Callable[[Certificate], None] = lambda certificate: None,
) -> list[Certificate]:
    """A certificate for every pair, rules inside a host last, each kept as soon as it is there."""
    from assay.proof import inside  # brings processes of its own

    by_rules = [pair for pair in pairs if inside.is_inside(axis_of(*pair))]
    certificates = check_tasks([pair for pair in pairs if pair not in by_rules], progress, keep)
    return certificates + (inside.check_all(by_rules, progress, keep) if by_rules else [])


def check_tasks(
    pairs: list[tuple[str, str]],
    progress: Callable[[int, int, str], None],
    keep: Callable[[Certificate], None],
) -> list[Certificate]:
    """Certificates of what acts around a host, or in a native task, in order."""
    certificates: list[Certificate] = []
    if not pairs:
        return certificates
    with Worker("full", pairs) as full, Worker("quick", pairs) as quick:
        for i, (env, name) in enumerate(pairs):
            progress(i, len(pairs), f"{env}+{name}")
            certificates.append(join_passes(full.answer(), quick.answer()))
            keep(certificates[-1])
    return certificates


class Worker:
    """One process of a check. It ends with its block, whatever ended that."""

    def __init__(self, mode: str, pairs: list[tuple[str, str]]):
        flags = f"{os.environ.get('XLA_FLAGS', '')} {XLA_FLAGS[mode]}".strip()
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self.errors = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 - closed with the worker
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assay.proof.worker", mode],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=os.environ | {"XLA_FLAGS": flags, "PYTHONPATH": path},
        )  # fmt: skip
        assert self.process.stdin and self.process.stdout, "both are pipes"
        self._says = self.process.stdout
        self.process.stdin.write("".join(json.dumps(pair) + "\n" for pair in pairs))
        self.process.stdin.close()

    def answer_within(self, seconds: float) -> Answer | None:
        """What it says of the next pair; None where that takes longer."""
        return self.answer() if select.select([self._says], [], [], seconds)[0] else None

    def answer(self) -> Answer:
        """What it says of the next pair."""
        line = self._says.readline()
        if not line:
            self.errors.seek(0)
            message = self.errors.read().strip().splitlines() or ["it was ended from outside"]
            raise AssayError(f"a check ended early: {message[-1]}")
        return from_line(line)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()
        self._says.close()
        self.errors.close()


def join_passes(full: Answer, quick: Answer) -> Certificate:
    """The full pass' certificate and what the quick pass adds: other processes and programs agree."""
    certificate = full.certificate
    assert certificate is not None, "the full pass makes one"
    if "applies" in certificate.laws:
        return certificate
    more = set(quick.touched) - set(certificate.shares)
    ours, theirs = full.fingerprint, quick.fingerprint
    same = (
        ours.run == theirs.run
        and are_near(ours.rewards, theirs.rewards, TOLERANCE)
        and are_near(ours.pictures, theirs.pictures, GRAY)
    )
    law = Law(False, f"there it touches {', '.join(sorted(more))} too") if more else Law(bool(same))
    return replace(certificate, laws=certificate.laws | {"another process agrees": law})


def are_near(mine: str, theirs: str, within: float) -> bool:
    a, b = (np.frombuffer(base64.b64decode(each), np.float32) for each in (mine, theirs))
    return a.shape == b.shape and np.allclose(a, b, rtol=TOLERANCE, atol=within)
