"""Makes docs/results/playground.md and its figures of the files in benchmarks/playground/.

    .venv/bin/python benchmarks/playground_tables.py [--folder benchmarks/playground] [--docs docs]

The page says what is missing.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from playground_pages.experiments import EXPERIMENTS, OF_TUNING
from playground_pages.figures import draw
from playground_pages.page import page, records_of
from playground_pages.records import FOLDER


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[1] / "docs")
    asked = parser.parse_args()
    for experiment in EXPERIMENTS:
        records, _ = records_of(experiment, asked.folder)
        if records and experiment not in OF_TUNING:
            draw(experiment, records, asked.docs / "images")
    (asked.docs / "results").mkdir(parents=True, exist_ok=True)
    (asked.docs / "results" / "playground.md").write_text(page(asked.folder))


if __name__ == "__main__":
    main()
