"""Programs that one test compiled are loaded by the next, as in real runs."""

import pytest

from assay.runs.cache import keep_programs


@pytest.fixture(autouse=True, scope="session")
def programs_kept():
    keep_programs()
