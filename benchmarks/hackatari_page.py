"""Writes docs/results/hackatari.md and its curves from the files in benchmarks/hackatari/.

    .venv/bin/python benchmarks/hackatari_page.py

`hackatari_train.py` makes the trainings and `hackatari_scores.py` the scores under variations. What is not
there is left out, and the page says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from hackatari_scores import FOLDER, game_of, has_learned, load, marks, variations_of
from hackatari_train import HERE, PLANS
from stori_figures import COLORS, Line, Panel
from stori_figures import draw as draw_panels

from assay.analysis.published_changes import published_changes
from assay.stats.aggregate import Interval
from assay.stats.intervals import student
from assay.stats.performance_change import Scores, performance_change
from assay.suites.hackatari import CONTROLS, PAPER_32, task_of
from assay.suites.hackatari_random import random_table

DOCS = HERE.parent / "docs"
PAGE = DOCS / "results" / "hackatari.md"
CURVES = "hackatari-curves.svg"
MILLION = 1e6
TITLES = {"score": "score in training", "apart": "nats from the teacher's choices"}
WANTED = {"objects": 3, "pixels": 2}  # games, with two seeds each, that resolve the question
PUBLISHED = ("DQN", "PPO", "Semantic Vector", "People")  # of those, the ones shown beside ours

INTRO = """# HackAtari: agents of our own under variations

Made by `benchmarks/hackatari_page.py` of the files in `benchmarks/hackatari/`, which hold every training with
its settings, curve and scores, and every score under a variation, episode by episode. Agents are trained on
the plain game alone, by the paper's preset, and then play variations as they are: three seeds of ten
episodes, sticky actions of 0.25, one action in a thousand at random.

Agents that see objects learn by reward (PPO). Those that see pixels are pupils: the network that PPO has for
pictures, taught at every state it comes to what an object agent of the same game would do there
(`benchmarks/hackatari_teach.py`; Ross et al. 2011). Learning by reward from pictures takes more steps than
two cores make in an hour or two: at 400 a second, Boxing's five million are three and a half. So a pupil says
how a policy of pictures fares under variations, and nothing about what PPO learns from pictures.

An agent enters the tables of variations when its plain score is at least 10 on Pong, 20 on Freeway, 30 on
Boxing or 20 on Breakout: who cannot play has nothing to lose. The others are told with the trainings.

*PC* is the performance change: the margin over random play that is gained or lost, as a share of the plain
margin; 0 is no change, -1 the level of random play. Its 95% interval is over the thirty episodes, for the one
agent that played them. Random play of a variation is measured with the game's own actions on the console's
memory (`benchmarks/hackatari_random.py`); where it was not, there is the score alone."""
NOT_COMPARABLE = """## What is not comparable

- The paper's agents had 200 million frames, ours the steps of the table (of four frames).
- Published scores are IQMs over 30 episodes of three agents; ours are means over 30 episodes of one agent.
- Variations are assay's own rules ([HackAtari in assay](../hackatari.md#what-is-not-comparable)).
- Object agents read positions and sizes from the console's memory and see no colour at all: that colours do
  not touch them is how they are made and no discovery."""


def view_of(mark: str) -> str:
    """What the agent sees: objects or pixels."""
    return "objects" if mark.split("-")[1] == "objects" else "pixels"


def made_by(mark: str) -> str:
    """How it learned."""
    teacher = load(mark).get("teacher")
    return f"as `{teacher}` does" if teacher else "by reward"


def seed_of(mark: str) -> int:
    return int(mark.rpartition("-")[2])


def shown(interval: Interval | None, digits: int = 1) -> str:
    if interval is None:
        return "undefined: plain play is not told from random play"
    ends = f"[{interval.low:.{digits}f}, {interval.high:.{digits}f}]"
    return f"{interval.value:.{digits}f} {ends}"


def mean_of(scores: Sequence[Sequence[float]]) -> Interval:
    return student(np.ravel(scores), rng=np.random.default_rng(0))


def training_rows() -> Iterator[str]:
    heads = ("agent", "game", "sees", "learns", "seed", "M steps", "minutes", "on",
             "plain score, 30 episodes", "enters")  # fmt: skip
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    for mark in marks():
        record = load(mark)
        about = "about " if "seconds_by" in record else ""  # told by the times of its files
        yield (
            f"| `{mark}` | {game_of(mark)} | {view_of(mark)} | {made_by(mark)} | {seed_of(mark)} "
            f"| {record['steps'] / MILLION:.2f} | {about}{record['seconds'] / 60:.0f} | {record['device']} "
            f"| {shown(mean_of(record['scores']))} | {'yes' if has_learned(record) else 'no'} |"
        )


def missing() -> Iterator[str]:
    """Which of the games and views that were wanted are not there yet."""
    for view, wanted in WANTED.items():
        learned: dict[str, int] = {}
        for mark in marks():
            if view_of(mark) == view and has_learned(load(mark)):
                learned[game_of(mark)] = learned.get(game_of(mark), 0) + 1
        full = [game for game, count in learned.items() if count >= 2]
        if len(full) < wanted:
            games = ", ".join(full) or "none"
            yield f"- Agents that see {view}: two seeds on {wanted} games are wanted; so far on: {games}."
    trained = {mark.rpartition("-")[0] for mark in marks()}
    if absent := [name for name in PLANS if name not in trained]:
        yield f"- Not trained yet: {', '.join(absent)}."


def curve_panels() -> list[Panel]:
    panels = []
    for name in dict.fromkeys(mark.rpartition("-")[0] for mark in marks()):
        lines, reaches, what = [], [], "score"
        for number, mark in enumerate(each for each in marks() if each.rpartition("-")[0] == name):
            curve = load(mark)["curve"]
            what = "apart" if "apart" in curve else "score"  # too few of a pupil's games end for a curve
            points = [
                (step / MILLION, score)
                for step, score in zip(curve["step"], curve[what])
                if score is not None
            ]
            lines.append(Line(f"seed {seed_of(mark)}", points, COLORS[number % len(COLORS)]))
            reaches += [score for _, score in points]
        panels.append(Panel(f"{name}: {TITLES[what]}", "million steps of the agent", lines, reaches=reaches))
    return panels


def kept_scores(mark: str) -> dict[str, Any] | None:
    path = FOLDER / f"scores-{mark}.json"
    return json.loads(path.read_text())["scores"] if path.exists() else None


def change(mark_scores: dict[str, Any], game: str, name: str) -> Interval | str | None:
    """The performance change, or a word where random play is not known."""
    table = random_table().tasks
    random = [table.get(task_of(game, each)) for each in (name, "")]
    if None in random:
        return ""
    varied, plain = (
        Scores(np.ravel(mark_scores[each]), np.array(floor.scores))
        for each, floor in zip((name, ""), random)
        if floor is not None
    )
    return performance_change(varied, plain)


def kind_of(game: str, name: str) -> str:
    if name in CONTROLS.get(game, ()):
        return "restates the game"
    return "the paper's" if name in PAPER_32.get(game, ()) else "more"


def game_rows(game: str, agents: list[str]) -> Iterator[str]:
    scores = {mark: kept_scores(mark) for mark in agents}
    present = [mark for mark in agents if scores[mark]]
    published = {
        (each.agent, each.label): each.change
        for each in published_changes({game: PAPER_32.get(game, ())}, {})
    }
    beside = [name for name in PUBLISHED if any(agent == name for agent, _ in published)]
    heads = [
        "variation",
        "kind",
        *(f"`{mark}`" for mark in present),
        *(f"{name} (published)" for name in beside),
    ]
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    for name in ("", *variations_of(game)):
        cells = []
        for mark in present:
            kept = scores[mark]
            assert kept is not None
            text = shown(mean_of(kept[name]))
            moved = change(kept, game, name) if name else ""
            cells.append(text if moved == "" else f"{text}; PC {shown(moved, 2)}")
        for agent in beside:
            label = (agent, f"{game} {name}")
            cells.append(f"PC {shown(published[label], 2)}" if label in published else "")
        words = f"`{name}`" if name else "plain"
        yield f"| {words} | {kind_of(game, name) if name else ''} | " + " | ".join(cells) + " |"


def page() -> str:
    lines = [INTRO, "", "## Trainings", "", *training_rows(), "", f"![Learning curves](../images/{CURVES})"]
    lines += ["", "What is missing:", "", *missing()]
    for game in dict.fromkeys(game_of(mark) for mark in marks()):
        agents = [mark for mark in marks() if game_of(mark) == game and has_learned(load(mark))]
        if any(kept_scores(mark) for mark in agents):
            lines += ["", f"## {game}", "", "Mean score with its interval, and the performance change.", ""]
            lines += game_rows(game, agents)
    return "\n".join([*lines, "", NOT_COMPARABLE]) + "\n"


def main() -> None:
    (DOCS / "images" / CURVES).write_text(draw_panels(curve_panels()))
    Path(PAGE).write_text(page())


if __name__ == "__main__":
    main()
