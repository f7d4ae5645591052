"""The proof of every axis of an exam; a variation of the user's own is checked first, and remembered.

What is remembered is keyed by all that the finding rests on: the user's code, the laws, the core, the family
and the versions of what they run on. It lies in the user's cache folder.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from assay.catalogue import axis_of, family_of
from assay.core.axis import Axis
from assay.digests.closure import closure
from assay.digests.own_code import sources
from assay.digests.syntax import digest_of_file
from assay.errors import AssayError
from assay.proof.answer import Answer
from assay.proof.certificate import Certificate, code_digest, other_versions, standing
from assay.proof.inside import is_inside
from assay.proof.run import Worker, join_passes

SHIPPED = "proved by a shipped certificate"
ELSEWHERE = "proved by a shipped certificate, under other versions"
HERE = "proved here and now"
PARTLY = "partly checked"
UNPROVED = "unproved"
FAILED = "failed"
WORDS = {"proved": SHIPPED, "not applicable": UNPROVED, "unproved": UNPROVED, "fails": FAILED}

STANDINGS = {HERE: "proved here", UNPROVED: "not applicable", FAILED: "fails"}  # of what is remembered

SECONDS = 60.0  # that a check before an exam may take
RUNS_ON = ("jax", "jaxlib", "numpy", "gymnasium")  # and what the family names


class Proof(NamedTuple):
    word: str
    says: str = ""  # which law fails, or why it was not checked to its end


def is_own(name: str) -> bool:
    """Whether an axis is the user's: `module:attribute` or `file.yaml:name`."""
    return ":" in name


def proof_of(
    env: str, name: str, tell: Callable[[str], None], seconds: float = SECONDS, keeps: bool = True
) -> Proof:
    """How far an axis on an env is proved; one of the user's own is checked now if it never was.

    Without `keeps` nothing is remembered: it reads what no digest covers, so its proof is of this moment.
    """
    if not is_own(name):
        return shipped_proof(env, axis_of(env, name))
    known = recall_proof(env, name) if keeps else None
    if known is not None:
        return known
    tell(f"checking {name} on {env} first, at most {seconds:.0f} s")
    proof = check_within(env, name, seconds)
    if keeps:
        remember(env, name, proof)
    return proof


def shipped_proof(env: str, axis: Axis) -> Proof:
    """What its certificate says of an axis of the catalogue, and with which versions, if here are others."""
    word, others = WORDS[standing(env, axis)], other_versions(env, axis)
    if word != SHIPPED or not others:
        return Proof(word)
    made = [f"{name} {then} (here {installed_version(name) or 'none'})" for name, then in others.items()]
    return Proof(ELSEWHERE, f"made with {' and '.join(made)}")


def standing_here(env: str, axis: Axis) -> str:
    """The standing of an axis; one of the user's own stands as the last check of its code here found."""
    proof = recall_proof(env, axis.name) if is_own(axis.name) else None
    return standing(env, axis) if proof is None else STANDINGS[proof.word]


def place_of(env: str, name: str) -> Path:
    return proofs_folder() / f"{key_of(env, name)}.json"


def recall_proof(env: str, name: str) -> Proof | None:
    """What an earlier check of the same code found of a variation of the user's own, if there was one."""
    place = place_of(env, name)
    return Proof(*json.loads(place.read_text())) if place.is_file() else None


def remember(env: str, name: str, proof: Proof) -> None:
    """Keeps what a check that came to its end found; a cache that cannot be written costs only time."""
    if proof.word == PARTLY:
        return
    place = place_of(env, name)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        aside = place.with_suffix(f".{os.getpid()}")
        aside.write_text(json.dumps(proof))
        os.replace(aside, place)
    except OSError:
        return


def proofs_folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return base / "assay" / "proofs"


def check_within(env: str, name: str, seconds: float) -> Proof:
    """All laws, in processes that are ended when the time is over."""
    by_rules, until = is_inside(axis_of(env, name)), time.monotonic() + seconds
    answers: list[Answer | None] = []
    with ExitStack() as stack:
        modes = ("inside",) if by_rules else ("full", "quick")
        workers = [stack.enter_context(Worker(mode, [(env, name)])) for mode in modes]
        try:
            for worker in workers:
                answers.append(worker.answer_within(max(0.0, until - time.monotonic())))
        except AssayError as error:
            return Proof(FAILED, str(error))
    there = [answer for answer in answers if answer is not None]
    if answers[0] is None or answers[0].certificate is None:
        return Proof(PARTLY, f"nothing was found in {seconds:.0f} s")
    certificate, missing = answers[0].certificate, len(there) < len(answers)
    if certificate.holds and missing:
        return Proof(PARTLY, f"no other process agreed in {seconds:.0f} s")
    return read_proof(certificate if by_rules or missing else join_passes(*there))


def read_proof(certificate: Certificate) -> Proof:
    if "applies" in certificate.laws:
        return Proof(UNPROVED, certificate.laws["applies"].says)
    broken = [(name, law) for name, law in certificate.laws.items() if law.holds is False]
    if not broken:
        return Proof(HERE)
    name, law = broken[0]
    return Proof(FAILED, f"{name}: no, {law.says}" if law.says else f"{name}: no")


def key_of(env: str, name: str) -> str:
    """A digest of all that a finding rests on."""
    digest = blake2b(digest_size=16)
    facts = [env, name, code_digest(env, axis_of(env, name)), sys.version]
    facts += map(installed_version, (*RUNS_ON, *family_of(env).packages))
    digest.update(json.dumps(facts).encode())
    for path in own_files(name):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for module, path in sorted(closure(modules_used(name)).items()):
        digest.update(f"{module} {digest_of_file(path)}\0".encode())
    return digest.hexdigest()


def modules_used(name: str) -> tuple[str, ...]:
    """The modules of assay that the code of a user's variation uses."""
    source = name.rpartition(":")[0]
    return () if source.endswith((".yaml", ".yml")) else sources([source]).ours


def installed_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def own_files(name: str) -> list[Path]:
    """The files of a user's variation: its rule file, or its module and those of the user's that it uses."""
    source = name.rpartition(":")[0]
    if source.endswith((".yaml", ".yml")):
        return [Path(source)]
    return sorted(sources([source]).files.values())
