"""The public door: what it offers, and what its results show."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import assay
from assay.door.exams import name_of
from assay.errors import AssayError, NotApplicable

BLINK = """
import assay


def darken(xp, level, memory, draw, value, ends, space):
    return memory, xp.where(level, value * 0, value)


def act(observation):
    return 0


blink = assay.Channel(True, "blink", ("observation",), darken, neutral=False)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("door")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        (folder / "door_mine.py").write_text(BLINK)
        yield folder


@pytest.fixture(scope="module")
def result(place):
    return assay.examine("tabular_q", "toy/discrete", axes={"transition_noise": "0.5"}, seeds=3, steps=1000,
                         episodes=2, out="runs/first", workers=1)  # fmt: skip


def test_the_door_names_what_it_offers_and_each_is_there():
    offered = {*assay._DOOR, "chance", "variations", "suites", "__version__"}
    assert set(assay.__all__) == offered
    for name in assay.__all__:
        assert getattr(assay, name) is not None
    for name in ("examine", "train", "check", "open_run", "Channel", "Inner", "Field", "Axis", "Suite"):
        assert getattr(assay, name).__doc__


def test_an_exam_gives_verdicts_rows_and_episodes(result):
    assert set(result.verdicts) == {"transition_noise"} and not result.failed
    table = result.table()
    assert isinstance(table, pa.Table) and table.num_rows == 1
    assert table["axis"].to_pylist() == ["transition_noise"] and table["level"].to_pylist() == ["0.5"]
    [level] = result.exam.findings[0].levels
    assert table["score"].to_pylist() == [level.score] and np.isfinite(level.score)
    # Of the agent and of random play, each three seeds: two episodes on the plain task and two on the level.
    assert result.episodes().num_rows == 2 * 3 * 2 * 2


def test_a_frame_is_the_table(result):
    pandas = pytest.importorskip("pandas")
    frame = result.frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame["axis"]) == ["transition_noise"]


def test_without_pandas_a_frame_says_what_to_do(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(AssayError, match="a frame needs pandas, which is not installed"):
        result.frame()


def test_it_shows_itself_in_a_notebook_and_in_words(result):
    shown = result._repr_html_()
    assert shown.startswith('<iframe srcdoc="') and "transition_noise" in shown and "<script src" not in shown
    assert "tabular_q" in repr(result) and repr(result).splitlines()[-1].endswith("report.html")


def test_the_same_question_finds_its_results_and_a_run_is_opened_again(result, place):
    before = (place / "runs" / "first" / "ledger.sqlite").stat().st_size
    again = assay.examine("tabular_q", "toy/discrete", axes={"transition_noise": "0.5"}, seeds=3, steps=1000,
                          episodes=2, out="runs/first", workers=1)  # fmt: skip
    assert again.exam.findings == result.exam.findings
    assert (place / "runs" / "first" / "ledger.sqlite").stat().st_size == before
    assert assay.open_run("runs/first").verdicts == result.verdicts


def test_training_has_scores_and_no_verdicts(place):
    trained = assay.train("tabular_q", "toy/discrete", seeds=2, steps=1000, episodes=2, workers=1)
    assert trained.experiment.findings[0].seeds == 2 and "toy/discrete" in repr(trained)
    with pytest.raises(NotApplicable, match="is no exam and has no verdicts"):
        trained.verdicts  # noqa: B018 - reading it is the test


nameless_act = lambda observation: 0  # noqa: E731 - at the top of a module, so its name has no dot


def test_levels_of_ones_own_are_not_for_agents_trained_before():
    with pytest.raises(NotApplicable, match="give `axes` as a list of names, without levels"):
        assay.examine("run:runs/first", "toy/discrete", axes={"delay": "1"})


def test_an_agent_is_a_name_or_a_function_that_workers_can_import(place):
    import door_mine

    assert name_of(door_mine.act) == "door_mine:act" and name_of("dqn") == "dqn"
    for nameless in (lambda observation: 0, nameless_act, object()):
        with pytest.raises(NotApplicable, match="put it into a module of your own"):
            name_of(nameless)


def test_a_variation_of_ones_own_is_proved(place):
    [certificate] = assay.check("door_mine:blink", on="gym/FrozenLake-v1")
    assert certificate.axis == "door_mine:blink" and certificate.holds, certificate.sentence()


def test_records_that_were_altered_are_refused(place):
    assay.train("tabular_q", "toy/discrete", seeds=1, steps=1000, episodes=1, out="runs/torn", workers=1)
    path = place / "runs" / "torn" / "run.json"
    path.write_text(path.read_text().replace('"episodes": 1', '"episodes": 2'))
    with pytest.raises(AssayError, match=r"fail their digests|torn|seal"):
        assay.open_run("runs/torn")


def test_it_is_a_module_to_be_run():
    out = subprocess.run(
        [sys.executable, "-m", "assay", "--version"], capture_output=True, text=True, check=True
    )
    assert out.stdout == f"assay {assay.__version__}\n"


def test_importing_it_loads_nothing_slow():
    code = (
        "import sys, assay; print([m for m in ('jax', 'gymnasium', 'numpy', 'pyarrow') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"


DOORS = ("assay", "assay.authoring", "assay.chance", "assay.results", "assay.rules", "assay.stats")
ROOT = Path(__file__).parents[2]
SHOWN = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")]
IMPORT = re.compile(
    r"^(?:>>> |\.\.\. )?\s*(?:from (assay[\w.]*) import \(?([\w, ]+)|import (assay[\w.]*))", re.M
)


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_what_people_are_shown_imports_from_the_doors_alone(page):
    if page.parent.name == "decisions":
        return
    for module, names, whole in IMPORT.findall(page.read_text()):
        assert (module or whole) in DOORS, f"{page.name} imports {module or whole}"
        offered = importlib.import_module(module or whole).__all__
        assert set(names.replace(",", " ").split()) <= set(offered), f"{page.name}: {names}"


@pytest.mark.parametrize("door", DOORS)
def test_a_door_offers_what_it_names(door):
    module = importlib.import_module(door)
    assert sorted(module.__all__) == list(module.__all__) or door == "assay.results"
    for name in module.__all__:
        assert not inspect.ismodule(getattr(module, name)), name
    with pytest.raises(AttributeError, match=r"nonesuch"):
        module.nonesuch  # noqa: B018 - reading it is the test


def test_a_run_without_transcripts_says_how_to_get_them(result):
    job = result.episodes()["job"][0].as_py()
    with pytest.raises(NotApplicable, match="none were asked for; transcripts=True keeps them"):
        result.transcript(job)


@pytest.mark.parametrize("name", ["assay.authoring", "assay.chance", "assay.stats"])
def test_the_public_modules_list_what_they_offer(name):
    module = importlib.import_module(name)
    assert dir(module) == sorted(module.__all__)
