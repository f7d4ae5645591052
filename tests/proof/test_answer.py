"""What a process of a check says, on its way through a line of JSON."""

import pytest

from assay.proof.answer import Answer, Fingerprint, from_line, to_line
from assay.proof.certificate import Certificate, Law

LAWS = {"felt": Law(True, "0.5"), "neutral": Law(None, "it has none")}
CERTIFICATE = Certificate("delay", "toy/discrete", ("reward",), (1, 2), {"reward": 0.5}, 3, LAWS, "abc")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(),
        Answer(CERTIFICATE),
        Answer(CERTIFICATE, fingerprint=Fingerprint("d1", "AAAA", "")),
        Answer(touched=("reward", "terminal"), fingerprint=Fingerprint("d1")),
    ],
)
def test_a_line_gives_back_what_was_said(answer):
    line = to_line(answer)
    assert "\n" not in line and from_line(line) == answer
