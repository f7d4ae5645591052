"""A tiny exam, made once, for the tests of the verbs."""

import shutil
import sys
from pathlib import Path

import pytest
from calling import CARTPOLE, MINE, SUITE, examine

from assay.plans import agents, sources


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where one works: agents of one's own, a suite, and a finished exam in runs/first."""
    place = tmp_path_factory.mktemp("verbs")
    (place / "verbs_mine.py").write_text(MINE)
    (place / "verbs_broken.py").write_text("import nowhere_to_be_found\n")
    (place / "small.yaml").write_text(SUITE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.syspath_prepend(str(place))
        done = examine(
            "verbs_mine:act", CARTPOLE, "--axes", "action.sticky", "--episodes", 5, "--out", "runs/first"
        )
        assert done.exit_code == 0, done.stderr or repr(done.exception)
        (place / "said.txt").write_text(done.stdout)
        yield place
    sys.modules.pop("verbs_mine", None)  # the next file's is another
    for remembered in (agents.load_outside, sources.load_own_module, sources.reads_of_agent):
        remembered.cache_clear()


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.fixture
def copy(folder, tmp_path):
    """The finished exam, to be broken."""
    return Path(shutil.copytree(folder / "runs" / "first", tmp_path / "copy"))
