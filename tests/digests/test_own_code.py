"""What code of one's own stands on, found without running it."""

import importlib
import os
import platform
import sys
from pathlib import Path

import numpy as np
import pytest

from assay.digests.loaded_modules import require_as_loaded
from assay.digests.own_code import sources, stamp
from assay.errors import AssayError, UnknownName
from assay.interop.watching import files_read, is_noise, watching


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


@pytest.mark.parametrize(
    "text, module",
    [
        ("from assay.stats.unseen_share import BETS\n", "assay.stats.unseen_share.BETS"),
        ("import assay.variations.channel_parts as cp\nx = cp.ring\n", "assay.variations.channel_parts"),
        ("def act(o):\n    from assay.authoring import last_value\n", "assay.authoring.last_value"),
        ("import assay\nx = assay.make\n", "assay.interop.gymnasium"),  # through the door
        ("from assay import Policy as P\n", "assay.interop.policy"),
    ],
)
def test_modules_of_assay_that_ones_own_code_uses_are_named(place, text, module):
    write(place, oc_uses="import oc_used\n", oc_used=text)
    assert module in sources(["oc_uses"]).ours


def test_what_no_code_uses_is_not_named(place):
    write(place, oc_plain="import assay\nx = assay\n")
    assert sources(["oc_plain"]).ours == ("assay",)


@pytest.mark.parametrize(
    "opens, is_source",
    [
        ("open('st.txt', 'a').close(); open('st.txt').read()", True),
        ("os.read(os.open('st.txt', os.O_RDWR), 9)", True),
        ("open('st.txt', 'r+').read()", True),
        ("open('st.txt', 'a').write('x')", False),
        ("open('st.txt', 'w').write('x'); open('st.txt').read()", False),
        ("os.open('st.txt', os.O_WRONLY | os.O_TRUNC); open('st.txt').read()", False),
    ],
)
def test_only_a_file_that_is_made_anew_is_no_source(place, opens, is_source):
    (place / "st.txt").write_text("0.3")
    with watching() as seen:
        exec(opens, {"os": os, "open": open})
    assert (place / "st.txt" in files_read(seen)) == is_source


@pytest.mark.parametrize(
    "name, is_source", [("huggingface/w.txt", True), ("assay/x", False), ("matplotlib/fonts.json", False)]
)
def test_models_in_the_cache_folder_are_sources(place, monkeypatch, name, is_source):
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    (place / name).parent.mkdir()
    (place / name).write_text("0.3")
    with watching() as seen:
        (place / name).read_text()
    assert bool(files_read(seen)) == is_source


def test_a_folder_whose_name_begins_like_one_of_the_system_is_none_of_it():
    assert not is_noise(Path("/development/w.npy")) and is_noise(Path("/dev/null"))


def test_the_version_of_python_counts(place):
    write(place, oc_alone="")
    assert sources(["oc_alone"]).versions["python"] == platform.python_version()


def test_code_in_memory_is_that_of_the_file(place):
    write(place, oc_memory="x = 1\n")
    module = importlib.import_module("oc_memory")
    files = sources(["oc_memory"]).files
    require_as_loaded(files)
    write(place, oc_memory="x = 2.5\n")
    with pytest.raises(AssayError, match=r"oc_memory.py has changed since this Python process imported it"):
        require_as_loaded(files)
    del sys.modules["oc_memory"], module
    importlib.invalidate_caches()
    importlib.import_module("oc_memory")
    require_as_loaded(files)


def test_a_change_before_the_first_question_is_seen_by_what_python_stored(place, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    write(place, oc_stored="x = 1\n")
    importlib.import_module("oc_stored")
    write(place, oc_stored="x = 2.5\n")
    with pytest.raises(AssayError, match="has changed since"):
        require_as_loaded(sources(["oc_stored"]).files)


def test_the_started_script_counts_only_where_it_is_imported(place, monkeypatch):
    """torch reads the script of the process to look for its own markers."""
    write(place, oc_started="x = 1\n")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "oc_started.py", raising=False)
    with watching() as looked:
        Path("oc_started.py").read_text()
    assert files_read(looked) == set()
    with watching() as imported:
        importlib.import_module("oc_started")
    assert files_read(imported) == {place / "oc_started.py"}
