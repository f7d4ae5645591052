"""From records to findings, by hand: effects, verdicts, whose loss it is, what is said where jobs failed."""

import math

import numpy as np
import pytest
from scipy import stats

from assay.analysis.findings import breaks_to_retrain, find, say_kept
from assay.errors import AssayError
from assay.plans.plan import NotAsked
from assay.stats.losses import loss
from assay.stats.verdict import BREAKS, CANNOT_TELL, HOLDS

from .records import PLAIN, exam, exam_plan, given_exam, question, task_of

# Plain scores 100 on average and random play 20: an effect of 1 is 80 points.
SCORES, RANDOM = [98.0, 100.0, 102.0, 100.0], [20.0] * 4
STICKY = question("action.sticky", "0.1", "0.25", "0.5")
WEAK, MIDDLE, STRONG = (("carry", "action.sticky", level) for level in STICKY.levels)
DELAY = question("delay", "8", arm="learn", neutral="0")
UNDER = ("learn", "delay", "8")


def less(points):
    """The plain score of every seed, less so many points."""
    return [score - points for score in SCORES]


STICKY_SCORES = {WEAK: less(4), MIDDLE: less(16), STRONG: less(40)}  # effects of -5, -20 and -50%
AT_RANDOM = {PLAIN: RANDOM, MIDDLE: [12.0, 14.0, 16.0, 18.0]}


def sticky(folder, *more, scores=None, random=None, **how):
    """An exam of one axis, and more."""
    plan = exam_plan(STICKY, *more, **how.pop("plan", {}))
    found = {PLAIN: SCORES, **STICKY_SCORES, **(scores or {})}
    return exam(folder, plan, found, random=random or AT_RANDOM, **how)


def by_axis(found):
    return {(finding.axis, finding.side): finding for finding in found.findings}


def test_effects_and_the_level_from_which_it_breaks(tmp_path):
    with sticky(tmp_path / "run") as run:
        [finding] = find(run).findings
    # All seeds lose the same. At the weak level the interval is what four such seeds of 100 episodes could
    # have missed: one step of 1/100, times ln(3 levels / 5%) / 4 seeds. At the strong one it is wider, for
    # the distance to random play differs from seed to seed: standard error 0.816 points of 80, times a half.
    # A step is from plain play, 100, to the lowest score seen anywhere, 12, in units of the distance of 80.
    half = 0.01 * (100 - 12) / 80 * math.log(3 / 0.05) / 4
    assert [level.effect.value for level in finding.levels] == pytest.approx([-0.05, -0.2, -0.5])
    assert finding.levels[0].effect.half_width == pytest.approx(half)
    student = stats.t.isf(0.025 / 3, 3) * (math.sqrt(8 / 3) / 2) / 80 / 2
    assert finding.levels[2].effect.half_width == pytest.approx(student, rel=0.15)
    assert (finding.word, finding.level, finding.holds_to) == (BREAKS, "0.25", "0.1")
    assert finding.effect == finding.levels[1].effect
    assert finding.because == "from 0.25 on every level loses more than 10%"
    assert finding.smallest_visible == pytest.approx(finding.levels[2].effect.half_width)
    middle = finding.levels[1]
    assert (middle.level, middle.task) == ("0.25", task_of(MIDDLE, 0))
    assert middle.units == pytest.approx((82.0, 84.0, 86.0, 84.0)) and middle.score == pytest.approx(84.0)
    assert middle.random == pytest.approx(15.0) and finding.levels[0].random is None
    assert (finding.means, finding.neutral, finding.components) == (
        "what action.sticky is",
        "0.0",
        ("action",),
    )


def test_the_margin_moves_the_verdict(tmp_path):
    with sticky(tmp_path / "run", plan={"margin": 0.3}) as run:
        [finding] = find(run).findings
    assert (finding.word, finding.level, finding.holds_to) == (BREAKS, "0.5", "0.25")


def test_an_axis_with_two_sides_has_two_verdicts(tmp_path):
    horizon = question("horizon", "50", "25", "200", neutral="100")
    scores = {("carry", "horizon", "50"): less(0), ("carry", "horizon", "25"): less(40),
              ("carry", "horizon", "200"): less(-8)}  # fmt: skip
    with sticky(tmp_path / "run", horizon, scores=scores) as run:
        found = by_axis(find(run))
    below, above = found["horizon", "below"], found["horizon", "above"]
    assert (below.word, below.level, below.holds_to) == (BREAKS, "25", "50")
    assert [level.level for level in below.levels] == ["50", "25"]
    assert (above.word, above.level) == (HOLDS, "200") and above.effect.value == pytest.approx(0.1)


def test_levels_without_an_order_are_judged_one_by_one(tmp_path):
    words = question("gate", "a", "b", neutral="c", ordered=False)
    scores = {("carry", "gate", "a"): less(40), ("carry", "gate", "b"): less(0)}
    with sticky(tmp_path / "run", words, scores=scores) as run:
        found = by_axis(find(run))
    assert found["gate", "a"].word == BREAKS and found["gate", "b"].word == HOLDS


def test_seeds_that_disagree_cannot_tell_and_the_report_says_how_many_would(tmp_path):
    spread = [score + move for score, move in zip(SCORES, (20, -20, 20, -20))]
    noisy = question("action.delay", "1", neutral="0")
    with sticky(tmp_path / "run", noisy, scores={("carry", "action.delay", "1"): spread}) as run:
        found = find(run)
    finding = by_axis(found)["action.delay", ""]
    assert finding.word == CANNOT_TELL and finding.level == ""
    # A quarter of a unit up and down: never narrower than Student's t, shared by the four levels of the run.
    error = np.std([0.25, -0.25, 0.25, -0.25], ddof=1) / 2
    assert finding.smallest_visible >= stats.t.isf(0.025 / 4, 3) * error - 1e-9
    seen = f"4 seeds see differences above {finding.smallest_visible:.0%}"
    assert finding.because == f"{seen}, and the loss may lie on either side of 10%"
    assert found.power == ""  # four seeds are no guide to how many would do


def test_nothing_in_doubt_needs_no_more_seeds(tmp_path):
    with sticky(tmp_path / "run") as run:
        assert find(run).power == ""


def test_the_headline(tmp_path):
    with sticky(tmp_path / "run", optimum={PLAIN: 125.0}) as run:
        found = find(run)
    head = found.headline
    # The mean of 98, 100, 102, 100: standard error 0.816, t(3) = 3.182, of four units 37.5% more.
    half = 3.182 * 0.8165 * 1.375
    assert head.score == pytest.approx((100.0, 100 - half, 100 + half), abs=0.01)
    assert head.share.value == pytest.approx(0.8)
    assert (head.random, head.optimum, head.plain, head.unit) == pytest.approx((20.0, 125.0, 100.0, 80.0))
    assert (found.unit, found.units, found.jobs) == ("seed", ("0", "1", "2", "3"), 8)
    assert found.command == "assay examine dqn toy/discrete"


def test_the_headline_is_a_mean_beside_means(tmp_path):
    with exam(tmp_path / "run", exam_plan(), {PLAIN: [0.0, 90.0, 110.0, 1000.0]}, {PLAIN: RANDOM}) as run:
        assert find(run).headline.score.value == pytest.approx(300.0)
        assert find(run).findings == ()


def test_whose_loss_it_is_by_the_optimum(tmp_path):
    # The frozen agents lose 16 points where the optimum falls by 12 of the 90 between it and random play.
    with sticky(tmp_path / "run", optimum={PLAIN: 110.0, MIDDLE: 98.0}) as run:
        whose = find(run).findings[0].whose
    assert (whose.word, whose.how) == ("the task", "the optimum falls by 13%")
    assert whose.share.value == pytest.approx(12 / 16)
    # All seeds lose the same: what they may have missed is small beside a loss of this size.
    assert whose.sure and 0.7 < whose.share.low < 0.75 < whose.share.high < 0.8


def test_whose_loss_it_is_where_the_optimum_stays(tmp_path):
    dropped = (14.0, 15.0, 17.0, 18.0)
    scores = {MIDDLE: [score - drop for score, drop in zip(SCORES, dropped)]}
    with sticky(tmp_path / "run", scores=scores, optimum={PLAIN: 110.0, MIDDLE: 109.0}) as run:
        [finding] = find(run).findings
    expected = loss(np.array(dropped), np.full(4, 1.0))
    assert finding.level == "0.25" and finding.whose.word == expected.word == "the agent"
    assert (
        finding.whose.share == pytest.approx(expected.share) and finding.whose.sure == expected.sure is True
    )
    assert finding.whose.how == "the optimum falls by 1%"


def test_an_optimum_that_does_not_fall(tmp_path):
    with sticky(tmp_path / "run", optimum={PLAIN: 110.0, MIDDLE: 110.0}) as run:
        whose = find(run).findings[0].whose
    assert (whose.word, whose.how, whose.share.value) == ("the agent", "the optimum does not fall", 0.0)


def test_whose_loss_it_is_by_retraining(tmp_path):
    again = ("retrain", "action.sticky", "0.25")
    with sticky(tmp_path / "before") as run:
        found = find(run)
        assert found.findings[0].whose is None
        assert breaks_to_retrain(found) == [("action.sticky", "0.25")]
    # Retrained agents lose 4 of the 16 points, and so keep 76 of the 80 above random play.
    with sticky(tmp_path / "run", scores={again: less(4)}) as run:
        found = find(run)
        whose = found.findings[0].whose
        assert (whose.word, whose.how) == ("the agent", "a retrained one keeps 95%")
        assert whose.share.value == pytest.approx(0.25)
        assert breaks_to_retrain(found) == []
    with sticky(tmp_path / "half", scores={again: less(12)}, lost=[(1, again)]) as run:
        found = find(run)
        assert found.findings[0].whose is None  # one of the retrained agents is missing
        assert found.units == ("0", "1", "2", "3")  # and the exam does not suffer by it


def test_what_retrained_agents_keep_in_words():
    assert say_kept(0.92, worse=False) == "a retrained one keeps 92%"
    assert say_kept(0.12, worse=True) == "even a retrained one keeps 12% only"
    assert say_kept(-0.16, worse=False) == "a retrained one plays below random play"  # `keeps -16%` was said
    assert say_kept(-0.16, worse=True) == "even a retrained one plays below random play"


def test_the_optimum_is_asked_before_the_retrained(tmp_path):
    scores = {("retrain", "action.sticky", "0.25"): less(4)}
    with sticky(tmp_path / "run", scores=scores, optimum={PLAIN: 110.0, MIDDLE: 98.0}) as run:
        assert find(run).findings[0].whose.how == "the optimum falls by 13%"


ELSEWHERE = question("terminal_states", "[7]", neutral="[]", ordered=False, shares=True)
THERE = ("carry", "terminal_states", "[7]")


def test_where_something_else_is_asked_shares_of_the_optimum_are_compared(tmp_path):
    # 100 of 200 is a half, random play a tenth; 30 of 100 there is 0.3: half of the way down, and all of it
    # the agent's, for the optimum of that task is already in the share.
    scores = {PLAIN: [100.0] * 4, THERE: [30.0] * 4}
    with exam(
        tmp_path / "run", exam_plan(ELSEWHERE), scores, {PLAIN: RANDOM}, {PLAIN: 200.0, THERE: 100.0}
    ) as run:
        [finding] = find(run).findings
    assert finding.shares and finding.word == BREAKS
    assert finding.effect.value == pytest.approx(-0.5)
    assert (finding.whose.word, finding.whose.share.value) == ("the agent", 0.0)
    assert finding.whose.how == "against each task's own optimum"


@pytest.mark.parametrize("optimum", [{}, {PLAIN: 200.0}, {PLAIN: 200.0, THERE: 0.0}], ids=str)
def test_without_both_optima_shares_cannot_be_compared(tmp_path, optimum):
    # As in a run that was killed before its references were computed: bare scores would compare two things.
    scores = {PLAIN: [100.0] * 4, THERE: [30.0] * 4, **STICKY_SCORES}
    plan = exam_plan(ELSEWHERE, STICKY)
    with exam(tmp_path / "run", plan, scores, {PLAIN: RANDOM}, optimum) as run:
        found = by_axis(find(run))
    assert found["terminal_states", "[7]"].word == CANNOT_TELL
    assert math.isnan(found["terminal_states", "[7]"].effect.value)
    assert found["action.sticky", ""].word == BREAKS  # and the others are judged as ever


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("best", [[0.0] * 4, [110.0, 0.0, 110.0, 110.0], [-5.0] * 4], ids=str)
def test_an_optimum_of_nothing_spoils_no_verdict(tmp_path, best):
    # Where every reward is a loss the best is to earn none: there are no shares of that.
    with sticky(tmp_path / "run", optimum={PLAIN: best}) as run:
        found = find(run)
    assert found.headline.share is None and found.findings[0].word == BREAKS


def test_what_is_learned_under_is_paired_with_plain_training(tmp_path):
    with sticky(tmp_path / "run", DELAY, scores={UNDER: less(24)}, optimum={PLAIN: 110.0}) as run:
        found = find(run)
    finding = by_axis(found)["delay", ""]
    assert (finding.arm, finding.word, finding.level) == ("learn", BREAKS, "8")
    assert finding.effect.value == pytest.approx(-0.3)
    assert finding.whose is None  # it was trained there: there is nothing to retrain
    assert ("delay", "8") not in breaks_to_retrain(found)


def test_learning_curves_and_their_labels(tmp_path):
    again = ("retrain", "action.sticky", "0.25")
    curves = {
        UNDER: {1: [(100, 5.0), (200, 6.0)]},
        PLAIN: {0: [(200, 9.0), (100, math.nan)], 3: [(100, 7.0)]},
        again: {0: [(100, 1.0)]},
    }
    scores = {UNDER: less(0), again: less(0)}
    with sticky(tmp_path / "run", DELAY, scores=scores, curves=curves) as run:
        found = find(run).curves
    assert [(curve.label, curve.seed) for curve in found] == [
        ("plain", 0), ("plain", 3), ("action.sticky=0.25, retrained", 0), ("delay=8", 1),
    ]  # fmt: skip
    assert found[0].steps == (100, 200) and math.isnan(found[0].scores[0]) and found[0].scores[1] == 9.0


def test_a_seed_whose_job_failed_is_left_out_everywhere(tmp_path):
    moved = {UNDER: [*less(24)[:2], 0.0, less(24)[3]]}  # a result that must not be counted
    with sticky(tmp_path / "run", DELAY, scores=moved, lost=[(2, PLAIN)]) as run:
        found = find(run)
    assert found.units == ("0", "1", "3")
    assert found.failed == ("dqn raised an error in action.sticky",)
    assert found.headline.plain == pytest.approx((98 + 100 + 100) / 3)
    finding = by_axis(found)["delay", ""]
    # The scale is that of the seeds that are left: 298 / 3 - 20.
    assert finding.effect.value == pytest.approx(-24 / (298 / 3 - 20))
    assert len(finding.levels[0].units) == 3


def test_an_axis_whose_jobs_all_failed_is_left_aside(tmp_path):
    lost = [(seed, UNDER) for seed in range(4)]
    with sticky(tmp_path / "run", DELAY, scores={UNDER: less(0)}, lost=lost) as run:
        found = find(run)
    assert [finding.axis for finding in found.findings] == ["action.sticky"]
    assert found.units == ("0", "1", "2", "3")
    assert found.failed == ("dqn raised an error in delay", "delay has no finished job")


def test_a_run_without_a_plain_job_says_so(tmp_path):
    lost = [(seed, PLAIN) for seed in range(4)]
    with (
        sticky(tmp_path / "run", lost=lost) as run,
        pytest.raises(AssayError, match="no job of the plain task"),
    ):
        find(run)


def test_a_run_without_one_whole_seed_says_so(tmp_path):
    lost = [(seed, UNDER) for seed in (0, 1)]
    other = question("reward_noise", "1.0", arm="learn")
    there = ("learn", "reward_noise", "1.0")
    lost += [(seed, there) for seed in (2, 3)]
    run = sticky(tmp_path / "run", DELAY, other, scores={UNDER: less(0), there: less(0)}, lost=lost)
    with run, pytest.raises(AssayError, match="no seed has all of its jobs done"):
        find(run)


def test_one_given_agent_is_judged_over_its_episodes(tmp_path):
    plan = exam_plan(STICKY, agent="mine:act", task="gym/CartPole-v1", seeds=1, episodes=5, trains=False,
                     not_asked=[NotAsked(("reward.noise",), "it does not learn")])  # fmt: skip
    plain = [100.0, 102.0, 98.0, 101.0, 99.0]
    scores = {PLAIN: plain, **{place: [score - drop for score in plain]
                               for place, drop in ((WEAK, 0), (MIDDLE, 80), (STRONG, 80))}}  # fmt: skip
    with given_exam(tmp_path / "run", plan, scores, {PLAIN: [20.0] * 5, MIDDLE: [10.0] * 5}) as run:
        found = find(run)
    [finding] = found.findings
    assert (found.unit, found.units, found.budget) == ("episode", ("0", "1", "2", "3", "4"), 0)
    assert [level.effect.value for level in finding.levels] == pytest.approx([0.0, -1.0, -1.0])
    # A unit is an episode, and one not seen may fall to the lowest score seen, 10, a loss of 90 of 80: no
    # lower end is nearer than 90 / 80 * ln(3 / 5%) / 5.
    assert finding.levels[0].effect.low == pytest.approx(-90 / 80 * math.log(3 / 0.05) / 5)
    assert (finding.word, finding.level, finding.whose) == (BREAKS, "0.25", None)
    assert finding.holds_to == ""
    assert finding.levels[1].random == 10.0
    assert found.not_asked[0].axes == ("reward.noise",)


def test_who_plays_worse_than_chance_has_nothing_to_lose(tmp_path):
    """Frozen agents below random play "held" on every axis: there was nothing to lose."""
    random = {PLAIN: [197.0, 201.0, 202.0, 200.0]}
    with sticky(tmp_path / "run", random=random) as run:
        found = find(run)
    assert [finding.word for finding in found.findings] == [CANNOT_TELL]
    assert (found.not_above, found.below_random) == ("plain play (100) is below random play (200)", True)
    assert found.findings[0].because == f"{found.not_above}, so there is nothing to lose"


def test_who_plays_like_chance_has_no_loss_that_can_be_measured(tmp_path):
    with sticky(tmp_path / "run", random={PLAIN: [97.0, 101.0, 102.0, 100.0]}) as run:
        found = find(run)
    [finding] = found.findings
    assert finding.word == CANNOT_TELL and finding.whose is None
    assert finding.because == (
        "plain play (100) cannot be told from random play (100), so a loss cannot be measured"
    )
    assert found.not_above and not found.below_random
    assert all(math.isnan(level.effect.value) for level in finding.levels)
    assert math.isnan(found.headline.unit) and found.power == ""


def test_the_chance_in_an_interval_hangs_on_what_was_measured(tmp_path):
    """A setting that no score depends on moved the ends, for the generator was that of the plan's text."""
    rng = np.random.default_rng(1)
    many = {place: list(rng.normal(90, 5, 12)) for place in (PLAIN, WEAK, MIDDLE, STRONG)}
    ends = []
    for name, more in (("a", {}), ("b", {"trust": True}), ("c", {"margin": 0.2})):
        plan = exam_plan(STICKY, seeds=12, **more)
        with exam(tmp_path / name, plan, many, {PLAIN: [20.0] * 12}) as run:
            ends.append([level.effect for level in find(run).findings[0].levels])
    assert ends[0] == ends[1] == ends[2]


def test_without_random_play_there_is_no_verdict(tmp_path):
    plan = exam_plan(STICKY)
    with exam(tmp_path / "run", plan, {PLAIN: SCORES, **STICKY_SCORES}) as run:
        found = find(run)
    assert found.findings[0].word == CANNOT_TELL and math.isnan(found.headline.random)


def test_a_single_seed_says_nothing_of_others(tmp_path):
    scores = {place: column[:1] for place, column in {PLAIN: SCORES, **STICKY_SCORES}.items()}
    with exam(tmp_path / "run", exam_plan(STICKY, seeds=1), scores, {PLAIN: RANDOM}) as run:
        [finding] = find(run).findings
    assert finding.word == CANNOT_TELL and "1 seed cannot say how far others may differ" in finding.because
    assert finding.effect.low == -math.inf


def test_the_same_records_give_the_same_findings(tmp_path):
    spread = [60.0, 75.0, 81.0, 40.0]
    with sticky(tmp_path / "run", scores={MIDDLE: spread}, optimum={PLAIN: 110.0, MIDDLE: 98.0}) as run:
        assert repr(find(run)) == repr(find(run))  # repr: NaN equals itself
