"""What `assay check` finds of one axis on one task, and whether a shipped finding is still of this code."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from assay.catalogue import env_entry, family_of, load
from assay.core.axis import Axis
from assay.core.variation import HostRule
from assay.digests.closure import closure
from assay.digests.definitions import digest_of_definition
from assay.digests.own_code import version_of
from assay.digests.syntax import digest_of_file

SHIPPED = "certificates.json"
SEAL = "seal"  # of a line
FOR_RENEWAL = ("programs", "law_code")
PACKAGE = Path(str(files("assay")))
# What runs a check; a family's record names the laws themselves.
CHECKS = ("assay.proof.run", "assay.proof.worker")
# Of all that these import, what a finding rests on: the core, the laws, and what builds tasks.
COVERED = re.compile(r"assay\.((core|proof)\..*|native|hosted|tasks)")
# The record of a family, what a certificate is, and the cache of the user's own proofs.
MEASURES_NOTHING = ("assay.core.family", "assay.proof.certificate", "assay.proof.own_proofs")
ON_GPUS = "gpu"  # the folder of a family's kernels
# The laws of rules inside a host, which say nothing of others.
INSIDE = re.compile(r"assay\.proof\.(laws\.)?inside")


@dataclass(frozen=True)
class Law:
    """One law on one axis: held, broken, or not applicable (None), and in words why."""

    holds: bool | None
    says: str = ""


@dataclass(frozen=True)
class Certificate:
    """All laws of one axis on one task."""

    axis: str
    task: str  # the plain task, with the context in which the axis acts
    declares: tuple[str, ...]
    levels: tuple  # as text, neutral left out
    shares: dict[str, list[float]]  # component touched -> share of steps, one per level
    steps: int  # judged per level
    laws: dict[str, Law]
    digest: str  # of the code that was checked
    versions: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)  # measured beside the laws, such as a step's cost
    # Of a native entry, by which it can be renewed without being run (`renewal.py`).
    programs: str = ""  # a digest of the programs that were run and of all that went into them
    law_code: str = ""  # a digest of the laws' own code

    @property
    def holds(self) -> bool:
        return all(law.holds is not False for law in self.laws.values())

    def sentence(self) -> str:
        """The line that `assay check` prints."""
        parts = [f"{self.axis} declares {', '.join(self.declares)}."]
        for name, law in self.laws.items():
            word = {True: "yes", False: "NO", None: "not applicable"}[law.holds]
            parts.append(f"{name}: {word}{f' ({law.says})' if law.says else ''}.")
        parts += [f"{name}: {text}." for name, text in self.notes.items()]
        return "  ".join(parts)


def from_json(entry: dict) -> Certificate:
    """A certificate from its line, whose seal was compared or is of no interest."""
    entry = {name: value for name, value in entry.items() if name != SEAL}
    laws = {name: Law(**law) for name, law in entry["laws"].items()}
    return Certificate(
        **(entry | {"laws": laws, "declares": tuple(entry["declares"]), "levels": tuple(entry["levels"])})
    )


def to_json(certificates: list[Certificate]) -> str:
    """One certificate a line, so that a change shows as the lines it concerns."""
    entries = [to_entry(c) for c in certificates]
    lines = [json.dumps(entry | {SEAL: seal_of(entry)}, sort_keys=True) for entry in entries]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def to_entry(certificate: Certificate) -> dict:
    """A certificate as its line holds it; what it does not have is left out."""
    entry = asdict(certificate)
    return {name: value for name, value in entry.items() if value or name not in FOR_RENEWAL}


def seal_of(entry: dict) -> str:
    """A digest of a certificate's line, so that one that was edited by hand does not count."""
    rest = {name: value for name, value in entry.items() if name != SEAL}
    return hashlib.blake2b(json.dumps(rest, sort_keys=True).encode(), digest_size=16).hexdigest()


@cache
def shipped_certificates() -> dict[tuple[str, str], Certificate]:
    """The certificates that come with the package, by (env, axis)."""
    source = files("assay") / SHIPPED
    entries = json.loads(source.read_text()) if source.is_file() else []
    certificates = [from_json(entry) for entry in entries if entry.get(SEAL) == seal_of(entry)]
    return {(c.task.split("+")[0], c.axis): c for c in certificates}


def standing(env: str, axis: Axis) -> str:
    """ "proved", "not applicable", "fails" or "unproved": only a certificate of exactly this code counts."""
    certificate = shipped_certificates().get((env, axis.name))
    if certificate is None or certificate.digest != code_digest(env, axis):
        return "unproved"
    if "applies" in certificate.laws:
        return "not applicable"
    if not certificate.laws or not certificate.steps or certificate.declares != tuple(axis.components):
        return "unproved"
    return "proved" if certificate.holds else "fails"


def other_versions(env: str, axis: Axis) -> dict[str, str]:
    """The versions with which an axis's certificate was made, of those packages that have others here."""
    certificate = shipped_certificates().get((env, axis.name))
    made_with = certificate.versions if certificate else {}
    return {name: then for name, then in made_with.items() if version_of(name) != then}


def code_digest(env: str, axis: Axis) -> str:
    """A digest of the code that a certificate speaks of: core, laws, family, and the axis by definition."""
    by_rules = isinstance(axis.acts, HostRule)
    own = digest_of_definition(axis)
    laws = laws_of(family_of(env).checker, by_rules)
    more = closure(module for module in own.modules if COVERED.fullmatch(module) and module not in laws)
    data = load(env_entry(env).data)(env) if by_rules and env_entry(env).data else []
    paths = {
        *laws.values(),
        *more.values(),
        *files_of_family(env.split("/")[0], data_too=not env_entry(env).data),
        *(PACKAGE / d for d in data),
    }
    digest = hashlib.blake2b(f"{own.digest}\n{facts_of(env)}\n".encode(), digest_size=16)
    for path in sorted(paths):
        digest.update(f"{path.relative_to(PACKAGE)}\0{digest_of_file(path)}\n".encode())
    return digest.hexdigest()


@cache
def laws_of(checker: str, by_rules: bool) -> dict[str, Path]:
    """The modules of the core and of the laws that a check runs through."""
    modules = closure((checker.partition(":")[0], *CHECKS), leave_out=None if by_rules else INSIDE)
    return {
        name: path
        for name, path in modules.items()
        if COVERED.fullmatch(name) and name not in MEASURES_NOTHING
    }


@cache
def files_of_family(family: str, data_too: bool) -> tuple[Path, ...]:
    """The code of a family that comes with assay, and its data where no entry says whose they are.

    Another package's family is its own matter. So is what draws on GPUs: laws are proved on CPUs, where it
    does not run, and its frames are held to the others by its own tests.
    """
    folder = PACKAGE / "envs" / family
    files = (path for path in folder.rglob("*") if path.is_file() and path.parent != folder / ON_GPUS)
    return tuple(sorted(path for path in files if path.suffix == ".py" or (data_too and is_data(path))))


def is_data(path: Path) -> bool:
    return path.parent.name != "__pycache__"


@cache
def facts_of(env: str) -> str:
    """What the record of its family says that decides how it is built and checked."""
    entry, family = env_entry(env), family_of(env)
    order = [axis.name for axis in entry.axes if not isinstance(axis.acts, HostRule)]
    return digest_of_definition(
        (entry.build, order, family.checker, family.lasting, family.inside_laws)
    ).digest
