"""The figure and the tables of docs/results/memory.md, from benchmarks/memory/results.json.

    python benchmarks/memory_page.py

The words of the page are written by hand; its tables stand between marks and are replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from memory import AGENTS, GRU, MEMORIES, NONE, RESULTS, STACK, TASKS, interval, shares

from assay.stats.resampling import bootstrap_t

DOCS = Path(__file__).parent.parent / "docs"
PAGE, FIGURE = DOCS / "results" / "memory.md", DOCS / "images" / "memory.svg"
COLORS = {NONE: "#5e5a52", STACK: "#c4551a", GRU: "#0b63a5"}
WORDS = {NONE: "no memory", STACK: "stack of 4", GRU: "GRU"}
LEFT, WIDE, ROW, TOP, GAP = 150, 300, 42, 58, 40  # pixels
STYLE = (
    'text { font: 12px system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1d1c1a; } '
    ".small { font-size: 11px; fill: #5e5a52; } .head { font-weight: 600; }"
)


def rows() -> list[tuple[str, str]]:
    """The names of the tasks and their texts."""
    return [(f"{heading}={level}", text) for heading, tasks in TASKS.items() for level, text in tasks.items()]


def figure(results: dict[str, Any]) -> str:
    """Two panels, an agent each: a line for every task, with a mark and its interval for each memory."""
    known = [row for row in rows() if row[1] in results]
    width, height = LEFT + 2 * WIDE + GAP + 24, TOP + ROW * len(known) + 30
    parts = [f'<rect width="{width}" height="{height}" fill="#ffffff"/>', *legend()]
    for panel, agent in enumerate(("dqn", "ppo")):
        left = LEFT + panel * (WIDE + GAP)
        parts += axis(left, TOP + ROW * len(known), agent.upper())
        for line, (name, text) in enumerate(known):
            y = TOP + ROW * line + ROW / 2
            if not panel:
                parts.append(f'<text x="{LEFT - 14}" y="{y + 4}" text-anchor="end">{name}</text>')
            if line % 2 == 0:
                parts.append(band(left, y))
            parts += blind_mark(results, text, left, y)
            for number, memory in enumerate(MEMORIES):
                if f"{agent} {memory}" in results[text]:
                    found = shares(results, text, f"{agent} {memory}")
                    parts += mark(left, y + 10 * (number - 1), found, COLORS[memory])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
    return head + f'viewBox="0 0 {width} {height}"><style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n"


def place(left: float, share: float) -> float:
    """Shares from 0 to 1.05 of the optimum."""
    return left + WIDE * float(np.clip(share, 0, 1.05)) / 1.05


def legend() -> Iterator[str]:
    x = LEFT
    for memory, word in WORDS.items():
        yield f'<circle cx="{x}" cy="18" r="4.5" fill="{COLORS[memory]}"/>'
        yield f'<text x="{x + 9}" y="22">{word}</text>'
        x += 110
    yield f'<path d="M{x} 12 v12" stroke="#1d1c1a" stroke-dasharray="2 2"/>'
    yield f'<text x="{x + 8}" y="22">the best that plays blindfolded</text>'


def axis(left: float, bottom: float, heading: str) -> Iterator[str]:
    yield f'<text class="head" x="{left}" y="{TOP - 10}">{heading}</text>'
    for share in (0, 0.25, 0.5, 0.75, 1):
        x, color = place(left, share), "#1d1c1a" if share == 1 else "#d8d4c8"
        yield f'<path d="M{x} {TOP} V{bottom}" stroke="{color}" stroke-width="1"/>'
        word = "optimum" if share == 1 else f"{share:g}"
        yield f'<text class="small" x="{x}" y="{bottom + 16}" text-anchor="middle">{word}</text>'


def band(left: float, y: float) -> str:
    return f'<rect x="{left}" y="{y - ROW / 2}" width="{WIDE}" height="{ROW}" fill="#5e5a52" opacity="0.06"/>'


def blind_mark(results: dict[str, Any], text: str, left: float, y: float) -> Iterator[str]:
    best = results[text]["optimum"]
    pairs = [(a, b) for a, b in zip(best["blind"], best["beliefs"]) if a is not None]
    if pairs:
        x = place(left, float(np.mean([a / b for a, b in pairs])))
        yield f'<path d="M{x} {y - ROW / 2 + 3} V{y + ROW / 2 - 3}" stroke="#1d1c1a" stroke-dasharray="2 2"/>'


def mark(left: float, y: float, found: np.ndarray, color: str) -> Iterator[str]:
    value, low, high = (float(found.mean()),) * 3
    if np.ptp(found) > 0:
        value, low, high = bootstrap_t(found, rng=np.random.default_rng(0))[:3]
    ends = place(left, low), place(left, high)
    yield f'<path d="M{ends[0]} {y} H{ends[1]}" stroke="{color}" stroke-width="2"/>'
    yield f'<circle cx="{place(left, value)}" cy="{y}" r="4" fill="{color}"/>'


def table(results: dict[str, Any], measure: str) -> str:
    heads = [f"{agent} {WORDS[memory]}" for agent in ("DQN", "PPO") for memory in MEMORIES]
    lines = [f"| task | seeds | {' | '.join(heads)} |", "|---" * 8 + "|"]
    for name, text in rows():
        if text in results:
            cells = [
                interval(shares(results, text, each, measure)) if each in results[text] else ""
                for each in AGENTS
            ]
            lines.append(f"| `{name}` | {seeds_of(results, text)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def differences(results: dict[str, Any]) -> str:
    """What a memory adds to the same agent without one, in pairs of seeds."""
    heads = [f"{agent} {WORDS[memory]}" for agent in ("DQN", "PPO") for memory in (STACK, GRU)]
    lines = [f"| task | {' | '.join(heads)} |", "|---" * 5 + "|"]
    for name, text in rows():
        cells = []
        for agent in ("dqn", "ppo"):
            for memory in (STACK, GRU):
                cells.append(gain(results, text, f"{agent} {memory}", f"{agent} {NONE}"))
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def gain(results: dict[str, Any], text: str, name: str, plain: str) -> str:
    if not {name, plain} <= set(results.get(text, ())):
        return ""
    ours, theirs = shares(results, text, name), shares(results, text, plain)
    both = min(len(ours), len(theirs))
    return interval(ours[:both] - theirs[:both])


def seeds_of(results: dict[str, Any], text: str) -> str:
    counts = {len(results[text][name]["end"]) for name in AGENTS if name in results[text]}
    return " to ".join(map(str, sorted({min(counts), max(counts)}))) if counts else "0"


def main() -> None:
    results = json.loads(RESULTS.read_text())
    FIGURE.write_text(figure(results))
    page = PAGE.read_text()
    made = {
        "end": table(results, "end"),
        "learning": table(results, "learning"),
        "differences": differences(results),
    }
    for name, text in made.items():
        mark_of = re.compile(rf"<!-- {name} -->.*?<!-- /{name} -->", re.DOTALL)
        assert mark_of.search(page), f"{PAGE} has no place for the table {name}"
        page = mark_of.sub(lambda _, name=name, text=text: f"<!-- {name} -->\n{text}\n<!-- /{name} -->", page)
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
