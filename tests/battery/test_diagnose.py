"""From patterns of failures to the part that is likely broken, and from answers to verdicts."""

import numpy as np
import pytest

from assay.battery import diagnose as diagnosis
from assay.battery.battery_tests import BY_NAME, TESTS
from assay.battery.diagnose import SUSPICIONS, diagnose, without_blame
from assay.battery.judge import FAIL, NOT_JUDGED, PASS, Outcome, judge, mark
from assay.battery.spaces import BETWEEN, TWO
from assay.battery.subject import Run, Traits, Way
from assay.battery.tasks import Asked

WAY = Way()


def failed(name, **shares):
    test = BY_NAME[name]
    told = tuple((fault.replace("_", " "), share) for fault, share in shares.items())
    return Outcome(name, test.asks, test.part, FAIL, "numbers", 5, 5, told)


def passed(name):
    test = BY_NAME[name]
    return Outcome(name, test.asks, test.part, PASS, "numbers", 5, 0)


@pytest.mark.parametrize(("outcomes", "part"), [
    ([], ""),
    ([failed("target")], "target network"),
    ([failed("discount", discounts_too_little=1.0, discounts_too_much=0.0)], "discount"),
    # Signs disturb values, discounts and locks too; the sizes explain them.
    ([failed("values", takes_what_comes_first=1.0, waits_for_less=0.0), failed("exploration"),
      failed("sizes", counts_rewards_by_their_signs=1.0)], "size of rewards"),
    ([failed("discount", discounts_too_much=1.0),
      failed("termination", values_what_is_seen_at_an_end=1.0, counts_the_next_episode=0.4)],
     "bootstrapping at termination"),
    # An end by chance is no sign of bootstrapping through it.
    ([failed("exploration"), failed("termination", values_what_is_seen_at_an_end=0.4)], "exploration"),
    ([failed("entropy"), failed("exploration")], "entropy bonus"),
    ([failed("values", takes_what_comes_first=0.5, waits_for_less=0.5),
      failed("sizes", counts_rewards_by_their_signs=0.8)], "learning itself"),
])  # fmt: skip
def test_the_part_that_explains_the_most_is_named(outcomes, part):
    assert diagnose([passed("noise"), *outcomes]).part == part


def test_every_failure_leads_to_a_part():
    for test in TESTS:
        assert diagnose([failed(test.name)]).part, test.name


def test_suspicions_name_tests_faults_and_parts_that_there_are():
    for suspicion in SUSPICIONS:
        test = BY_NAME[suspicion.test]
        assert suspicion.part == test.part
        made = test.make(np.random.default_rng(0), Asked(0.99, 8000, 4))
        assert suspicion.fault in {"", *(question.fault for question in made.questions)}


def test_nothing_else_is_judged_where_nothing_is_learned():
    by_chance = failed("values", takes_what_comes_first=0.5, waits_for_less=0.4)
    outcomes = without_blame([by_chance, failed("discount"), passed("sizes")])
    assert [each.verdict for each in outcomes] == [FAIL, NOT_JUDGED, PASS]
    systematic = failed("values", takes_what_comes_first=1.0, waits_for_less=0.0)
    assert [each.verdict for each in without_blame([systematic, failed("discount")])] == [FAIL, FAIL]
    assert diagnosis.diagnose(outcomes) == diagnosis.LEARNS_NOTHING


def exam(name):
    return BY_NAME[name].make(np.random.default_rng(0), Asked(0.99, 8000))


def answers(made, wrong=()):
    """The right answers, but for those of some questions."""
    return Run(np.array([[1 - q.right if i in wrong else q.right] * 4 for i, q in enumerate(made.questions)]))


def test_a_test_fails_where_more_than_half_of_its_trainings_do():
    test, made = BY_NAME["values"], exam("values")
    right, wrong = answers(made), answers(made, wrong=(0,))
    assert judge(test, WAY, [made] * 4, [right, right, wrong, wrong]).verdict == PASS
    outcome = judge(test, WAY, [made] * 3, [right, wrong, wrong])
    assert outcome.verdict == FAIL and outcome.failed == 2
    # Three questions of each kind in three trainings; two of the nine that waiting answers were wrong.
    assert dict(outcome.shares) == pytest.approx({"takes what comes first": 2 / 9, "waits for less": 0.0})
    assert (
        outcome.evidence
        == "16 of 18 answers right, in 3 trainings; most often wrong: 0.40 now, or 0.90 after 2 steps"
    )


def test_some_tests_allow_a_wrong_answer():
    test, made = BY_NAME["sizes"], exam("sizes")
    assert mark(test, WAY, made, answers(made, wrong=(0,))).passed
    assert not mark(test, WAY, made, answers(made, wrong=(0, 1))).passed


def test_an_answer_that_is_no_number_is_wrong():
    test, made = BY_NAME["values"], exam("values")
    run = Run(np.full((len(made.questions), 4), np.nan))
    assert mark(test, WAY, made, run).wrong == tuple(range(len(made.questions)))


def test_a_policy_that_always_does_the_same_has_no_spread():
    test, made = BY_NAME["entropy"], exam("entropy")
    settled = Run(np.ones((8, 32)))
    even = Run(np.tile([0.0, 1.0], (8, 16)))
    narrow = Run(np.tile([0.45, 0.55], (8, 16)))
    assert not mark(test, WAY, made, settled).passed
    assert mark(test, WAY, made, even).passed and mark(test, WAY, made, even).spread == 0.5
    assert not mark(test, WAY, made, narrow).passed
    assert mark(test, Way(acts=BETWEEN), made, narrow).passed


def test_answers_that_move_in_an_evaluation_are_wrong():
    test, made = BY_NAME["evaluation"], exam("evaluation")
    before = answers(made).shares
    moved = before.copy()
    moved[0] = 1 - moved[0]
    assert mark(test, WAY, made, Run(before, before)).passed
    assert mark(test, WAY, made, Run(before, moved)).wrong == (0,)


def test_the_way_of_a_test_has_its_settings_and_its_actions():
    traits = Traits(0.99, 8000, (TWO,), frozen_target={"tau": 0.0}, normalising={"normalise": True})
    assert BY_NAME["values"].way(traits) == Way((), TWO)
    assert BY_NAME["target"].way(traits) == Way((("tau", 0.0),), TWO)
    assert BY_NAME["evaluation"].way(traits) == Way((("normalise", True),), TWO, detour=True)
    assert BY_NAME["continuous"].way(traits).acts == BETWEEN


@pytest.mark.parametrize(("name", "traits", "why"), [
    ("sizes", {"keeps_signs": "clip=true"}, "clip=true asks it to learn from the signs of rewards"),
    ("truncation", {"cuts_end": "ending=kage"}, "ending=kage asks it to take a time limit for an end"),
    ("change", {"replays": "it keeps no replay"}, "it keeps no replay"),
    ("entropy", {"draws": "it draws nothing"}, "it draws nothing"),
    ("approximation", {"generalises": False}, "its table tells cells apart by their names"),
    ("target", {}, "no setting of it holds a target network still"),
    ("n-step", {"n_step": 1}, "it bootstraps after every step"),
    ("evaluation", {}, "it keeps nothing while it acts"),
    ("continuous", {}, "its actions are numbered"),
    ("memory", {}, "it acts by the observation alone"),
])  # fmt: skip
def test_a_test_that_does_not_apply_says_why(name, traits, why):
    assert BY_NAME[name].why_not(Traits(0.99, 8000, (TWO,), **traits)) == why
