"""Writes docs/results/stori.md and its line drawings from the files in benchmarks/stori/.

    .venv/bin/python benchmarks/stori_page.py

`stori_results.py`, `stori_chances.py` and `stori_policies.py` make these files. What is not there is left
out, and the page says so.
"""

from __future__ import annotations

import numpy as np
from stori_figures import COLORS, Line, Panel, draw
from stori_frequencies import chances_text
from stori_notes import (
    crossing_text,
    drift_text,
    missing_text,
    paper_text,
    runs_text,
    summary_text,
    switches_of,
)
from stori_results import HERE
from stori_tables import (
    GAMES,
    Kept,
    agents_in,
    game_text,
    load,
    ram_text,
    random_text,
    single_text,
)
from stori_words import CHANCES, CROSSING, DQN, DRIFT, INTRO, MODES, PAPER, RAM, RANDOM, RUNS, SINGLE, SUMMARY

DOCS = HERE.parent / "docs"
PAGE = DOCS / "results" / "stori.md"
THOUSAND = 1000
SHOWN = 0.1  # of the episodes must be alive where a drift is drawn
FOLLOWED = ("3.1", "2.2", "3.2A")  # what agents were trained on, in the order of their colours


def curve_panels(game: str) -> list[Panel]:
    """A panel for every seed, with a line for every trained agent, coloured by its preset."""
    agents, kinds = agents_in(game), list(GAMES[game])
    reaches = [score for each in agents for _, score in each.learning]
    panels = []
    for seed in sorted({each.seed for each in agents}):
        lines = [
            Line(
                each.preset,
                [(step / THOUSAND, score) for step, score in each.learning],
                COLORS[kinds.index(each.preset) % len(COLORS)],
            )
            for each in agents
            if each.seed == seed
        ]
        heading = f"{game}, seed {seed}: score in training"
        panels.append(Panel(heading, "thousand steps of the agent", lines, until=100, reaches=reaches))
    return panels


def drift_panels(kept: Kept) -> list[Panel]:
    """For each drift, what the frozen agents earn per bin with it and without it."""
    panels = []
    drifts = dict.fromkeys((each["game"], each["drift"]) for each in kept["cells"] if each["drift"])
    for game, drift in sorted(drifts, key=lambda each: list(GAMES).index(each[0])):
        those = [each for each in kept["cells"] if each["game"] == game and each["drift"] in ("", drift)]
        far = last_step(kept, those)
        lines = [drift_line(kept, each, far) for each in those]
        marks = [float(at) for at in switches_of(drift, far)]
        heading = f"{game}, @{drift.partition('@')[2]}: score per {kept['bin']} steps"
        panels.append(Panel(heading, "step of the episode", lines, marks, far))
    return panels


def last_step(kept: Kept, cells: list[Kept]) -> int:
    """The end of the axis: the last point at which some tenth of the episodes is alive."""
    most = np.max([each["alive"] for each in cells], 0)
    return int((np.flatnonzero(most >= SHOWN)[-1] + 1) * kept["bin"])


def drift_line(kept: Kept, cell: Kept, far: int) -> Line:
    paid = np.array(cell["paid"], float)[:, : far // kept["bin"]]
    places = (np.arange(paid.shape[1]) + 0.5) * kept["bin"]
    mean, error = paid.mean(0), paid.std(0, ddof=1) / np.sqrt(len(paid))
    least = 0.0 if (paid >= 0).all() else -np.inf
    band = [(float(max(a - 2 * b, least)), float(a + 2 * b)) for a, b in zip(mean, error)]
    return Line(
        f"{cell['trained']}, {'drift' if cell['drift'] else 'no drift'}",
        list(zip(places.tolist(), mean.tolist())),
        COLORS[FOLLOWED.index(cell["trained"]) + 1],
        band if cell["drift"] else (),
        "" if cell["drift"] else "5 3",
    )


def figures() -> dict[str, str]:
    drawn = {}
    for game in GAMES:
        if panels := curve_panels(game):
            drawn[f"stori-curves-{game.lower()}.svg"] = draw(panels)
    if kept := load("drift"):
        drawn["stori-drift.svg"] = draw(drift_panels(kept))
    return drawn


def page() -> str:
    parts = [INTRO.format(missing=missing_text()), SUMMARY.format(summary=summary_text())]
    parts.append(MODES)
    if kept := load("chances"):
        parts += [CHANCES.format(command=kept["command"]), chances_text(kept)]
    if text := random_text():
        parts += [RANDOM, text]
    parts.append(DQN)
    for game in GAMES:
        if text := game_text(game):
            parts += [f"### {game}", text, f"![Learning curves](../images/stori-curves-{game.lower()}.svg)"]
    for words, text in ((SINGLE, single_text()), (RAM, ram_text())):
        parts += [words, text] if text else []
    if kept := load("drift"):
        parts += [DRIFT.format(**kept), "![Drift curves](../images/stori-drift.svg)", drift_text(kept)]
    if kept := load("crossing"):
        parts += [CROSSING.format(**kept, lower=kept["game"].lower()), crossing_text(kept)]
    return "\n\n".join([*parts, PAPER, paper_text(), RUNS, runs_text()]) + "\n"


def main() -> None:
    PAGE.write_text(page())
    for name, text in figures().items():
        (DOCS / "images" / name).write_text(text)


if __name__ == "__main__":
    main()
