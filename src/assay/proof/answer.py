"""What a process of `assay check` says of one axis: a record, and the line of JSON in which it travels."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import NamedTuple

from assay.proof.certificate import Certificate, from_json


class Fingerprint(NamedTuple):
    """A run's whole numbers as a digest, to be equal everywhere; what is to be close, in base64."""

    run: str = ""
    rewards: str = ""
    pictures: str = ""


class Answer(NamedTuple):
    certificate: Certificate | None = None  # of the full pass, or of a rule inside a host
    touched: tuple[str, ...] = ()  # of the quick pass: components
    fingerprint: Fingerprint = Fingerprint()


def to_line(answer: Answer) -> str:
    certificate = asdict(answer.certificate) if answer.certificate else None
    return json.dumps([certificate, answer.touched, answer.fingerprint])


def from_line(line: str) -> Answer:
    certificate, touched, fingerprint = json.loads(line)
    return Answer(from_json(certificate) if certificate else None, tuple(touched), Fingerprint(*fingerprint))
