"""What `assay check` finds of one axis on one task, and whether a shipped finding is still of this code."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from assay.catalogue import OURS, load
from assay.core.axis import Axis

SHIPPED = "certificates.json"
PROVED_PARTS = ("core", "variations", "proof")  # and the family's folder: a change there voids a certificate
# But what only hosts run through says nothing of native envs, and the other way round; the laws of games say
# nothing of others; and this file measures nothing.
NOT_OF_NATIVE = ("core/host.py", "core/host_laws.py", "core/scalars.py", "proof/hosted.py", "hosted.py")
NOT_OF_HOSTED = ("core/laws.py", "core/step.py", "core/randomness.py", "proof/native.py", "native.py")
OF_GAMES = ("proof/inside.py", "proof/inside_laws.py")
OF_NOBODY = ("proof/certificate.py", "proof/own.py")


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
    laws = {name: Law(**law) for name, law in entry["laws"].items()}
    return Certificate(
        **(entry | {"laws": laws, "declares": tuple(entry["declares"]), "levels": tuple(entry["levels"])})
    )


def to_json(certificates: list[Certificate]) -> str:
    """One certificate a line, so that a change shows as the lines it concerns."""
    lines = [json.dumps(asdict(c), sort_keys=True) for c in certificates]
    return "[\n" + ",\n".join(lines) + "\n]\n"


@cache
def shipped() -> dict[tuple[str, str], Certificate]:
    """The certificates that come with the package, by (env, axis)."""
    source = files("assay") / SHIPPED
    entries = json.loads(source.read_text()) if source.is_file() else []
    found = [from_json(entry) for entry in entries]
    return {(c.task.split("+")[0], c.axis): c for c in found}


def standing(env: str, axis: Axis) -> str:
    """ "proved", "not applicable", "fails" or "unproved": only a certificate of exactly this code counts."""
    certificate = shipped().get((env, axis.name))
    # One of the env's own axes speaks of its data file too, one of any task's of the family's code alone.
    if certificate is None or certificate.digest not in (code_digest(env), code_digest(env.split("/")[0])):
        return "unproved"
    if "applies" in certificate.laws:
        return "not applicable"
    return "proved" if certificate.holds else "fails"


@cache
def code_digest(name: str) -> str:
    """A digest of the source that certificates of a family, or of one env and its data file, speak of."""
    family = name.split("/")[0]
    package = Path(str(files("assay")))
    folders = [package / part for part in PROVED_PARTS] + [package / "envs" / family]
    sources = sorted(path for folder in folders for path in folder.rglob("*.py"))
    sources += [package / name for name in ("native.py", "hosted.py", "tasks.py")]
    digest = hashlib.blake2b(digest_size=16)
    of_family = [entry for entry in OURS.envs if entry.name.split("/")[0] == family]
    for entry in of_family:  # what builds it, and the order in which its axes act
        digest.update(repr((entry.name, entry.build, [axis.name for axis in entry.axes])).encode())
    native, by_rules = any(e.native for e in of_family), [e.data for e in of_family if e.data]
    apart = (NOT_OF_NATIVE if native else NOT_OF_HOSTED) + OF_NOBODY + (() if by_rules else OF_GAMES)
    sources = [path for path in sources if str(path.relative_to(package)) not in apart]
    if by_rules and name != family:
        sources += [package / each for each in load(by_rules[0])(name)]
    for path in sources:
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
