"""Writes docs/results/kage-exam.md from the files in benchmarks/kage_exam/, which kage_exam.py leaves.

.venv/bin/python benchmarks/kage_exam_page.py
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from kage_exam import AGENT, KEPT, TASK, visual_axes

PAGE = Path(__file__).parents[1] / "docs" / "results" / "kage-exam.md"
INTRO = f"""# An exam of a pixel agent over every visual parameter

`{AGENT}`, PPO on the platformer's pictures that comes trained on `{TASK}`, under every axis that touches what
is seen and nothing else. Made by `benchmarks/kage_exam.py` and `benchmarks/kage_exam_page.py`; one axis is
`assay examine {AGENT} {TASK} --axes filters.brightness`.

One agent is examined, so this says nothing of PPO. The effect is the score that is lost, as a share of the
way from random play to plain play, with its simultaneous 95% interval; more than 10% breaks it. What acts
only beside another setting, such as the number of distractors, is tried with that one on, and its effect is
measured from there. Where the plain score of such a base is low already, there is little left to lose."""


def percent(value: float) -> str:
    return f"{100 * value:+.0f}%"


def effect(row: dict[str, Any]) -> str:
    found = row["effect"]
    return f"{percent(found['value'])} [{percent(found['low'])}, {percent(found['high'])}]" if found else "–"


def level_of(row: dict[str, Any]) -> str:
    return row["level"] or row["holds_to"] or row["side"] or "all"


def missing(found: list[dict[str, Any]]) -> list[str]:
    """The bases that were not examined yet."""
    done = {kept["task"] for kept in found}
    absent = [f"`{task}` ({len(axes)} axes)" for task, axes in visual_axes().items() if task not in done]
    return ["", f"Not examined yet: {', '.join(absent)}."] if absent else []


def section(kept: dict[str, Any]) -> list[str]:
    score, random = kept["headline"]["score"], kept["headline"]["random"]
    counts = Counter(row["word"] for row in kept["findings"])
    lines = [
        f"## `{kept['task']}`", "",
        f"Plain score {score['value']:,.0f} [{score['low']:,.0f}, {score['high']:,.0f}], random play "
        f"{random:,.0f}, over {kept['episodes']} episodes; "
        + ", ".join(f"{count} {word}" for word, count in counts.most_common()) + ". "
        f"JAX {kept['versions']['jax']}, {kept['wall_s'] / 60:.0f} worker-minutes.", "",
        "| axis | level | verdict | effect |", "|---|---|---|---|",
    ]  # fmt: skip
    order = sorted(kept["findings"], key=lambda row: (row["effect"] or {"value": 0})["value"])
    return lines + [f"| `{row['axis']}` | {level_of(row)} | {row['word']} | {effect(row)} |" for row in order]


def main() -> None:
    found = [json.loads(path.read_text()) for path in sorted(KEPT.glob("*.json"))]
    found.sort(key=lambda kept: (kept["task"] != TASK, kept["task"]))
    lines = [INTRO, *missing(found)]
    for kept in found:
        lines += ["", *section(kept)]
    PAGE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
