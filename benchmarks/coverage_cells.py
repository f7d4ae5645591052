"""Intervals of means by distribution, units and columns: what they hold, now and in an earlier tree.

    python benchmarks/coverage_cells.py [data sets, default 2000] [--beside SRC] [--seed 20261118]

A data set is (units, columns), its intervals hold together, and it counts as covered where all that are given
do. `--beside` names another source tree, such as that of an earlier commit, whose figures on the same draws
stand beside ours. The constants of the method were chosen on other draws (seeds below 100).
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent.parent / "src"
UNITS, COLUMNS = (5, 10, 30), (1, 20)
REACH = np.exp(0.5)  # mean of the lognormal
CELLS = {  # name -> draws, mean, known range, whether there are two values only
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0, None, False),
    "binary": (lambda rng, shape: (rng.random(shape) < 0.9) * 1.0, 0.9, (0.0, 1.0), True),
    "bounded": (lambda rng, shape: rng.beta(5, 1, shape), 5 / 6, (0.0, 1.0), False),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0, None, False),
    "exponential, reflected": (lambda rng, shape: -rng.exponential(size=shape), -1.0, None, False),
    "lognormal": (lambda rng, shape: rng.lognormal(size=shape), REACH, None, False),
    "lognormal, reflected": (lambda rng, shape: -rng.lognormal(size=shape), -REACH, None, False),
}
HELD_OUT = {  # looked at after the constants were fixed
    "gamma of shape 2": (lambda rng, shape: rng.gamma(2, size=shape), 2.0, None, False),
    "Student's t of 3": (lambda rng, shape: rng.standard_t(3, shape), 0.0, None, False),
    "every second reflected": (
        lambda rng, shape: (rng.exponential(size=shape) - 1) * (-1) ** np.arange(shape[1]), 0.0, None, False),
    "one skewed of all": (
        lambda rng, shape: np.hstack([rng.exponential(size=(shape[0], 1)) - 1,
                                      rng.normal(size=(shape[0], shape[1] - 1))]), 0.0, None, False),
}  # fmt: skip


def measured(draw, truth, known, two_valued, units, columns, sets, seed):
    """Share covered of the sets with an interval, share of intervals refused, median width of those given."""
    from assay.stats.resampling import simultaneous

    more = {}
    try:
        from assay.stats.bounded_mean import Range
    except ImportError:  # an earlier tree
        Range = None
    if known and Range:
        more["known"] = Range(*known, two_valued)
    rng, covered, given, refused, widths = np.random.default_rng(seed), 0, 0, 0, []
    for number in range(sets):
        values = draw(rng, (units, columns))
        found = simultaneous(values, rng=np.random.default_rng(number), draws=1000, **more)
        ends = np.isfinite(found.high - found.low)
        # A column of equal units without a known range has no ends: that is a refusal too.
        refused += (~ends).mean()
        if not ends.any():
            continue
        given += 1
        covered += ((found.low <= truth + 1e-9) & (truth - 1e-9 <= found.high))[ends].all()
        widths.append(np.median((found.high - found.low)[ends]))
    return {
        "covered": covered / given if given else None,
        "refused": refused / sets,
        "width": float(np.median(widths)) if widths else None,
    }


def rows(sets, seed):
    for kind, cell in {**CELLS, **HELD_OUT}.items():
        for columns in COLUMNS:
            for units in UNITS:
                if kind in ("every second reflected", "one skewed of all") and columns == 1:
                    continue
                yield kind, columns, units, measured(*cell, units, columns, sets, seed)


def beside(source, sets, seed):
    """The same figures of another source tree, from a process of its own."""
    command = [sys.executable, __file__, str(sets), "--seed", str(seed), "--src", source, "--json"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {tuple(row[:3]): row[3] for row in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="?", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20261118)
    parser.add_argument("--beside", default="", help="another source tree")
    parser.add_argument("--src", default=str(HERE), help="the source tree to measure")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    sys.path.insert(0, asked.src)
    begun = time.perf_counter()
    before = beside(asked.beside, asked.sets, asked.seed) if asked.beside else {}
    if not asked.json:
        print("| units | columns | n | covered | refused | width | covered before | width before | of it |")
        print("|---|---|---|---|---|---|---|---|---|")
    for kind, columns, units, found in rows(asked.sets, asked.seed):
        if asked.json:
            print(json.dumps([kind, columns, units, found]), flush=True)
            continue
        then = before.get((kind, columns, units), {})
        of_it = found["width"] / then["width"] if then.get("width") and found["width"] else None
        cells = (
            share(found["covered"]), share(found["refused"]), number(found["width"]),
            share(then.get("covered")), number(then.get("width")), number(of_it),
        )  # fmt: skip
        print(f"| {kind} | {columns} | {units} | {' | '.join(cells)} |", flush=True)
    if not asked.json:
        print(f"\n{asked.sets} data sets a cell, {time.perf_counter() - begun:.0f} s")


def share(value):
    return "-" if value is None else f"{value:.1%}"


def number(value):
    return "-" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    main()
