"""The page of visual axes, tried on toy pictures; the platformer's own is redrawn by a slow test."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from assay.catalogue import axis_of, env_entry
from assay.interop.film import Film
from tools.docs import gallery

DOCS = Path(__file__).parents[2] / "docs"
TOY = "toy/grid"


@pytest.fixture
def toy(monkeypatch):
    """The page of a small env, with one strip alone and at few steps."""
    one = [strip for strip in gallery.strips(TOY) if strip.axis.name == "observation.flip"]
    monkeypatch.setattr(gallery, "STEPS", 3)
    monkeypatch.setattr(gallery, "MOMENT", 2)
    monkeypatch.setattr(gallery, "strips", lambda env=TOY: one)
    return one


def test_every_strip_is_of_an_axis_that_is_only_seen():
    found = gallery.strips(TOY)
    names = [strip.axis.name for strip in found]
    assert names[:2] == ["image_width", "image_height"] and "observation.flip" in names
    assert "image_representations" not in names and "observation.stack" not in names
    assert all(strip.axis.components == ("observation",) for strip in found)
    assert all(len(strip.levels) == len(strip.tasks) <= gallery.MOST_LEVELS for strip in found)


def test_what_an_axis_needs_is_beside_the_plain_task_too():
    strip = gallery.strip_of("toy/discrete", axis_of("toy/discrete", "image_ro_quant"))
    assert "image_transforms=rotate" in str(strip.plain)
    assert all(set(strip.plain.settings) < set(task.settings) for task in strip.tasks)
    assert "Shown beside `image_representations`" in "\n".join(gallery.section(strip))


def test_between_two_levels_of_a_number_there_are_more():
    assert gallery.shown_levels(axis_of(TOY, "image_width")) == (64, 82, 84, 92)
    assert gallery.shown_levels(axis_of(TOY, "observation.flip")) == (True,)


def test_more_levels_are_levels():
    for name, levels in gallery.MORE_LEVELS.items():
        axis = axis_of("platformer/run", name)
        assert [axis.to_level(level) for level in levels] == list(levels)


def film(*values):
    return Film(np.array(values, np.uint8)[:, None, None, None] * np.ones((1, 1, 3), np.uint8), False)


def test_a_strip_is_taken_where_every_level_is_seen(monkeypatch):
    monkeypatch.setattr(gallery, "MOMENT", 1)
    plain = film(0, 0, 0)
    assert gallery.moment_of([plain, film(0, 5, 5), film(0, 5, 5)]) == 1
    assert gallery.moment_of([plain, film(0, 0, 5), film(0, 5, 5)]) == 2
    assert gallery.levels_seen([plain, film(0, 5, 5), film(0, 0, 5)], 1) == 1


def test_what_is_stale_is_noticed_and_mended(toy, tmp_path, capsys):
    assert gallery.main(str(tmp_path), check=True) == 1
    assert gallery.main(str(tmp_path)) == 0
    assert gallery.main(str(tmp_path), check=True) == 0
    picture = tmp_path / gallery.IMAGES / "observation.flip.png"
    with Image.open(picture) as found:
        assert found.width > 2 * 100
    before = picture.read_bytes()
    picture.unlink()
    (tmp_path / gallery.IMAGES / "nobodys.png").write_bytes(before)
    (tmp_path / gallery.PAGE).write_text("old")
    assert gallery.main(str(tmp_path), check=True) == 1
    assert "stale: axes.md, nobodys.png, observation.flip.png" in capsys.readouterr().err
    assert gallery.main(str(tmp_path)) == 0
    assert gallery.main(str(tmp_path), check=True) == 0
    assert picture.read_bytes() == before


def test_pictures_that_are_there_stay(toy, tmp_path, monkeypatch):
    wanted = []
    monkeypatch.setattr(gallery, "draw_all", lambda every, folder: wanted.extend(every))
    (tmp_path / gallery.IMAGES).mkdir(parents=True)
    (tmp_path / gallery.IMAGES / "observation.flip.png").write_bytes(b"")
    assert gallery.main(str(tmp_path)) == 0 and not wanted
    assert gallery.main(str(tmp_path), anew=True) == 0 and wanted == toy
    assert (tmp_path / gallery.PAGE).read_text() == gallery.page(toy)


def test_no_axis_that_is_only_seen_is_left_out():
    text = (DOCS / gallery.PAGE).read_text()
    own = [axis for axis in env_entry(gallery.ENV).axes if axis.components == ("observation",)]
    for axis in own:
        assert gallery.group_of(axis) in gallery.GROUPS
        assert f"\n### {axis.name}\n" in text or axis.name == "observation"  # numbers in place of pictures


def test_the_pictures_in_the_repository_are_small():
    found = list((DOCS / gallery.IMAGES).glob("*.png"))
    assert sum(path.stat().st_size for path in found) < 1.5e6


@pytest.mark.slow
def test_drawn_again_the_pictures_are_the_same(tmp_path):
    assert gallery.main(str(tmp_path)) == 0
    for path in (tmp_path / gallery.IMAGES).glob("*.png"):
        assert path.read_bytes() == (DOCS / gallery.IMAGES / path.name).read_bytes(), path.name
