"""What code of one's own stands on, found without running it."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from assay.errors import UnknownName
from assay.interop.own_code import sources, stamp
from assay.interop.watching import files_read, watching


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def write(place, **files):
    for name, text in files.items():
        path = place / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def test_modules_of_ones_own_are_followed_as_far_as_they_go(place):
    write(
        place,
        oc_agent="import json, numpy\nfrom oc_pack.deep import weights\n",
        oc_pack__init="",
        oc_pack__deep="from . import sibling\n\ndef later():\n    import oc_late\n",
        oc_pack__sibling="from .deeper import x\nraise RuntimeError('nothing of it is run')\n",
        oc_pack__deeper="x = 1\n",
        oc_late="import yaml\n",
        oc_stranger="",
    )
    (place / "oc_pack" / "init.py").rename(place / "oc_pack" / "__init__.py")
    found = sources(["oc_agent"])
    wanted = {"oc_agent", "oc_pack", "oc_pack.deep", "oc_pack.sibling", "oc_pack.deeper", "oc_late"}
    assert set(found.files) == wanted and "oc_agent" not in sys.modules
    assert found.files["oc_pack.deeper"] == place / "oc_pack" / "deeper.py"
    assert found.versions["numpy"] == np.__version__ and "PyYAML" in found.versions
    assert not {"json", "jax", "torch"} & set(found.versions)


@pytest.mark.parametrize(
    "root, dists",
    [
        ("stable_baselines3", {"stable_baselines3", "torch", "gymnasium", "numpy"}),  # all that it requires
        ("gymnasium.envs.mujoco.half_cheetah_v5", {"gymnasium", "mujoco"}),  # an extra of its distribution
        ("assay.envs.atari.build", {"ale-py"}),
        ("assay.envs.toy.discrete", {"jax", "jaxlib"}),
    ],
)
def test_of_libraries_the_versions_count(root, dists):
    found = sources([root])
    assert not found.files
    assert {name.lower().replace("-", "_") for name in dists} <= {
        name.lower().replace("-", "_") for name in found.versions
    }


def test_files_that_a_module_declares_count(place):
    write(place, oc_declares="ASSAY_FILES = ('data/weights.npy',)\n")
    with pytest.raises(
        UnknownName, match=r"declares the file data/weights\.npy in ASSAY_FILES, which does not exist"
    ):
        sources(["oc_declares"])
    (place / "data").mkdir()
    (place / "data" / "weights.npy").write_bytes(b"1")
    assert place / "data" / "weights.npy" in sources(["oc_declares"]).files.values()
    write(place, oc_computes="import os\nASSAY_FILES = os.listdir()\n")
    with pytest.raises(UnknownName, match="is a tuple of texts"):
        sources(["oc_computes"])


def test_a_changed_file_has_another_stamp(place):
    (place / "one").write_text("a")
    before = stamp(place / "one")
    (place / "one").write_text("b")
    os.utime(place / "one", ns=(1, before.changed + 1))
    assert stamp(place / "one") != before


class TestWatching:
    def test_what_is_read_is_seen_and_what_is_written_or_pythons_own_is_not(self, place):
        (place / "read.txt").write_text("x")
        (place / "before.txt").write_text("x")
        write(place, oc_imported="import oc_helper\n", oc_helper="")
        Path("before.txt").read_text()
        with watching() as seen:
            Path("read.txt").read_text()
            Path("written.txt").write_text("x")
            Path("written.txt").read_text()
            import wave  # noqa: F401 - of the standard library

            import oc_imported  # noqa: F401

        Path("before.txt").read_text()
        assert {path.name for path in files_read(seen)} == {"read.txt", "oc_imported.py", "oc_helper.py"}
        assert {"oc_imported", "oc_helper"} <= seen.imported

    def test_bytecode_stands_for_its_module(self, place):
        write(place, oc_compiled="")
        import oc_compiled

        del sys.modules["oc_compiled"]
        with watching() as seen:
            import oc_compiled  # noqa: F401
        assert files_read(seen) == {place / "oc_compiled.py"}

    def test_windows_may_stand_inside_one_another(self, place):
        (place / "a.txt").write_text("x")
        with watching() as outer:
            with watching() as inner:
                Path("a.txt").read_text()
            assert files_read(inner) == {place / "a.txt"}
        assert files_read(outer) == {place / "a.txt"}
