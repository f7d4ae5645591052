"""The shipped certificates: of exactly this code, one for every entry, and the same when renewed."""

import json
from dataclasses import asdict, replace

import pytest

from assay.catalogue import axis_of, entries, env_entry, variations
from assay.cli.check import members_besides
from assay.proof import certificate, hosted, native, own_proofs
from assay.proof.certificate import code_digest, shipped_certificates, standing
from assay.proof.run import check_all, envs_of, what_to_check

FAMILIES = (
    "toy",
    "platformer",
    "gym",
    "rules",
    "atari",
)  # of atari one game
ENTRIES = [(env, axis) for family in FAMILIES for env in envs_of(family) for axis in variations(env)]
RENEW = "run `make certificates`"


@pytest.mark.parametrize("env, axis", ENTRIES, ids=[f"{env}+{axis.name}" for env, axis in ENTRIES])
def test_every_entry_is_proved(env, axis, pending):
    stale = {"unproved"} if env.split("/")[0] in pending else set()
    assert standing(env, axis) in {"proved", "not applicable"} | stale, RENEW


def test_pending_families_are_known(pending):
    assert pending <= set(FAMILIES)


@pytest.mark.slow
def test_no_family_is_pending(pending):
    """A release has certificates of exactly its code: renew them (`make certificates`) and empty the file."""
    assert pending == set()


def test_no_certificate_is_left_of_what_is_gone(pending):
    games = {
        key for key in shipped_certificates() if key[0].startswith("atari/")
    }  # tests/envs/atari looks after theirs
    known = {(env, axis.name) for env, axis in ENTRIES if not env.startswith("atari/")}
    known |= {pair for pair in members_besides(list(FAMILIES)) if not pair[0].startswith("atari/")}
    found = {key for key in set(shipped_certificates()) - games if key[0].split("/")[0] not in pending}
    assert found == {key for key in known if key[0].split("/")[0] not in pending}, RENEW


def test_families_are_all_of_the_catalogue():
    assert {entry.name.split("/")[0] for entry in entries().envs} == set(FAMILIES)


def test_every_axis_has_a_digest_of_its_own():
    for family in FAMILIES:
        env = envs_of(family)[0]
        axes = variations(env)
        assert len({code_digest(env, axis) for axis in axes}) == len(axes)
    sticky = {code_digest(env, axis_of(env, "action.sticky")) for env in ("toy/grid", "gym/CartPole-v1")}
    assert len(sticky) == 2  # of each family its own


def same_finding(new, old):
    """Equal in all but what wavers: figures in words and costs."""
    assert set(new.shares) == set(old.shares)
    for component, found in new.shares.items():
        assert found == pytest.approx(old.shares[component])
    laws = [
        {name: law.holds for name, law in c.laws.items() if name != "another process agrees"}
        for c in (new, old)
    ]
    assert laws[0] == laws[1]
    assert (new.task, new.declares, new.levels, new.steps) == (old.task, old.declares, old.levels, old.steps)


# With tests/envs/atari, three of each family at least; those of the platformer take long, and while its
# certificates are of this code others do.
WHILE_PENDING = [
    ("platformer/run", "action.sticky"),
    ("platformer/run", "action.repeat"),
    ("platformer/run", "reward.sign"),
    ("rules/b3_then_b1", "merge_denials"),
    ("rules/b3_then_b1", "swap_buckets"),
]
AGAIN = [
    ("toy/discrete", "delay"),
    ("toy/discrete", "terminal_state_density"),
    ("toy/discrete", "observation.irrelevant"),
    ("gym/CartPole-v1", "action.sticky"),
    ("gym/FrozenLake-v1", "observation.noise"),
    ("gym/Pendulum-v1", "reward.noise"),
]


@pytest.mark.parametrize("env, name", AGAIN, ids=[f"{env}+{name}" for env, name in AGAIN])
def test_a_renewed_certificate_is_the_same(env, name, pending):
    checker = native if env_entry(env).native else hosted
    new, _ = checker.check(env, axis_of(env, name))
    assert new.holds, new.sentence()
    if env.split("/")[0] not in pending:
        same_finding(new, shipped_certificates()[env, name])


@pytest.mark.parametrize("env, name", WHILE_PENDING, ids=[f"{env}+{name}" for env, name in WHILE_PENDING])
def test_some_of_a_pending_family_are_proved_here(env, name, pending):
    if env.split("/")[0] not in pending:
        pytest.skip("its certificates are of this code")
    new, _ = native.check(env, axis_of(env, name))
    assert new.holds, new.sentence()


@pytest.mark.slow
def test_all_certificates_renewed_are_the_same():
    for new in check_all(what_to_check(["toy", "platformer", "gym", "rules"]), progress=lambda *_: None):
        assert new.holds, new.sentence()
        same_finding(new, shipped_certificates()[new.task.split("+")[0], new.axis])


def test_a_worker_that_dies_is_told_and_none_is_left(monkeypatch):
    from assay.errors import AssayError
    from assay.proof import run

    started = []
    own = run.Worker

    class Watched(own):
        def __init__(self, mode, pairs):
            super().__init__(mode, [("toy/absent", "delay")])
            started.append(self.process)

    monkeypatch.setattr(run, "Worker", Watched)
    with pytest.raises(AssayError, match=r"a check ended early: .*no env is called 'toy/absent'"):
        run.check_all([("toy/discrete", "delay")], progress=lambda *_: None)
    assert [process.poll() is not None for process in started] == [True, True]


def test_the_law_of_seeds_can_fail():
    start = "+init_state_dist=[1,0,0,0,0,0,0,0]+terminal_state_density=0.0"
    always_the_same, usual = native.build_native(f"toy/discrete{start}"), native.build_native("toy/discrete")
    assert native.seeds_differ(native.traces_of(usual, [usual])[0]).holds is True
    assert native.seeds_differ(native.traces_of(always_the_same, [always_the_same])[0]).holds is False


@pytest.mark.parametrize(
    "edit", [{"laws": {}}, {"steps": 0}, {"declares": ["reward"]}, {"digest": "0" * 32}, {"shares": {}}]
)
def test_an_edited_certificate_does_not_count(monkeypatch, tmp_path, edit):
    env, name = "gym/CartPole-v1", "action.delay"
    entry = asdict(certificate.shipped_certificates()[env, name])
    (tmp_path / "certificates.json").write_text(
        json.dumps([entry | edit | {"seal": certificate.seal_of(entry)}])
    )
    monkeypatch.setattr(certificate, "files", lambda package: tmp_path)
    certificate.shipped_certificates.cache_clear()
    try:
        assert certificate.standing(env, axis_of(env, name)) == "unproved"
    finally:
        certificate.shipped_certificates.cache_clear()


@pytest.mark.parametrize("edit", [{"laws": {}}, {"steps": 0}, {"declares": ("reward",)}])
def test_nor_does_one_that_was_sealed_again_without_laws_or_steps(monkeypatch, edit):
    env, name = "gym/CartPole-v1", "action.delay"
    forged = replace(certificate.shipped_certificates()[env, name], **edit)
    monkeypatch.setattr(certificate, "shipped_certificates", lambda: {(env, name): forged})
    assert certificate.standing(env, axis_of(env, name)) == "unproved"


def test_data_of_a_family_count(monkeypatch, tmp_path):
    files = certificate.files_of_family("platformer", data_too=True)
    assert any(path.suffix == ".png" for path in files)
    assert not any(path.suffix == ".yaml" for path in certificate.files_of_family("atari", data_too=False))
    kernels = {path.parent.name for path in files}
    assert "gpu" not in kernels and "platformer" in kernels  # laws are proved where no kernel runs


def test_other_versions_are_said(monkeypatch):
    env, axis = "gym/CartPole-v1", axis_of("gym/CartPole-v1", "action.delay")
    shipped = shipped_certificates()[env, axis.name]
    monkeypatch.setattr(certificate, "code_digest", lambda *_: shipped.digest)  # while gym is pending too
    assert own_proofs.shipped_proof(env, axis).word == own_proofs.SHIPPED
    monkeypatch.setattr(certificate, "version_of", lambda name: "99")
    monkeypatch.setattr(own_proofs, "installed_version", lambda name: "99")
    proof = own_proofs.shipped_proof(env, axis)
    assert proof.word == own_proofs.ELSEWHERE and "(here 99)" in proof.says
