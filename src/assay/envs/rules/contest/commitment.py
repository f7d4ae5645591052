"""Held-out rules: a digest is told now, the text later, and the text is checked against the digest.

The salt has 32 random bytes, so that the digest of a short rule cannot be found by trying rules.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.envs.rules.language.parse import parse
from assay.errors import AssayError
from assay.strict_json import from_json

SALT = 32  # bytes
LARGEST = 1_000_000  # bytes of a file with a revealed rule
OWNER_ALONE = 0o600  # may read and write it


@dataclass(frozen=True)
class Revealed:
    """A rule that was held out, with all that shows it to be the one that was committed to."""

    name: str
    digest: str
    salt: str  # hexadecimal
    text: str


def commit(name: str, text: str, salt: str = "") -> Revealed:
    """The commitment to a rule; its digest may be published at once, the rest later."""
    parse(text, source=name)
    salt = salt or secrets.token_hex(SALT)
    return Revealed(name, digest_of(text, salt), salt, text)


def digest_of(text: str, salt: str) -> str:
    try:
        raw = bytes.fromhex(salt)
    except ValueError:
        raw = b""
    if len(raw) != SALT:
        raise AssayError(f"a salt has {2 * SALT} hexadecimal digits, not {salt!r:.80}.")
    return hashlib.sha256(b"assay-rule-1\0" + raw + told_bytes(text)).hexdigest()


def told_bytes(text: str) -> bytes:
    """A text of a file as bytes; JSON can hold halves of characters, which no file of text can."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise AssayError("a revealed rule holds half of a character; write its text in UTF-8.") from None


def check_revealed(revealed: Revealed) -> Revealed:
    """The rule, where its text and salt give its digest."""
    if not hmac.compare_digest(digest_of(revealed.text, revealed.salt).encode(), told_bytes(revealed.digest)):
        raise AssayError(
            f"the rule {revealed.name!r:.60} is not the one that was committed to: its text and salt do not "
            "give its digest."
        )
    parse(revealed.text, source=revealed.name)
    return revealed


def write_revealed(path: Path, revealed: Revealed) -> None:
    """Keeps the rule and its salt for later, readable by the owner alone.

    A file that is there is never replaced: its salt is the only one that gives a digest already told.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ALONE)
    except FileExistsError:
        raise AssayError(
            f"{path} is there already, and without its salt a digest that was told can never be revealed; "
            "name another file."
        ) from None
    with os.fdopen(file, "w", encoding="utf-8") as out:
        out.write(json.dumps(asdict(revealed), indent=1) + "\n")


def read_revealed(path: Path) -> Revealed:
    if path.is_symlink() or not path.is_file():
        raise AssayError(f"{path.name} is no plain file; links and folders are not followed.")
    if path.stat().st_size > LARGEST:
        raise AssayError(f"{path.name} has more than {LARGEST:,} bytes, too many for a rule.")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise AssayError(
            f"{path.name} is no JSON of a revealed rule; `assay rules commit` writes it."
        ) from None
    return check_revealed(from_json(Revealed, document, path.name))
