"""Writes docs/atari-certificates.md from the certificates: `python -m tools.docs.atari_page docs`."""

from __future__ import annotations

import sys
from pathlib import Path

from assay.catalogue import axis_of
from assay.cli.list_axes import for_a_person
from assay.core.axis import Axis
from assay.envs.atari.games import games, games_with_rules
from assay.proof.certificate import Certificate, shipped_certificates, standing
from assay.proof.inside import own_axes

NAME = "atari-certificates.md"
WRITTEN = "<!-- Written by `make docs` from the certificates that `assay check atari --write` stores. -->"
ABOUT = (
    "What `assay check atari` found of every variation, 2,000 steps a level: which components it touches and "
    "in which share of steps (levels in order), the step at which it was first felt, and what it costs. "
    "Declared is what was found, no more and no less; a star marks a level that restates the game, and † one "
    "that was judged in a situation which its rule file brings about in plain and varied game alike, because "
    "random play comes there seldom or never. How: "
    "[decision 21](decisions/0021-judging-games.md); what the words mean: [atari.md](atari.md)."
)


def page() -> str:
    lines = [WRITTEN, "# Variations of Atari games, as measured", "", ABOUT]
    names = felt = controls = refused = 0
    tables = []
    for game in games_with_rules():
        env = f"atari/{game}"
        rows = []
        for name in own_axes(env):
            axis, certificate = axis_of(env, name), shipped_certificates().get((env, name))
            rows.append(row(env, axis, certificate))
            names += len(axis.levels)
            controls += len(axis.restates)
            refused += len(axis.levels) if axis.refuses else 0
            if certificate and certificate.holds and not axis.refuses:
                felt += len(axis.levels) - len(axis.restates)
        tables += ["", f"## {game}", "", *head(), *rows]
    lines += [
        "",
        f"{names} named variations of {len(games_with_rules())} games: {felt} felt and touching what they "
        "declare, "
        f"{controls} controls that restate the game and were found equal to it, {refused} refused, "
        f"{names - felt - controls - refused} unproved or failing.",
    ]
    return "\n".join([*lines, *tables]) + "\n"


def head() -> list[str]:
    columns = (
        "variation",
        "levels",
        "what it does",
        "for a person",
        "touches (share of steps)",
        "first felt",
        "cost",
        "",
    )
    return ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]


def row(env: str, axis: Axis, certificate: Certificate | None) -> str:
    levels = (
        ""
        if axis.kind == "switch"
        else ", ".join(f"{level}*" if level in axis.restates else str(level) for level in axis.levels)
    )
    means = axis.means if axis.origin == "HackAtari" else f"{axis.means} (new)"
    if certificate is None or "applies" in certificate.laws:
        found, first, cost = axis.refuses, "", ""
    else:
        found, first = touched(certificate), certificate.notes.get("first felt", "").removeprefix("at step ")
        first += " †" if games()[env.removeprefix("atari/")].variations[axis.name].situation else ""
        cost = certificate.notes.get("cost", "").removesuffix(" of a step")
    cells = (f"`{axis.name}`", levels, means, for_a_person(axis), found, first, cost, standing(env, axis))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def touched(certificate: Certificate) -> str:
    parts = []
    for name, shares in certificate.shares.items():
        values = ["0" if not share else "<1%" if share < 0.01 else f"{share:.0%}" for share in shares]
        shown = values[0] if len(set(values)) == 1 else " ".join(values)
        parts.append(f"{name} {shown}")
    return ", ".join(parts) or "nothing"


def main(folder: str, check: bool) -> int:
    path, text = Path(folder) / NAME, page()
    if check:
        fresh = path.is_file() and path.read_text() == text
        if not fresh:
            print(f"{path} is not what the certificates say; run `make docs`.")
        return int(not fresh)
    path.write_text(text)
    return 0


if __name__ == "__main__":
    games()
    sys.exit(main(sys.argv[1], "--check" in sys.argv))
