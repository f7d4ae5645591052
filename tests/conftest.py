"""Shared by all tests: the outside package, installed as pip would leave it, and room for programs."""

import gc
import importlib
import sys
from pathlib import Path

import pytest

OUTSIDE = Path(__file__).parent / "outside"
PENDING = Path(__file__).parents[1] / "certificates.pending"
LONGEST = (
    "test_docs.py",
    "test_main.py",
    "test_kill.py",
    "test_wrong_variations.py",
)  # files of a minute and more
MOST_MAPPINGS = 20_000  # Linux gives a process 65,530


def pytest_collection_modifyitems(items):
    """The longest files first: begun last, they would leave the other worker idle for minutes."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


@pytest.fixture(scope="module", autouse=True)
def room_for_programs():
    """Drops compiled programs when they have taken many of the process's memory mappings.

    Each program has about 27 of them. A worker that ran most of the tests had none left, and reading one more
    program from the cache ended it with a segmentation fault.
    """
    yield
    mappings = Path("/proc/self/maps")
    if "jax" in sys.modules and mappings.exists() and mappings.read_text().count("\n") > MOST_MAPPINGS:
        sys.modules["jax"].clear_caches()
        gc.collect()


def install_outside(folder: Path) -> None:
    """Puts the package and its entry point where `importlib.metadata` finds them, without pip or network."""
    (folder / "assay_outside").symlink_to(OUTSIDE / "assay_outside")
    metadata = folder / "assay_outside-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: assay-outside\nVersion: 1.0\n")
    points = "outside = assay_outside:ENTRIES\nlamps = assay_outside.lamps:FAMILY\n"
    (metadata / "entry_points.txt").write_text(f"[assay.catalogue]\n{points}")


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """The catalogue with the outside package installed; one per test file, for programs are kept."""
    from assay import catalogue

    folder = tmp_path_factory.mktemp("site")
    install_outside(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        importlib.invalidate_caches()
        catalogue.entries.cache_clear()
        yield folder
    catalogue.entries.cache_clear()
    for name in [name for name in sys.modules if name.startswith("assay_outside")]:
        del sys.modules[name]


@pytest.fixture(scope="session")
def pending() -> set[str]:
    """The families whose shipped certificates may be older than the code."""
    lines = [line.partition("#")[0].strip() for line in PENDING.read_text().splitlines()]
    return set(filter(None, lines))
