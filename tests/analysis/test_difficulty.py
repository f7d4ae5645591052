"""Difficulty from records made up by hand: TCE, mastery, comparisons, rankings with holes."""

import numpy as np
import pytest

from assay.analysis.difficulty import difficulty_of, find_difficulty
from assay.analysis.episode_errors import counts_errors, played_in
from assay.errors import AssayError, NotApplicable
from assay.plans.job_plan import JobPlan, Try
from assay.report.difficulty_page import difficulty_markdown, difficulty_page
from assay.results import Curve, Episode, Job
from assay.strict_json import to_json

from .records import job_of, made_run, pairs_plan, task_of

PIECES = 3
EASY, HARD = "rules/easy", "rules/hard"
CLEAN = [0] * 10


def ended(job, task, number, errors=0.0, left=0, pieces=PIECES):
    # Errors on empty cells are no attempts: here all of them.
    measures = {"errors": errors, "cleared": left == 0, "attempts": pieces - left}
    return Episode(
        job=job.id, task=task, arm="plain", episode=number, steps=int(errors) + pieces - left,
        return_=-errors, score=-errors,
        terminated=True, truncated=False, extra=measures | {"pieces_left": left},
    )  # fmt: skip


def reports(job, errors, stuck=(), together=1):
    """A report of each episode of training; `stuck` ones end with a piece left."""
    for number, count in enumerate(errors):
        length = count + PIECES - (number in stuck)
        values = {"score": -count, "return": -count, "length": length, "episodes": together}
        for name, value in values.items():
            yield Curve(job=job.id, step=10 * number, name=name, value=float(value))


def learned_run(folder, rules, agent="learner", settings=None, **of_reports):
    """rules: {task: [errors by episode, of each seed]}."""
    plan = pairs_plan(*((task, task) for task in rules), agent=agent, trains=True,
                      seeds=len(next(iter(rules.values()))))  # fmt: skip
    plan = plan.__class__(**{**vars(plan), "settings": settings or {}})
    run = made_run(folder, plan, ["assay", "run"])
    for pair, (task, seeds) in enumerate(rules.items()):
        for seed, errors in enumerate(seeds):
            tries = (Try("plain", "", "", task),)
            job = Job.planned(
                suite="own", version=1, pair=f"{pair:03d}", train_task=task, eval_task=task, agent=agent,
                config=to_json(JobPlan(settings={}, episodes=1, tries=tries)), seed=seed, budget=500,
                source_digest="0" * 32,
            )  # fmt: skip
            run.add_jobs([job])
            run.claim()
            run.finish(job.id, [ended(job, task, 0)], list(reports(job, errors, **of_reports)))
    return run


def test_a_cell_by_hand(tmp_path):
    # Seed 0 masters with episode 12, for 3 + 2 errors; an error after that is none of the cost.
    # Seed 1 never has ten clean episodes in a row, and still makes errors.
    run = learned_run(tmp_path / "run", {EASY: [[3, 2, *CLEAN, 4], [1, *CLEAN[:9], 1, 0, 2]]})
    with run:
        (cell,) = find_difficulty([run], draws=100).cells
    assert (cell.rule, cell.player, cell.seeds, cell.episodes) == (EASY, "learner", (0, 1), 13)
    assert cell.tce == (9.0, 4.0) and cell.median_tce == 6.5
    assert cell.curve.median[:3] == (2.0, 3.0, 3.0) and cell.curve.median[-1] == 6.5
    assert (cell.curve.low[-1], cell.curve.high[-1]) == (4.0, 9.0)
    assert (cell.mastered, cell.costs, cell.mastered_at) == ((0,), (5.0,), (12,))
    assert (cell.never, cell.rising) == ((1,), (0, 1))


def test_a_stalemate_without_errors_is_not_clean(tmp_path):
    with learned_run(tmp_path / "run", {EASY: [[0] * 12]}, stuck=(5,)) as run:
        (cell,) = find_difficulty([run], draws=100).cells
    assert cell.mastered == () and cell.rising == ()


def test_rules_are_compared_within_a_player(tmp_path):
    # Of four pairs of runs, hard has more errors in three and as many in one: U = 3.5.
    with learned_run(tmp_path / "run", {EASY: [[1, 0], [2, 1]], HARD: [[3, 0], [4, 4]]}) as run:
        found = find_difficulty([run], draws=100)
    there = {(each.harder, each.than): each for each in found.between_rules}
    harder, easier = there[HARD, EASY], there[EASY, HARD]
    assert (harder.u, harder.pairs, easier.u) == (3.5, 4, 0.5)
    assert harder.ease == pytest.approx(4.5 / 1.5) and easier.ease == pytest.approx(1.5 / 4.5)
    assert harder.method == "exact"  # two runs are tied, and so few are counted
    assert [rank.name for rank in found.rule_ranking.ranks] == [EASY, HARD]
    assert found.rule_ranking.ranks[0].rating == pytest.approx(np.log(3) / 2)
    assert found.player_ranking.why_not == "there is only one to rank"


def test_an_exact_chance(tmp_path):
    # Three runs each, none tied, all of the second above: 1 of the 20 orders.
    rules = {EASY: [[1], [2], [3]], HARD: [[4], [5], [6]]}
    with learned_run(tmp_path / "run", rules) as run:
        found = find_difficulty([run], draws=100)
    (test,) = [each for each in found.between_rules if each.harder == HARD]
    assert (test.u, test.method) == (9, "exact") and test.chance == pytest.approx(1 / 20)


def test_boxes_leave_far_runs_outside(tmp_path):
    with learned_run(tmp_path / "run", {EASY: [[each] for each in (1, 2, 3, 4, 100)]}) as run:
        (cell,) = find_difficulty([run], draws=100).cells
    # Quartiles 2 and 4: whiskers may reach from -1 to 7.
    assert (cell.box.low_whisker, cell.box.low_quartile, cell.box.high_quartile) == (1, 2, 4)
    assert (cell.box.high_whisker, cell.box.outliers) == (4, (100.0,))


def test_players_that_attempted_different_rules_are_ranked_through_those_they_share(tmp_path):
    with (
        learned_run(tmp_path / "a", {"rules/1": [[1], [2]], "rules/2": [[2], [3]]}, agent="a") as a,
        learned_run(tmp_path / "b", {"rules/2": [[5], [6]], "rules/3": [[1], [2]]}, agent="b") as b,
        learned_run(tmp_path / "c", {"rules/3": [[7], [9]]}, agent="c") as c,
    ):
        found = find_difficulty([a, b, c], draws=100)
        apart = find_difficulty([a, c], draws=100)
    assert [rank.name for rank in found.player_ranking.ranks] == ["a", "b", "c"]
    # Two steps of log((4 + 1) / (0 + 1)) each, and no comparison of a with c.
    assert [rank.rating for rank in found.player_ranking.ranks] == pytest.approx([np.log(5), 0, -np.log(5)])
    assert found.player_ranking.intransitivity == pytest.approx(0)
    assert apart.player_ranking.ranks == () and "no comparison joins a with c" in apart.player_ranking.why_not


def test_players_of_one_agent_are_told_apart_by_their_settings(tmp_path):
    rules = {EASY: [[1], [2]]}
    with (
        learned_run(tmp_path / "a", rules, settings={"actions": "all", "rate": 0.05}) as a,
        learned_run(tmp_path / "b", rules, settings={"actions": "occupied", "rate": 0.05}) as b,
    ):
        assert find_difficulty([a, b], draws=100).players == (
            "learner actions=all",
            "learner actions=occupied",
        )
        with pytest.raises(AssayError, match="learner played rules/easy in two of these runs"):
            find_difficulty([a, a])


def test_a_player_that_does_not_learn_is_told_by_its_evaluation(tmp_path):
    plan = pairs_plan((EASY, EASY), agent="random", seeds=1)
    with made_run(tmp_path / "run", plan) as run:
        job = job_of(plan, 0, [("plain", "", "")], pair="000")
        run.add_jobs([job])
        run.claim()
        run.finish(job.id, [ended(job, job.train_task, i, float(i), left=i == 2) for i in range(3)])
        (played,) = played_in([run])
    assert task_of(("plain", "", ""), task=EASY) == EASY
    assert played.runs[0].errors == (0.0, 1.0, 2.0) and played.runs[0].cleared == (True, True, False)


def test_runs_without_episodes_told_one_by_one_have_no_difficulty(tmp_path):
    with learned_run(tmp_path / "run", {EASY: [[1, 2]]}, together=2) as run:
        assert not counts_errors(run) and difficulty_of(run) is None
        with pytest.raises(NotApplicable, match="does not report its training episode by episode"):
            find_difficulty([run])


def test_the_same_records_give_the_same_findings(tmp_path):
    with learned_run(tmp_path / "run", {EASY: [[1, 3], [2, 0], [5, 1]]}) as run:
        assert find_difficulty([run], draws=100) == find_difficulty([run], draws=100)


def test_jobs_that_failed_or_are_left_are_told(tmp_path):
    with learned_run(tmp_path / "run", {EASY: [[1], [2]], HARD: [[3], [4]]}) as run:
        assert find_difficulty([run], draws=100).missing == ()
        for seed, task in ((7, HARD), (8, HARD), (7, EASY)):
            job = Job.planned(
                suite="own", version=1, pair="000", train_task=task, eval_task=task, agent="learner",
                config={}, seed=seed, budget=500, source_digest="0" * 32,
            )  # fmt: skip
            run.add_jobs([job])
        run.claim()
        run.fail(run.jobs(status="running")[0].id, "it fell over")
        found = find_difficulty([run], draws=100)
    assert found.missing == (
        f"3 of 7 jobs of {run.folder} are missing: {HARD} (1 failed, 1 not done), {EASY} (1 not done); "
        f"`assay resume {run.folder}` does the rest",
    )
    for text in (difficulty_page(found, ["run"]), difficulty_markdown(found)):
        assert "3 of 7 jobs of" in text
    assert "3 of 7 jobs of" not in difficulty_markdown(found, 2)  # a run's own report says it at its top
