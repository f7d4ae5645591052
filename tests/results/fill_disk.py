"""Finish jobs until the disk is full, make room, and see that nothing was lost: run by test_bad_input."""

import sys
from pathlib import Path

import numpy as np
from sample import job, result

from assay.errors import AssayError
from assay.results import create, open_run

folder = Path(sys.argv[1])
ballast = folder.parent / "ballast"
ballast.write_bytes(bytes(150_000))
run = create(folder, {})
run.add_jobs(job(number) for number in range(40))
done = 0
says = ""
try:
    for each in run.claim(40):
        weights = {"w": np.random.default_rng(0).normal(size=2000)}
        run.finish(each.id, **(result(each) | {"weights": weights}))
        done += 1
except AssayError as error:
    says = str(error)
print(done, says)
assert 0 < done < 40, done
assert not list(folder.rglob("*.part"))
assert len(list((folder / "weights").iterdir())) == done
run.close()
ballast.unlink()
with open_run(folder) as run:
    assert run.verify().holds
    assert len(run.progress().done) == done
    (again,) = run.claim()
    assert run.finish(again.id, **result(again)).kept
    assert run.verify().holds
