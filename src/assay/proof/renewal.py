"""Renews certificates of native entries by tracing, where the code changed and the programs did not.

A certificate counts for the code that was checked. Where today's code gives the same programs with the same
inputs, and the laws are the same, a check of today's code would find the same. Loads jax when it traces.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from pathlib import Path

import assay
from assay.catalogue import axis_of, env_entry, family_of
from assay.digests.closure import closure
from assay.digests.syntax import digest_of_file
from assay.proof.certificate import Certificate, code_digest, laws_of, shipped_certificates

Pair = tuple[str, str]  # env, name of the axis
LAWS = "assay.proof."
TRACES = "assay.proof.programs"
KEPT = 16  # entries whose traced programs are kept
# Words of code that does one thing under a trace and another in plain Python, or that a program calls back:
# what such code does is not in the text of its program.
UNSEEN = (
    "Tracer", "Concretization", "is_concrete", "pure_callback", "io_callback", "debug.callback",
    "debug_callback", "emit_python_callback", "ensure_compile_time_eval",
)  # fmt: skip


def renewals(
    pairs: list[Pair], progress: Callable[[int, int, str], None] = lambda *_: None
) -> Iterator[Certificate]:
    """The certificates of these entries that are found to be of today's code, by tracing."""
    for number, (env, name) in enumerate(pairs):
        progress(number, len(pairs), f"{env}+{name}")
        renewed = renew(env, name)
        if renewed is not None:
            yield renewed
        if number % KEPT == KEPT - 1 and "jax" in sys.modules:
            sys.modules["jax"].clear_caches()


def renew(env: str, name: str) -> Certificate | None:
    """The certificate of an entry as one of today's code, or None where only a check can tell.

    One of today's code already is given the digests that it lacks.
    """
    known, axis = shipped_certificates().get((env, name)), axis_of(env, name)
    if known is None or not known.holds or not env_entry(env).native:
        return None
    today = code_digest(env, axis)
    if known.digest == today:
        return with_programs(known)
    if not known.programs or known.law_code != law_code(env) or code_that_programs_do_not_show():
        return None
    return replace(known, digest=today) if known.programs == trace_programs(env, name) else None


def may_be_renewed(env: str, name: str) -> bool:
    """Whether tracing can add to what the package has of an entry."""
    known = shipped_certificates().get((env, name))
    if known is None or not known.holds or not env_entry(env).native:
        return False
    current = known.digest == code_digest(env, axis_of(env, name))
    return not known.programs if current else bool(known.programs) and known.law_code == law_code(env)


def with_programs(certificate: Certificate) -> Certificate:
    """A certificate of today's code with the digests by which it can be renewed later, if it is native."""
    env = certificate.task.split("+")[0]
    if not env_entry(env).native or not certificate.holds:
        return certificate
    programs = trace_programs(env, certificate.axis)
    return replace(certificate, programs=programs, law_code=law_code(env))


@cache
def code_that_programs_do_not_show() -> tuple[str, ...]:
    """The modules of core, envs and variations whose text has a word of `UNSEEN`; then nothing is renewed."""
    package = Path(assay.__file__).parent
    paths = [path for part in ("core", "envs", "variations") for path in (package / part).rglob("*.py")]
    if not paths:
        raise FileNotFoundError("the code of assay is not there to be read")
    found = [path for path in paths if any(word in path.read_text(encoding="utf-8") for word in UNSEEN)]
    return tuple(str(path.relative_to(package)) for path in sorted(found))


def trace_programs(env: str, name: str) -> str:
    from assay.proof.programs import digest_of_programs  # loads jax

    return digest_of_programs(env, axis_of(env, name))


def law_code(env: str) -> str:
    """A digest of the code of the laws that an env is held to, and of what digests programs."""
    return digest_of_laws(family_of(env).checker)


@cache
def digest_of_laws(checker: str) -> str:
    traced = closure((TRACES,))
    modules = {**laws_of(checker, by_rules=False), TRACES: traced[TRACES]}
    digest = blake2b(digest_size=16)
    for name in sorted(modules):
        if name.startswith(LAWS):
            digest.update(f"{name} {digest_of_file(modules[name])}\n".encode())
    return digest.hexdigest()
