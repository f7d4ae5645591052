"""`assay report` and `assay compare --ranks` on made-up runs of pairs, as a user types them."""

import json

import pytest
from analysis.records import PLAIN as PLAIN_PLACE
from analysis.records import exam, exam_plan, question
from analysis.test_experiment import POINTS, SCORES, TASKS, made
from analysis.test_ranks import FALLING, GAME, TOY
from typer.testing import CliRunner

from assay.cli.main import app


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def works(*words):
    done = run(*words)
    assert done.exit_code == 0, done.stderr or repr(done.exception)
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("pairs")
    made(place / "map", TASKS, SCORES, POINTS).close()
    made(place / "toy", TOY, FALLING).close()
    made(place / "game", GAME, FALLING[::-1]).close()
    sticky = question("action.sticky", "0.5")
    scores = {PLAIN_PLACE: [9.0] * 4, ("carry", "action.sticky", "0.5"): [5.0] * 4}
    exam(place / "exam", exam_plan(sticky), scores, {PLAIN_PLACE: [1.0] * 4}).close()
    return place


def test_a_table_maps_and_what_the_intervals_are(folder):
    said = works("report", folder / "map")
    assert "learning (AUC): mean ± sd over seeds, delay down, sequence_length across" in said
    assert "0                        15.0 ± 5.0  40.0 ± 10.0" in said
    assert "means; Student's t, 95% each" in said and "over 2 seeds" in said
    assert (folder / "map" / "report.html").exists() and "report.html" in said and "normalised" not in said


def test_forms_and_place_can_be_chosen(folder, tmp_path):
    works("report", folder / "map", "--format", "md,csv", "--to", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.csv", "report.md"]


def test_intervals_and_factors_are_said(folder, tmp_path):
    said = works("report", folder / "map", "--intervals", "bca", "--compat", "playground", "--to", tmp_path)
    assert "means; BCa bootstrap, 99.17% each: 6 comparisons of two pairs share the error" in said
    assert "normalised  as in MDP Playground" in said
    assert "80.0 ± 20.0" in said  # the score of two steps a reward, twice
    told = json.loads(works("report", folder / "map", "--intervals", "t", "--to", tmp_path, "--json"))
    assert told["intervals"].startswith("means; Student's t") and told["compat"] == ""
    assert told["pairs"][0]["units"]["trained"] == [10.0, 20.0] and told["maps"][1]["sd"][0] == [5.0, 10.0]


def test_ranks_of_two_runs(folder):
    said = works("compare", folder / "toy", folder / "game", "--ranks")
    assert "rho -1.00 [-1.00, -1.00] over 2 and 2 seeds, p 0.017 (two-sided, all orders counted)" in said
    assert "not calibrated and may be far too narrow" in " ".join(said.split())
    told = json.loads(works("compare", folder / "toy", folder / "game", "--ranks", "--json"))
    assert told["rho"]["value"] == pytest.approx(-1) and told["levels"][4][0] == "delay=8"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("report {}/map --intervals sd", "intervals are percentile, bca, t, not 'sd'."),
        ("report {}/map --compat atari", "values are reported as in playground or kage, not as in 'atari'."),
        ("report {}/exam --intervals t", "is an exam; --intervals and --compat are for runs of pairs."),
        (
            "compare {}/toy {}/map --ranks",
            "varies delay and sequence_length; --ranks takes runs that vary one setting.",
        ),
        ("compare {}/toy {}/exam --ranks", "is an exam; --ranks is for runs of pairs"),
        ("compare {}/toy {}/game --ranks --all", "--ranks shows all levels already; drop --all."),
    ],
)
def test_what_cannot_be_is_one_sentence(folder, words, says):
    done = run(*words.format(folder, folder).split())
    assert done.exit_code == 2 and says in done.stderr and done.stderr.count("\n") == 1
