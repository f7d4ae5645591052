"""Contact sheets and animations, from arrays."""

import os
from itertools import chain

import numpy as np
import pytest
from PIL import Image, ImageDraw

from assay.errors import AssayError
from assay.report.sheet import (
    MARGIN,
    SMALL,
    Cell,
    Row,
    Sheet,
    draw_sheet,
    enlarge,
    font,
    lay_out,
    require_place,
    save_gif,
    save_png,
    scale_for,
    wrap,
)

LONG = "platformer/run+background.mode=color+background.color_names=[purple,lime,indigo]"


def pictures(count, shape=(20, 30)):
    return np.random.default_rng(0).integers(0, 256, (count, *shape, 3), dtype=np.uint8)


def sheet(rows=3, columns=4, **more):
    found = pictures(rows * columns).reshape(rows, columns, 20, 30, 3)
    lines = [Row(f"row {i}", [Cell(each) for each in row]) for i, row in enumerate(found)]
    return Sheet(lines, [f"step {i}" for i in range(columns)], "title", **{"scale": 3, **more})


def cell_of(page, made, row, column):
    left, top = lay_out(made).places[row][column]
    high, wide = (made.scale * side for side in made.rows[row].cells[column].picture.shape[:2])
    return np.asarray(page)[top : top + high, left : left + wide]


class TestSheets:
    def test_every_cell_is_its_picture_pixel_for_pixel(self):
        made = sheet()
        page = draw_sheet(made)
        for i, row in enumerate(made.rows):
            for j, cell in enumerate(row.cells):
                assert np.array_equal(cell_of(page, made, i, j)[::3, ::3], cell.picture)
                assert np.array_equal(cell_of(page, made, i, j), enlarge(cell.picture, 3))

    def test_nothing_lies_on_anything_else(self):
        made = sheet(scale=2)
        made = made._replace(
            rows=[row._replace(cells=[c._replace(note="over") for c in row.cells]) for row in made.rows]
        )
        layout = lay_out(made)
        taken = np.zeros((layout.height, layout.width), int)
        for left, top in chain.from_iterable(layout.places):
            taken[top : top + 40, left : left + 60] += 1
        for words in layout.words:
            pen = ImageDraw.Draw(Image.new("RGB", (1, 1)))
            box = pen.textbbox((words.left, words.top), words.text, font=font(words.size))
            assert box[2] <= layout.width and box[3] <= layout.height - 2
            taken[int(box[1]) : int(box[3]), int(box[0]) : int(box[2])] += 1
        assert taken.max() == 1
        assert not taken[:, -MARGIN:].any() and not taken[-MARGIN:].any()

    def test_pictures_of_several_sizes_keep_their_columns(self):
        small, large = pictures(1)[0], pictures(1, (40, 50))[0]
        made = Sheet([Row("", [Cell(small), Cell(large)])], ["a", "b"])
        page = draw_sheet(made)
        assert np.array_equal(cell_of(page, made, 0, 0), small)
        assert np.array_equal(cell_of(page, made, 0, 1), large)

    def test_groups_stand_apart(self):
        lefts = [place[0] for place in lay_out(sheet(group=2)).places[0]]
        inside, between = lefts[1] - lefts[0], lefts[2] - lefts[1]
        assert between > inside and lefts[3] - lefts[2] == inside

    @pytest.mark.parametrize("width", [40, 130, 260, 2000])
    def test_long_texts_are_wrapped_and_not_cut(self, width):
        lines = wrap(LONG, SMALL, width)
        assert "".join(lines) == LONG
        assert all(font(SMALL).getlength(line) <= width for line in lines)
        assert wrap("", SMALL, width) == []

    def test_words_are_kept_apart(self):
        assert " ".join(wrap("seed 3; the same random actions", SMALL, 60)) == (
            "seed 3; the same random actions"
        )

    def test_the_scale_fills_a_side(self):
        assert scale_for(pictures(1), 100) == 3
        assert scale_for(pictures(1), 10) == 1


class TestFiles:
    def test_a_png_holds_the_page(self, tmp_path):
        page = draw_sheet(sheet())
        save_png(page, tmp_path / "a.png")
        assert np.array_equal(Image.open(tmp_path / "a.png"), page)
        assert [path.name for path in tmp_path.iterdir()] == ["a.png"]

    def test_the_same_page_is_the_same_bytes(self, tmp_path):
        for name in ("a.png", "b.png"):
            save_png(draw_sheet(sheet()), tmp_path / name, colours=64)
        assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()

    def test_a_gif_has_every_frame(self, tmp_path):
        pages = [draw_sheet(sheet(1, 2)._replace(title=f"step {i}")) for i in range(7)]
        save_gif(pages, tmp_path / "a.gif", 40)
        with Image.open(tmp_path / "a.gif") as found:
            assert found.n_frames == 7 and found.info["duration"] == 40 and found.info["loop"] == 0

    def test_an_error_leaves_the_old_file(self, tmp_path, monkeypatch):
        save_png(draw_sheet(sheet()), tmp_path / "a.png")
        before = (tmp_path / "a.png").read_bytes()

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        with pytest.raises(AssayError, match="cannot be written: No space left"):
            save_png(draw_sheet(sheet(1, 1)), tmp_path / "a.png")
        assert (tmp_path / "a.png").read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["a.png"]

    def test_bad_places_are_refused_before_anything_is_drawn(self, tmp_path, monkeypatch):
        (tmp_path / "b.png").mkdir()
        for name, says in {
            "a.jpg": "must end in .png",
            "b.png": "is a folder",
            "nowhere/a.png": "there is no folder",
        }.items():
            with pytest.raises(AssayError, match=says):
                require_place(tmp_path / name, ".png")
        monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
        with pytest.raises(AssayError, match="admits no new files"):
            require_place(tmp_path / "a.png", ".png")
