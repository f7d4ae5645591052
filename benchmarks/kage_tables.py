"""Makes docs/results/kage.md and its figures of the trainings in benchmarks/kage/.

    .venv/bin/python benchmarks/kage_tables.py [--folder benchmarks/kage] [--docs docs]

Takes in all files that are there: every seed of the seven appearances, `plain-float32-<seed>.json` and
`plain-augmented-<seed>.json`; the page says what is missing. The paper's figures are those of its Tables 1
and 3, as printed (`paper_axes.csv`, `paper_pairs.csv`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from kage_pages.figures import draw_all
from kage_pages.page import figures_of, page
from kage_pages.results import read_results

FOLDER, DOCS = Path(__file__).parent / "kage", Path(__file__).parents[1] / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--docs", type=Path, default=DOCS)
    asked = parser.parse_args()
    results = read_results(asked.folder, FOLDER)
    for folder in ("results", "images"):
        (asked.docs / folder).mkdir(parents=True, exist_ok=True)
    draw_all(results, figures_of(results), asked.docs / "images")
    (asked.docs / "results" / "kage.md").write_text(page(results))


if __name__ == "__main__":
    main()
