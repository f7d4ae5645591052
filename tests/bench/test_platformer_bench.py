"""The lines of `assay bench platformer` say in words what is measured; nothing is measured here."""

import json

import pytest

from assay.bench import platformer
from assay.bench.toy import Figure


@pytest.fixture
def no_measuring(monkeypatch):
    monkeypatch.setattr(platformer, "has_kernel", lambda: False)
    monkeypatch.setattr(platformer, "measure", lambda name, play, seconds: Figure(name, 1.0, 1.0, 0.0))


def test_lines_name_the_task_and_how_it_is_run(no_measuring):
    lines = {figure.name: figure.remark for figure in platformer.figures(0.0)}
    assert list(lines) == [
        "plain task, 128 envs at once",
        "plain task, 128 envs at once, ended episodes begin anew",
        "everything on, 128 envs at once",
        "plain task, one env by assay.make",
    ]
    assert lines["everything on, 128 envs at once"].endswith(
        "backgrounds, 25 characters, 10 shapes, 5 lights and 14 filters"
    )
    assert all("every byte of every frame is added up" in remark for remark in list(lines.values())[:3])


def test_the_curve_is_read_by_its_names_old_and_new(no_measuring, tmp_path):
    curve = pytest.importorskip("benchmarks.platformer_curve")
    named = [figure.name for figure in platformer.curve(0.0)]
    assert named[0] == "plain task, 1 env at once" and named[-1] == "everything on, 256 envs at once"
    path = tmp_path / "lanes.json"
    for names in (named, ["simplest, 1 lanes", "simplest, 4,096 lanes", "hardest, 256 lanes"]):
        path.write_text(json.dumps({"figures": [{"name": name, "rate": 2.0} for name in names]}))
        found = curve.read_curves(path, "rate")
        assert max(found["easy"]) == 4096 and max(found["hard"]) == 256
