"""`assay check`: its lines, its exit codes and what it stores."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from assay.catalogue import axis_of, variations
from assay.cli import check
from assay.cli.main import app
from assay.proof import certificate as certificate_file
from assay.proof import renewal
from assay.proof.certificate import (
    Certificate,
    Law,
    code_digest,
    from_json,
    shipped_certificates,
    standing,
    to_json,
)

MINE = """
from assay.core.variation import Channel


def fee(xp, level, memory, draw, value, ends, space):
    return memory, value - level - 0.001


FEE = Channel(0.5, name="fee", components=("reward",), apply=fee)
"""


def run(*words):
    return CliRunner().invoke(app, ["check", *words])


def certificate(task="gym/CartPole-v1", axis="action.sticky", holds=True):
    return Certificate(
        axis, task, ("action",), ("0.5",), {"action": [0.1]}, 5000, {"felt": Law(holds)}, "digest"
    )


class Shipped:
    """Stands for `shipped_certificates`, which keeps what it has read."""

    def __init__(self, *found):
        self.found = {(each.task, each.axis): each for each in found}

    def __call__(self):
        return self.found

    def cache_clear(self):
        pass


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A folder in place of the package, in which certificates are stored."""
    monkeypatch.setattr(check, "files", lambda name: tmp_path)
    return tmp_path


def test_a_line_an_entry_and_a_count_at_the_end():
    done = run("gym/FrozenLake-v1+reward.sign", "gym/FrozenLake-v1+observation.quantise")
    assert done.exit_code == 0, done.output
    env, sign, quantise, count = done.stdout.splitlines()
    assert env == "gym/FrozenLake-v1"
    assert sign.startswith("  reward.sign declares reward.  level false identical: yes.")
    assert quantise.startswith("  observation.quantise does not apply to gym/FrozenLake-v1")
    assert count.startswith("2 entries: 1 holds, 1 does not apply, 0 fail (")
    assert done.stderr.startswith("  1 of 2, 0 s  gym/FrozenLake-v1+reward.sign")


def test_a_law_that_fails_is_exit_code_1(tmp_path, monkeypatch):
    (tmp_path / "charging.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    done = run("charging:FEE", "--on", "gym/FrozenLake-v1", "--json")
    assert done.exit_code == 1
    [found] = json.loads(done.stdout)
    assert found["laws"]["level 0.0 identical"]["holds"] is False


def test_a_dry_run_says_what_would_be_checked():
    names = json.loads(run("gym", "--dry-run", "--json").stdout)
    assert "gym/Pendulum-v1+action.random" in names
    assert run("gym", "--dry-run").stdout.endswith(f"{len(names)} entries\n")


def read(package):
    return [from_json(entry) for entry in json.loads((package / "certificates.json").read_text())]


def test_certificates_are_stored_beside_the_others(package, monkeypatch):
    kept = certificate(task="gym/Pendulum-v1")
    gone = certificate(axis="action.of_old")
    other = certificate(axis="action.random")
    monkeypatch.setattr(check, "shipped_certificates", Shipped(kept, gone, other))
    check.forget_what_is_gone({"gym/CartPole-v1"})
    monkeypatch.setattr(check, "shipped_certificates", Shipped(*read(package)))
    check.store(certificate(holds=False))
    stored = json.loads((package / "certificates.json").read_text())
    assert [f"{entry['task']}+{entry['axis']}" for entry in stored] == [
        "gym/CartPole-v1+action.random",
        "gym/CartPole-v1+action.sticky",
        "gym/Pendulum-v1+action.sticky",
    ]
    assert list(package.iterdir()) == [package / "certificates.json"]


AXES = ("action.random", "action.sticky", "reward.sign")


def test_a_renewal_that_is_ended_goes_on_where_it_was(package, monkeypatch):
    """The second of three is interrupted: its predecessor is stored, and only the other two are left."""
    monkeypatch.setattr("assay.proof.certificate.files", lambda name: package)
    asked = []

    def until(last):
        def check_all(pairs, progress, keep):
            found = []
            for env, name in pairs:
                if name == last:
                    raise KeyboardInterrupt
                asked.append(name)
                axis = axis_of(env, name)
                facts = {"digest": code_digest(env, axis), "declares": tuple(axis.components)}
                found.append(replace(certificate(env, name), **facts))
                keep(found[-1])
            return found

        return check_all

    targets = [f"gym/CartPole-v1+{name}" for name in AXES]
    shipped_certificates.cache_clear()
    try:
        for last in (AXES[1], ""):
            monkeypatch.setattr(check, "check_all", until(last))
            done = run(*targets, "--write")
        assert done.exit_code == 0, done.output
        assert "1 of 3 have certificates of this code already" in done.stderr
        assert asked == [AXES[0], AXES[1], AXES[2]]
        assert sorted(shipped_certificates()) == [("gym/CartPole-v1", name) for name in AXES]
        assert "0 entries" in run(*targets, "--write").stdout  # all of them are current
    finally:
        shipped_certificates.cache_clear()


def test_what_is_stored_is_read_back(package, monkeypatch):
    monkeypatch.setattr(check, "shipped_certificates", Shipped())
    mine = certificate()
    check.store(mine)
    monkeypatch.setattr("assay.proof.certificate.files", lambda name: package)
    shipped_certificates.cache_clear()
    assert shipped_certificates()["gym/CartPole-v1", "action.sticky"] == mine
    shipped_certificates.cache_clear()


def test_the_sentence_of_what_does_not_apply():
    found = replace(certificate(), laws={"applies": Law(None, "it does not apply.")})
    assert check.line(found) == "it does not apply."


def test_a_host_that_cannot_be_made_here_is_left_out_of_its_family(monkeypatch):
    import gymnasium

    made = gymnasium.make

    def make(id, **wanted):
        if id == "HalfCheetah-v5":
            raise gymnasium.error.DependencyNotInstalled("MuJoCo is not installed")
        return made(id, **wanted)

    monkeypatch.setattr(gymnasium, "make", make)
    done = CliRunner().invoke(app, ["check", "gym", "--dry-run"])
    assert done.exit_code == 0 and "HalfCheetah" not in done.stdout and "CartPole" in done.stdout
    assert "left out gym/HalfCheetah-v5: Gymnasium cannot make" in done.stderr
    named = CliRunner().invoke(app, ["check", "gym/HalfCheetah-v5+reward.noise", "--dry-run"])
    assert named.exit_code == 2 and "MuJoCo is not installed" in named.stderr


def test_renewed_by_tracing_and_left_to_prove(package, monkeypatch):
    """One of three is of other programs, so that it alone is left."""
    env = "toy/grid"
    names = [axis.name for axis in variations(env)[:3]]
    old = [
        Certificate(name, env, axis_of(env, name).components, (), {}, 9, {"felt": Law(True)}, "of old code",
                    programs="same", law_code=renewal.law_code(env))
        for name in names
    ]  # fmt: skip
    monkeypatch.setattr(certificate_file, "files", lambda name: package)
    (package / "certificates.json").write_text(to_json(old))
    shipped_certificates.cache_clear()
    monkeypatch.setattr(renewal, "trace_programs", lambda env, name: "other" if name == names[1] else "same")
    try:
        done = run(*(f"{env}+{name}" for name in names), "--write", "--unchanged")
        assert done.exit_code == 0 and "2 of 3 renewed by tracing" in done.stderr
        assert f"{env}+{names[1]}\n1 entries\nleft to prove" in done.stdout
        assert [standing(env, axis_of(env, name)) for name in names] == ["proved", "unproved", "proved"]
    finally:
        shipped_certificates.cache_clear()


@pytest.mark.parametrize("words", [["--anew"], ["--unchanged"], ["--write", "--anew", "--unchanged"]])
def test_ways_of_renewing_need_write_and_exclude_each_other(words):
    done = run("toy/grid+action.sticky", *words)
    assert done.exit_code and "say how --write renews" in done.stderr.replace("\n", " ")
