"""Words that a reader took for more than was found: each case was once told wrongly."""

import math
from dataclasses import replace

import pytest
from analysis.records import PLAIN, episodes_of, exam, exam_plan, job_of, made_run, question, task_of

from assay.analysis.exam import LevelFinding
from assay.analysis.findings import NO_OPTIMA, find
from assay.analysis.most_lost import NO_RANDOM
from assay.plans.question import CARRY, LEARN
from assay.report.attribution import cautions
from assay.report.doses import Ends, yardstick
from assay.report.markdown import markdown
from assay.report.method import method
from assay.report.page import page
from assay.report.proofs import proofs
from assay.report.text import verdict_in_short, verdict_lines
from assay.stats.aggregate import Interval
from assay.stats.verdict import CANNOT_TELL

from .sample import finding, given, mine, minimal, rich, the_tasks

DOUBT, HELD, LOST = "1 -38 80", "1 0 5", "1 -50 5"


@pytest.mark.parametrize("findings, said", [
    ([("a", DOUBT, CARRY)], "Whether it carries over cannot be told on 1 axis."),
    ([("a", DOUBT, CARRY), ("b", HELD, CARRY), ("c", HELD, CARRY)],
     "Holds on 2 of 3 axes; 1 cannot be told."),
    ([("a", HELD, CARRY), ("b", DOUBT, LEARN), ("c", DOUBT, LEARN)],
     "Holds on 1 axis; 2 reward axes cannot be told."),
])  # fmt: skip
def test_the_headline_finds_no_absence_of_loss(findings, said):
    """An effect of -38% [-118, +42] was headed `no break found`."""
    found = tuple(finding(axis, levels, arm=arm) for axis, levels, arm in findings)
    assert verdict_in_short(replace(rich(), findings=found)) == f"0.97 of the optimum. {said}"


@pytest.mark.parametrize("findings, said", [
    ([finding("a", LOST, whose=the_tasks()), finding("b", LOST), finding("c", HELD)],
     "The task is harder under 1 of 3 axes; 1 breaks it, and it cannot be told whose loss that is."),
    ([finding("a", LOST), finding("b", HELD)],
     "1 of 2 axes breaks it; it cannot be told whose loss that is."),
    ([finding("a", LOST, whose=the_tasks()), finding("b", DOUBT)],
     "Fails to carry over on none of 2 axes; the task is harder under 1; 1 more cannot be told."),
    ([finding("a", LOST, whose=mine()), finding("b", LOST)],
     "Fails to carry over on 1 of 2 axes; 1 breaks it, and it cannot be told whose loss that is."),
])  # fmt: skip
def test_an_axis_is_not_harder_the_task_is(findings, said):
    exam = replace(rich(), findings=tuple(findings))
    assert verdict_in_short(exam) == f"0.97 of the optimum. {said}"


def test_the_terminal_says_that_a_given_agent_breaks():
    told = [line for line in verdict_lines(given()) if line.startswith("breaks on")]
    assert len(told) == 1 and "lazy_enemy" in told[0]


def failed_law():
    lost = replace(finding("var:RNG", LOST), proof="failed")
    return replace(given(), findings=(lost, replace(finding("a", HELD), proof="unproved")))


def test_a_broken_law_stands_at_the_top_of_every_form():
    says = "breaks a law of variations, so its verdict means little"
    exam = failed_law()
    assert verdict_lines(exam)[1] == f"`var:RNG` {says}"
    assert f'<p class="caution"><code>var:RNG</code> {says}.</p>' in page(exam).split("<main>")[0]
    assert f"`var:RNG` {says}." in markdown(exam).split("\n\n- **")[0]
    assert not any("law" in each for each in cautions(given()))


def test_what_is_said_of_proofs_is_english():
    ((_, said),) = proofs(failed_law())
    assert said == (
        "These break a law of variations, such as that each changes what it declares and nothing else: "
        "var:RNG. It is not proved that these change what they declare and nothing else: a."
    )


STICKY, NOISE = question("action.sticky", "0.25"), question("observation.noise", "0.1")
MIDDLE = ("carry", "action.sticky", "0.25")


@pytest.fixture
def half(tmp_path):
    """A given agent: the plain task and one axis are played, the other axis and random play are not."""
    plan = exam_plan(STICKY, NOISE, agent="mine:act", task="gym/CartPole-v1", seeds=1, trains=False)
    run = made_run(tmp_path / "half", plan, ["assay", "examine", "mine:act", "gym/CartPole-v1"])
    scores = {PLAIN: [100.0, 101, 99, 100, 102, 98], MIDDLE: [90.0, 91, 89, 90, 92, 88]}
    for place, played in scores.items():
        job = job_of(plan, 0, [place])
        run.add_jobs([job])
        run.claim()
        run.finish(job.id, episodes_of(job, place, task_of(place, None, plan.task), played))
    run.add_jobs(
        [job_of(plan, 0, [("carry", "observation.noise", "0.1")]), job_of(plan, 0, [PLAIN], "random")]
    )
    with run:
        yield run


def test_an_unfinished_run_says_so_first_and_blames_nobody(half):
    found = find(half)
    said = f"unfinished: 2 of 4 jobs are done; `assay resume {half.folder}` does the rest"
    assert verdict_lines(found, 999)[1] == said == cautions(found)[0]
    assert f"<code>assay resume {half.folder}</code>" in page(found).split("<main>")[0]
    assert f"`assay resume {half.folder}`" in markdown(found)
    assert cautions(found)[1] == "not yet played: observation.noise"
    assert found.failed == () and found.not_above == ""
    assert [each.because for each in found.findings] == [NO_RANDOM]
    assert verdict_in_short(found) == "Scores 100. Whether it carries over cannot be told on 1 axis."
    bare = replace(found, findings=())
    assert verdict_in_short(bare) == "Scores 100. No axis has been played yet."


def test_an_unknown_optimum_is_not_called_play_like_chance(tmp_path):
    elsewhere = question("terminal_states", "[7]", neutral="[]", ordered=False, shares=True)
    scores = {PLAIN: [100.0] * 4, ("carry", "terminal_states", "[7]"): [30.0] * 4}
    with exam(tmp_path / "run", exam_plan(elsewhere), scores, {PLAIN: [20.0] * 4}) as run:
        (found,) = find(run).findings
    assert (found.word, found.because) == (CANNOT_TELL, NO_OPTIMA)


def test_the_interval_of_a_score_ends_at_the_optimum(tmp_path):
    scores = {PLAIN: [80.0, 100.0, 90.0, 100.0]}
    with exam(tmp_path / "run", exam_plan(), scores, {PLAIN: [20.0] * 4}, {PLAIN: 100.0}) as run:
        found = find(run).headline
    assert found.score.high == 100.0 and found.score.low < 80.0


def test_no_band_is_drawn_where_no_score_can_lie():
    """With plain play at 97 and random play at 22, an effect of -200% would be a score of -53."""
    level = LevelFinding("1", "t", Interval(-0.9, -2.0, 0.5), 29.5, (29.5,), None, 90.0)
    exam = replace(rich(), score_range=(0.0, 100.0))
    ends = Ends(exam, yardstick(exam, ()), CARRY)
    assert (ends(level, 1), ends(level, 2)) == (0.0, 90.0)
    learned = Ends(exam, yardstick(exam, ()), LEARN)  # scored by the plain reward
    assert learned(level, 2) == 100.0
    above = replace(level, score=95.0)  # a mean of few episodes may lie above the optimum
    assert ends(above, 2) == 95.0
    free = Ends(rich(), yardstick(rich(), ()), CARRY)
    assert free(level, 1) == pytest.approx(97 - 150)


def test_nobody_here_trained_a_given_agent():
    for form in (page, markdown):
        assert "Trained on the plain task" not in form(given())
        assert "The given agent, as it is" in form(given())
        assert "Trained on the plain task, then frozen" in form(rich())


def test_nothing_to_lose_is_the_last_word_on_breaks():
    lost = replace(minimal(), not_above="plain play (20) is below random play (22)", below_random=True)
    assert not any(line.startswith("breaks on") for line in verdict_lines(lost))


def test_an_end_without_a_bound_is_explained_where_there_is_one():
    assert "No bound" in dict(method(minimal()))
    assert "No bound" not in dict(method(rich()))
    one_side = finding("a", LOST)
    levels = (replace(one_side.levels[0], effect=Interval(-0.5, -math.inf, -0.1)),)
    exam = replace(rich(), findings=(replace(one_side, levels=levels),))
    assert "No bound" in dict(method(exam))
