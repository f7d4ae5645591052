"""The shipped certificates: of exactly this code, one for every entry, and the same when renewed."""

import pytest

from assay.catalogue import axis_of, entries, variations
from assay.proof import hosted, native
from assay.proof.certificate import code_digest, shipped, standing
from assay.proof.run import check_all, envs_of, what_to_check

FAMILIES = ("toy", "platformer", "gym", "atari")  # of atari the game on which generic variations are proved
ENTRIES = [(env, axis) for family in FAMILIES for env in envs_of(family) for axis in variations(env)]
RENEW = "run `make certificates`"


@pytest.mark.parametrize("env, axis", ENTRIES, ids=[f"{env}+{axis.name}" for env, axis in ENTRIES])
def test_every_entry_is_proved(env, axis):
    assert standing(env, axis) in ("proved", "not applicable"), RENEW


def test_no_certificate_is_left_of_what_is_gone():
    games = {key for key in shipped() if key[0].startswith("atari/")}  # tests/envs/atari looks after theirs
    known = {(env, axis.name) for env, axis in ENTRIES if not env.startswith("atari/")}
    assert set(shipped()) - games == known, RENEW


def test_families_are_all_of_the_catalogue():
    assert {entry.name.split("/")[0] for entry in entries().envs} == set(FAMILIES)


def test_digest_changes_with_the_family():
    assert code_digest("toy") != code_digest("gym")


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


@pytest.mark.parametrize("name", ["delay", "terminal_state_density", "observation.irrelevant"])
def test_a_renewed_native_certificate_is_the_same(name):
    new, _ = native.check("toy/discrete", axis_of("toy/discrete", name))
    same_finding(new, shipped()["toy/discrete", name])


@pytest.mark.parametrize(
    "env, name", [("gym/CartPole-v1", "action.sticky"), ("gym/FrozenLake-v1", "observation.noise")]
)
def test_a_renewed_hosted_certificate_is_the_same(env, name):
    new, _ = hosted.check(env, axis_of(env, name))
    same_finding(new, shipped()[env, name])


@pytest.mark.slow
def test_all_certificates_renewed_are_the_same():
    for new in check_all(what_to_check(["toy", "platformer", "gym"]), progress=lambda *_: None):
        assert new.holds, new.sentence()
        same_finding(new, shipped()[new.task.split("+")[0], new.axis])


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
    always_the_same, usual = native.native(f"toy/discrete{start}"), native.native("toy/discrete")
    assert native.seeds_differ(native.traces_of(usual, [usual])[0]).holds is True
    assert native.seeds_differ(native.traces_of(always_the_same, [always_the_same])[0]).holds is False
