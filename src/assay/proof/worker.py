"""One process of `assay check`: reads what to check from standard input, writes a line of JSON per entry.

Run as `python -m assay.proof.worker full|quick|inside`. The `full` pass checks every law on each axis alone,
in a process whose XLA neither contracts nor reorders floating point. The `quick` pass runs the strongest
levels once more as a user's process compiles them, many axes in one program, under other global random
state: it must find the same.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.catalogue import axis_of, env_entry, family_of, load
from assay.core.axis import Axis
from assay.errors import NotApplicable
from assay.proof import inside
from assay.proof.answer import Answer, Fingerprint, to_line
from assay.proof.certificate import Certificate, Law, code_digest
from assay.proof.checker import Checker, QuickRun

Pairs = list[tuple[str, Axis]]
ENOUGH_FOR_A_CROWD = 4
KEPT = 16  # entries whose compiled programs are kept: each maps memory, of which a process has so many pieces
FLOAT_STEPS, FLOAT_LANES = 64, 12  # what is sent of the rewards, for comparison between the two processes
SQUARE, SOME_STEPS = 16, 9  # of pictures: the side of a square, and every so many steps


def main(mode: str) -> None:
    disturb_global_state(mode)
    pairs = [(env, axis_of(env, name)) for env, name in map(json.loads, sys.stdin)]
    answers = {"full": full_answers, "quick": quick_answers, "inside": inside_answers}[mode](pairs)
    for number, answer in enumerate(answers):
        print(to_line(answer), flush=True)
        if number % KEPT == KEPT - 1 and "jax" in sys.modules:
            sys.modules["jax"].clear_caches()


def disturb_global_state(mode: str) -> None:
    """Each pass has other global random state; nothing of ours may depend on it."""
    random.seed(mode)
    np.random.seed(len(mode))  # the point is to disturb it


def full_answers(pairs: Pairs) -> Iterator[Answer]:
    for env, axis in pairs:
        why_not = does_it_apply(env, axis)
        if why_not:
            yield Answer(does_not_apply(env, axis, why_not))
        else:
            certificate, run = checker_of(env).check(env, axis)
            yield Answer(certificate, fingerprint=fingerprint(run))


def inside_answers(pairs: Pairs) -> Iterator[Answer]:
    """Rules inside a host, which have laws of their own."""
    for env, axis in pairs:
        yield Answer(inside.check(env, axis.name))


def does_not_apply(env: str, axis: Axis, why: str) -> Certificate:
    law = {"applies": Law(None, why)}
    return Certificate(axis.name, env, axis.components, (), {}, 0, law, code_digest(env, axis))


def quick_answers(pairs: Pairs) -> Iterator[Answer]:
    crowds = {
        env: in_crowd(env, [axis for other, axis in pairs if other == env])
        for env in {env for env, _ in pairs}
    }
    for env, axis in pairs:
        if does_it_apply(env, axis):
            yield Answer()
            continue
        touched, run = crowds[env].get(axis.name) or checker_of(env).check_quickly(env, axis)
        yield Answer(touched=tuple(sorted(touched)), fingerprint=fingerprint(run))


def in_crowd(env: str, axes: list[Axis]) -> dict[str, QuickRun]:
    """The traced axes of a native env that act without a context, if enough to be worth one large program."""
    if not env_entry(env).native:
        return {}
    fit = [
        axis
        for axis in axes
        if axis.kind != "structure" and not axis.context and not does_it_apply(env, axis)
    ]
    return checker_of(env).check_in_crowd(env, fit) if len(fit) >= ENOUGH_FOR_A_CROWD else {}


def does_it_apply(env: str, axis: Axis) -> str:
    """ "" where the axis' own task can be built, else why not; what a law runs into later is a failure."""
    try:
        checker_of(env).build(env, axis)
    except NotApplicable as error:
        return str(error)
    return ""


def checker_of(env: str) -> Checker:
    """What proves the axes of this env; jax is loaded only for native ones."""
    checker: Checker = load(family_of(env).checker)
    return checker


def fingerprint(run: Any) -> Fingerprint:
    """A digest of a run's whole numbers, to be equal everywhere, and what is to be close.

    That is some of its rewards, and of pictures the means of their squares: their bytes come from floats.
    """
    if isinstance(run, str):
        return Fingerprint(run)
    leaves = sys.modules["jax"].tree.leaves(run._replace(touched={}))
    pictures = [leaf for leaf in leaves if leaf.dtype == np.uint8 and leaf.ndim == 5]
    whole = [leaf for leaf in leaves if leaf.dtype.kind != "f" and not any(leaf is each for each in pictures)]
    digest = hashlib.blake2b(b"".join(np.ascontiguousarray(leaf).tobytes() for leaf in whole), digest_size=16)
    rewards = np.ascontiguousarray(run.reward[:FLOAT_LANES, :FLOAT_STEPS])
    means = np.concatenate([squares(each).ravel() for each in pictures] or [np.zeros(0, np.float32)])
    return Fingerprint(digest.hexdigest(), encode(rewards), encode(means))


def encode(numbers: np.ndarray) -> str:
    return base64.b64encode(numbers.tobytes()).decode()


def squares(pictures: np.ndarray) -> np.ndarray:
    """The means of squares of 16 pixels, of some lanes and steps of pictures (lanes, steps, H, W, C)."""
    few = pictures[:FLOAT_LANES:4, ::SOME_STEPS].astype(np.float32)
    height, width = (side // SQUARE * SQUARE for side in few.shape[2:4])
    few = few[:, :, :height, :width]
    means: np.ndarray = few.reshape(
        *few.shape[:2], height // SQUARE, SQUARE, width // SQUARE, SQUARE, -1
    ).mean((3, 5))
    return means


if __name__ == "__main__":
    main(sys.argv[1])
