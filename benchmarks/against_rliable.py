"""Our IQM, stratified bootstrap and probability of improvement beside rliable's, run in a venv of its own.

    python benchmarks/against_rliable.py

Needs network or a package mirror: rliable is installed into a temporary folder (with pandas below 3: with a
newer one it does not import), given the same scores, and thrown away. No test of assay depends on it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import numpy as np

from assay.stats.aggregate import iqm
from assay.stats.compare import probability_of_improvement
from assay.stats.resampling import bootstrap

DRAWS = 20_000
# IQMs of the tied scores lie on a grid: 30 scores in tenths. The 2.5% quantile falls between two neighbours
# (one has 2.6% of the resamples at or below it), so that two samples of resamples may name either.
TIES = "ties, 20 seeds x 3 tasks"
GRAIN = {TIES: 0.1 / 30}
THEIRS = """
import json, sys
import numpy as np
from rliable import library, metrics
out = {}
for name, pair in json.load(sys.stdin).items():
    ours, theirs = (np.array(scores) for scores in pair)
    value, ends = library.get_interval_estimates(
        {"a": ours}, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=%d)
    better, better_ends = library.get_interval_estimates(
        {"a,b": (ours, theirs)}, metrics.probability_of_improvement, reps=2000)
    out[name] = [[float(value["a"][0]), *map(float, np.ravel(ends["a"]))],
                 [float(better["a,b"]), *map(float, np.ravel(better_ends["a,b"]))]]
json.dump(out, sys.stdout)
"""


def scores() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Pairs of agents' scores, each (seeds, tasks)."""
    rng = np.random.default_rng(0)
    difficulty = rng.uniform(0, 1, 8)
    fails = rng.random((10, 8)) < 0.15
    return {
        "normal, 10 seeds x 8 tasks": (
            rng.normal(difficulty + 0.05, 0.1, (10, 8)),
            rng.normal(difficulty, 0.1, (10, 8)),
        ),
        "failures, 10 seeds x 8 tasks": (
            np.where(fails, 0.02, rng.normal(0.8, 0.05, (10, 8))),
            rng.normal(0.75, 0.1, (10, 8)),
        ),
        TIES: (
            rng.binomial(10, 0.95, (20, 3)) / 10,
            rng.binomial(10, 0.9, (20, 3)) / 10,
        ),
        "unequal, 5 and 7 seeds x 4 tasks": (rng.gamma(2, size=(5, 4)), rng.gamma(1.5, size=(7, 4))),
    }


def theirs(pairs: dict[str, tuple[np.ndarray, np.ndarray]]) -> dict[str, list[list[float]]]:
    """rliable's answers: for each pair of agents, [value, low, high] of the IQM and of the probability."""
    with tempfile.TemporaryDirectory() as folder:
        python = str(Path(folder) / "bin" / "python")
        subprocess.run(["python3", "-m", "venv", "--without-pip", folder], check=True)
        subprocess.run(
            ["python3", "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check",
             "rliable", "pandas<3"], check=True, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        given = json.dumps({name: [a.tolist(), b.tolist()] for name, (a, b) in pairs.items()})
        command = [python, "-W", "ignore", "-c", THEIRS % DRAWS]
        done = subprocess.run(command, input=given, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"rliable did not run:\n{done.stderr}")
        return json.loads(done.stdout)


def main() -> None:
    pairs = scores()
    peers = theirs(pairs)
    agree = True
    print(f"{'':36}{'':34}{'value':>9}{'low':>9}{'high':>9}")
    for name, (a, b) in pairs.items():
        for what, peer, same, default in (
            ("IQM", peers[name][0], *both(bootstrap, a, iqm, draws=DRAWS)),
            (
                "probability of improvement",
                peers[name][1],
                *both(probability_of_improvement, a, b, draws=DRAWS),
            ),
        ):
            width = same.high - same.low
            exact = abs(same.value - peer[0]) < 1e-12
            near = max(abs(same.low - peer[1]), abs(same.high - peer[2])) <= max(
                0.06 * width, GRAIN.get(name, 0.0) + 1e-9
            )
            agree &= exact and near
            for who, row in (
                (f"{what}, rliable", peer),
                ("assay, same form", same),
                ("assay, default", default),
            ):
                print(f"{name:36}{who:34}" + "".join(f"{number:9.4f}" for number in row))
    print(
        "values equal, ends of the same form within 6% of the width or one grain:", "yes" if agree else "NO"
    )
    sys.exit(not agree)


def both(interval, *given, **how):
    """Our interval as rliable forms it, and as we do by default."""
    rng = np.random.default_rng(1)
    return interval(*given, rng=rng, expand=False, **how), interval(*given, rng=rng, **how)


if __name__ == "__main__":
    main()
