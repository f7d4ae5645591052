import pytest

from assay.results import create

from .sample import job, result


@pytest.fixture
def run(tmp_path):
    with create(tmp_path / "run", {"suite": "examine"}, ["assay", "run"]) as opened:
        yield opened


@pytest.fixture
def finished(run):
    """A run with three jobs done and two left."""
    run.add_jobs(job(number) for number in range(5))
    for each in run.claim(3):
        run.finish(each.id, **result(each))
    return run
