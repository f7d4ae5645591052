"""Certificates that are renewed by tracing: only where programs and laws are those that were proved."""

from dataclasses import replace

import pytest

from assay.catalogue import axis_of
from assay.proof import renewal
from assay.proof.certificate import Certificate, Law, code_digest, from_json, to_entry

ENV, NAME = "toy/discrete", "action.sticky"
CURRENT = Certificate(NAME, ENV, ("action",), ("0.1",), {"action": [0.1]}, 9, {"felt": Law(True)},
                      code_digest(ENV, axis_of(ENV, NAME)), programs="those of today",
                      law_code=renewal.law_code(ENV))  # fmt: skip
OLD = replace(CURRENT, digest="of earlier code")


@pytest.fixture
def renewed(monkeypatch):
    """What becomes of a shipped certificate; today's programs have the digest "those of today"."""
    traced = []

    def trace(env, name):
        traced.append(name)
        return "those of today"

    def renew(shipped):
        monkeypatch.setattr(renewal, "shipped_certificates", lambda: {(ENV, NAME): shipped})
        return renewal.renew(ENV, NAME)

    monkeypatch.setattr(renewal, "trace_programs", trace)
    renew.traced = traced
    return renew


def test_a_certificate_of_the_same_programs_becomes_one_of_todays_code(renewed):
    assert renewed(OLD) == CURRENT


@pytest.mark.parametrize(
    "edit", [{"programs": "others"}, {"programs": ""}, {"law_code": "others"}, {"laws": {"felt": Law(False)}}]
)
def test_one_of_other_programs_or_laws_or_that_fails_does_not(renewed, edit):
    assert renewed(replace(OLD, **edit)) is None


def test_other_laws_are_told_without_tracing(renewed):
    assert renewed(replace(OLD, law_code="others")) is None and renewed.traced == []


def test_a_current_one_is_given_the_digests_that_it_lacks(renewed):
    assert renewed(replace(CURRENT, programs="", law_code="")) == CURRENT


def test_only_what_tracing_can_add_to_is_traced(monkeypatch):
    def may_be(shipped):
        monkeypatch.setattr(renewal, "shipped_certificates", lambda: {(ENV, NAME): shipped})
        return renewal.may_be_renewed(ENV, NAME)

    assert may_be(OLD) and may_be(replace(CURRENT, programs=""))
    assert not may_be(CURRENT) and not may_be(replace(OLD, programs="")) and not may_be(None)


def test_a_hosted_certificate_has_no_programs():
    hosted = replace(CURRENT, task="gym/CartPole-v1", programs="", law_code="")
    assert renewal.with_programs(hosted) == hosted
    assert "programs" not in to_entry(hosted) and from_json(to_entry(hosted)) == hosted


def test_the_code_of_the_laws_counts_and_that_of_the_core_does_not(monkeypatch):
    def digest_without(part):
        renewal.digest_of_laws.cache_clear()
        monkeypatch.setattr(renewal, "digest_of_file", lambda path: "" if part in str(path) else "as it was")
        return renewal.law_code(ENV)

    whole = digest_without("no such file")
    laws = ("proof/native.py", "proof/laws/native.py", "proof/run.py", "proof/worker.py",
            "proof/touched_laws.py", "proof/laws/channels.py", "proof/programs.py")  # fmt: skip
    assert all(digest_without(part) != whole for part in laws)
    assert digest_without("core/step.py") == whole == digest_without("proof/certificate.py")
    renewal.digest_of_laws.cache_clear()


def test_no_env_or_variation_asks_whether_it_is_traced():
    """A law compares compiled steps with steps in plain Python. The digest knows the former alone."""
    assert renewal.code_that_programs_do_not_show() == ()


@pytest.mark.parametrize("line", ["except jax.errors.ConcretizationTypeError:", "jax.pure_callback(f, x)"])
def test_where_code_does_nothing_is_renewed(monkeypatch, tmp_path, renewed, line):
    for part in ("core", "envs", "variations"):
        (tmp_path / part).mkdir()
    (tmp_path / "envs" / "game.py").write_text(line)
    monkeypatch.setattr(renewal.assay, "__file__", str(tmp_path / "__init__.py"))
    renewal.code_that_programs_do_not_show.cache_clear()
    try:
        assert renewal.code_that_programs_do_not_show() == ("envs/game.py",)
        assert renewed(OLD) is None and renewed.traced == []
    finally:
        renewal.code_that_programs_do_not_show.cache_clear()
