"""The platformer's art: what is shipped, that it can be painted again, and a user's own folders."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from assay.envs.platformer import art, folders
from assay.errors import WrongLevel
from tools.art import make, measure, png, scenes, skins, sprite

ROOT = Path(__file__).parents[3]
SAMPLE = ("volcano", "northern lights", "calm sea", "fair", "crystal cave", "galaxy", "maze")


def save(path: Path, size: tuple[int, int], mode: str = "RGB", value=90) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, value).save(path)
    return path


class TestBackgrounds:
    def test_shapes_and_names(self):
        shipped = art.backgrounds()
        assert shipped.shape == (128, 128, 128, 3) and shipped.dtype == np.uint8
        assert len(set(art.background_names())) == 128
        assert art.background_names() == scenes.NAMES

    def test_no_two_are_near(self):
        found = measure.apart(art.backgrounds())
        assert found.ratio >= measure.BAR, [
            (round(value, 3), scenes.NAMES[first], scenes.NAMES[second])
            for value, first, second in found.pairs
        ]

    @pytest.mark.parametrize("name", SAMPLE)
    def test_painted_again_it_is_the_same(self, name):
        again = scenes.scene(name, scenes.takes().get(name, 0))
        assert make.digest(again) == art.read_index()["scenes"][name]
        assert np.array_equal(again, art.backgrounds()[scenes.NAMES.index(name)])

    def test_the_right_edge_meets_the_left(self):
        # A picture's own vertical edges (a tower, a trunk) set what a step between columns may be.
        shipped = art.backgrounds().astype(float)
        inner = np.abs(np.diff(shipped, axis=2)).mean((1, 3)).max(1)
        seam = np.abs(shipped[:, :, 0] - shipped[:, :, -1]).mean((1, 2))
        assert (seam <= 1.25 * inner).all()

    def test_they_are_shared_and_cannot_be_changed(self):
        assert art.backgrounds() is art.backgrounds()
        with pytest.raises(ValueError, match="read-only"):
            art.backgrounds()[0] = 0


class TestSkins:
    def test_shapes_and_names(self):
        assert len(art.skins()) == 27 and list(art.skins()) == sorted(art.skin_names())
        assert {"skeleton", "clown"} <= set(art.skins())  # the benchmark's pairs name these two
        for skin in art.skins().values():
            assert skin.idle.shape == (2, 24, 16, 4) and skin.walk.shape == (4, 24, 16, 4)
            assert skin.idle.dtype == skin.walk.dtype == np.uint8

    @pytest.mark.parametrize("name", skins.NAMES)
    def test_frames_differ_and_are_cut_out(self, name):
        frames = np.concatenate(art.skins()[name])
        for part in art.skins()[name]:
            assert len({frame.tobytes() for frame in part}) == len(part)
        alpha = frames[..., 3]
        assert set(np.unique(alpha)) == {0, 255}
        assert (alpha.mean((1, 2)) > 0.25 * 255).all() and (alpha.mean((1, 2)) < 0.95 * 255).all()

    def test_each_is_outlined_and_light_enough_for_the_dark(self):
        for name, skin in art.skins().items():
            drawn = skin.idle[0][skin.idle[0][..., 3] == 255][:, :3]
            outline = (drawn == sprite.OUTLINE).all(1)
            assert 0.1 < outline.mean() < 0.6, name
            assert drawn[~outline].mean() > 64, name

    @pytest.mark.parametrize("name", ["skeleton", "bee", "king"])
    def test_drawn_again_it_is_the_same(self, name):
        again = skins.skin(name)
        assert make.digest(again) == art.read_index()["skins"][name]
        assert np.array_equal(again, np.concatenate(art.skins()[name]))


class TestFiles:
    def test_what_is_written_is_read_back(self, tmp_path):
        pixels = np.random.default_rng(0).integers(0, 256, (24, 16, 4), dtype=np.uint8)
        for one in (pixels, np.repeat(pixels[:1], 24, 0), np.ascontiguousarray(pixels[..., :3])):
            path = tmp_path / "one.png"
            path.write_bytes(png.encode(one))
            assert np.array_equal(art.png.read(path), one)
            assert np.array_equal(np.asarray(Image.open(path)), one)

    def test_they_are_small_and_listed(self):
        assert sum(path.stat().st_size for path in art.ART.iterdir()) < 1_000_000
        assert sorted(path.name for path in art.ART.iterdir()) == [
            "backgrounds.png",
            "index.json",
            "skins.png",
        ]
        takes = json.loads(scenes.TAKES.read_text())
        assert set(takes) <= set(scenes.NAMES)

    def test_the_loader_needs_neither_jax_nor_pillow(self):
        code = (
            "import sys; from assay.envs.platformer import art; art.backgrounds(); art.skins();"
            "sys.exit(bool({'jax', 'PIL'} & set(sys.modules)))"
        )
        assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


class TestOwnImages:
    def test_the_first_sets_the_size_and_order_is_by_text(self, tmp_path):
        save(tmp_path / "bg-10.png", (100, 50), value=(10, 0, 0))
        save(tmp_path / "bg-1.PNG", (64, 32), value=(1, 0, 0))
        save(tmp_path / "bg-2.bmp", (30, 90), value=(2, 0, 0))
        (tmp_path / "notes.txt").write_text("no image")
        out = folders.folder_of_images(tmp_path)
        assert out.shape == (3, 128, 256, 3) and out.dtype == np.uint8
        assert out[:, 0, 0, 0].tolist() == [1, 10, 2]

    def test_a_list_keeps_its_order(self, tmp_path):
        two = [
            save(tmp_path / "b.jpg", (128, 128), value=200),
            save(tmp_path / "a.jpg", (128, 128), value=20),
        ]
        assert folders.list_of_images(two)[:, 0, 0, 0].tolist() == [200, 20]

    def test_refusals_are_one_sentence(self, tmp_path):
        (tmp_path / "empty").mkdir()
        broken = tmp_path / "broken" / "x.png"
        broken.parent.mkdir()
        broken.write_bytes(b"\x89PNG\r\n\x1a\n nothing more")
        for match, call, value in (
            ("there is none at", folders.folder_of_images, tmp_path / "nowhere"),
            ("holds no images", folders.folder_of_images, tmp_path / "empty"),
            ("is empty", folders.list_of_images, []),
            ("no image file at", folders.list_of_images, [tmp_path / "gone.png"]),
            ("cannot be read as an image", folders.folder_of_images, broken.parent),
        ):
            with pytest.raises(WrongLevel, match=match) as refused:
                call(value)
            assert "\n" not in str(refused.value) and str(refused.value).endswith(".")


class TestOwnSkins:
    def test_small_frames_keep_their_feet_and_middle(self, tmp_path):
        save(tmp_path / "tall" / "0.png", (16, 24), "RGBA", (1, 2, 3, 255))
        save(tmp_path / "short" / "0.png", (11, 15), "RGBA", (4, 5, 6, 255))
        save(tmp_path / "short" / "1.png", (11, 15), "RGBA", (7, 8, 9, 255))
        out = folders.folder_of_skins(tmp_path)
        assert list(out) == ["short", "tall"]
        assert out["short"].idle.shape == out["short"].walk.shape == (2, 24, 16, 4)  # no names: both
        filled = np.argwhere(out["short"].walk[1][..., 3])
        assert filled.min(0).tolist() == [9, 3] and filled.max(0).tolist() == [
            23,
            13,
        ]  # 16 // 2 - 11 // 2 = 3

    def test_names_tell_idle_from_walk(self, tmp_path):
        for name, value in (("idle_0", 1), ("walk_0", 2), ("walk_1", 3)):
            save(tmp_path / "me" / f"{name}.png", (16, 24), "RGBA", (value, 0, 0, 255))
        skin = folders.list_of_skins([tmp_path / "me"])["me"]
        assert skin.idle[:, 0, 0, 0].tolist() == [1] and skin.walk[:, 0, 0, 0].tolist() == [2, 3]

    def test_refusals_are_one_sentence(self, tmp_path):
        (tmp_path / "bare").mkdir()
        (tmp_path / "outer" / "inner").mkdir(parents=True)
        big = save(tmp_path / "big" / "0.png", (300, 20), "RGBA", (0, 0, 0, 0)).parent
        twin = save(tmp_path / "other" / "big" / "0.png", (16, 24), "RGBA", (0, 0, 0, 0)).parent
        for match, call, value in (
            ("there is none at", folders.folder_of_skins, tmp_path / "nowhere"),
            ("holds no skins", folders.folder_of_skins, tmp_path / "bare"),
            ("holds no images", folders.folder_of_skins, tmp_path / "outer"),
            ("is empty", folders.list_of_skins, []),
            ("300 x 20 pixels", folders.list_of_skins, [big]),
            ("same name", folders.list_of_skins, [twin, twin]),
        ):
            with pytest.raises(WrongLevel, match=match) as refused:
                call(value)
            assert "\n" not in str(refused.value) and str(refused.value).endswith(".")
