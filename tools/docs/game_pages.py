"""Writes a page for each Atari game with variations: `python -m tools.docs.game_pages docs/games`.

The words of a game are in `atari_games.yaml`; all else comes from rule files and certificates. With names of
games `python -m tools.docs.game_pages build/games --pictures Pong` writes their pages with a sheet for each
variation, plain above varied.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import yaml

from assay.catalogue import axis_of
from assay.cli.axes import level_text
from assay.cli.list_axes import for_a_person
from assay.cli.pictures import Asked, write_sheet
from assay.core.axis import COMPONENTS, Axis
from assay.envs.atari.emulator import Emulator
from assay.envs.atari.games import game_of, games, games_with_rules
from assay.envs.atari.rule_compiler import ACTIONS
from assay.envs.atari.rule_records import Variation
from assay.proof.certificate import shipped_certificates
from assay.proof.inside import own_axes

WORDS = Path(__file__).with_name("atari_games.yaml")
WRITTEN = "<!-- Written by `make docs` from rule files, certificates and tools/docs/atari_games.yaml. -->"
NO_WORDS = "No description of this game is written yet; what follows comes from its rule file."
ABOUT = (
    "One page per game that has variations of its own, with every variation and what it changes; seventeen "
    "also say what the game asks, its keys and what it pays. How games are played and varied: "
    "[atari.md](../atari.md)."
)
COLUMNS = (
    "A level in a row is one that can be asked for. **Changes**: what its rules write. **For a person**: "
    "whether it makes the game easier (simplification) or harder. **Touches**: the components of the world "
    "in which `assay check` found a difference, and whether that is one alone "
    "([shares and costs](../atari-certificates.md))."
)
HEAD = ("variation", "effect", "changes", "for a person", "touches")


@cache
def words() -> dict[str, dict[str, str]]:
    return yaml.safe_load(WORDS.read_text())


def page(game: str, pictures: dict[str, str] | None = None) -> str:
    """The page of a game; `pictures` are files by the names of its variations."""
    env = f"atari/{game}"
    lines = [f"# {game}", "", WRITTEN, "", f"`{env}`", ""]
    told = words().get(game)
    if told:
        lines += [
            told["about"], "", f"**Keys.** {told['keys']}", "", f"**Scoring.** {told['scoring']}", "",
        ]  # fmt: skip
    else:
        lines += [NO_WORDS, ""]
    names = own_axes(env)
    example = f"{env}+{setting(axis_of(env, names[0]))}"
    lines += [*facts(game), "", "## Variations", "", COLUMNS, ""]
    lines += ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    lines += [row(env, axis_of(env, name)) for name in names]
    lines += ["", "As pictures, plain above varied:", "", "```console"]
    lines += [f"$ assay show {example} --sheet {game.lower()}.png", "```"]
    for name, file in (pictures or {}).items():
        lines += ["", f"### {name}", "", f"![{game} plain and with {name}, in random play]({file})"]
    return "\n".join(lines) + "\n"


def facts(game: str) -> list[str]:
    known = games()[game]
    emulator = Emulator(game_of(f"atari/{game}").rom, game)
    codes = emulator.actions(full=False)
    lives = f"{known.lives} lives" if known.lives else "no lives"
    emulator.reset()
    if emulator.lives() != known.lives:
        lives = "lives that the emulator counts in a way of its own"
    modes = f"{len(known.modes)} modes" if len(known.modes) > 1 else "one mode"
    levels = f"{len(known.difficulties)} difficulties" if len(known.difficulties) > 1 else "one difficulty"
    names = ", ".join(ACTIONS[code] for code in codes)
    return [
        f"{len(codes)} of the console's 18 actions have an effect: {names}. "
        f"The game has {lives}, {modes} and {levels}.",
    ]


def row(env: str, axis: Axis) -> str:
    variation = games()[env.removeprefix("atari/")].variations[axis.name]
    levels = (
        "" if axis.kind == "switch" else ": " + ", ".join(level_text(axis, level) for level in axis.levels)
    )
    cells = (f"`{axis.name}`{levels}", axis.means, changes(variation), for_a_person(axis), purity(env, axis))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def changes(variation: Variation) -> str:
    """What its rules write."""
    written = []
    for hook, rules in variation.hooks.items():
        for rule in rules:
            if rule.sets:
                written.append("RAM for the picture" if hook == "hide" else "RAM")
            if rule.becomes is not None:
                written.append("action")
            if rule.pays is not None or rule.owes is not None:
                written.append("reward")
    if variation.patches or variation.masks or variation.brighter_of_two:
        written.append("picture")
    if variation.unlists:
        written.append("list of objects")
    return ", ".join(dict.fromkeys(written)) or "nothing"


def purity(env: str, axis: Axis) -> str:
    """The components in which its certificate found a difference."""
    certificate = shipped_certificates().get((env, axis.name))
    if axis.refuses:
        return f"refused: {axis.refuses}"
    if certificate is None or not certificate.holds:
        return "not measured"
    names = [name for name in certificate.shares if name in COMPONENTS]
    if names == ["observation"]:
        return "observation alone: the game goes on as it would"
    return f"{names[0]} alone" if len(names) == 1 else " and ".join(names) or "nothing"


def setting(axis: Axis) -> str:
    """The axis in a task, at the level that shows most."""
    return axis.name if axis.kind == "switch" else f"{axis.name}={level_text(axis, axis.levels[-1])}"


def index() -> str:
    lines = ["# Atari games", "", WRITTEN, "", ABOUT, "", "| game | variations | |", "|---|---|---|"]
    for game in games_with_rules():
        told = words().get(game, {}).get("about", "").split(". ")[0].rstrip(".")
        lines.append(f"| [{game}]({game}.md) | {len(own_axes(f'atari/{game}'))} | {told} |")
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """File name -> text."""
    return {"index.md": index(), **{f"{game}.md": page(game) for game in games_with_rules()}}


def draw(folder: Path, chosen: list[str]) -> None:
    """Writes the pages of some games with their pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for game in chosen:
        drawn = {}
        for name in own_axes(f"atari/{game}"):
            axis, file = axis_of(f"atari/{game}", name), f"{game}-{name}.png"
            if axis.refuses:
                continue
            write_sheet([f"atari/{game}+{setting(axis)}"], folder / file, Asked())
            drawn[name] = file
        (folder / f"{game}.md").write_text(page(game, drawn))


def main(folder: str, check: bool = False) -> int:
    """Writes the pages; with `check` says instead which are not what it would write."""
    path, texts = Path(folder), pages()
    present = {each.name for each in path.glob("*.md")}
    if check:
        stale = [
            name for name, text in texts.items() if name not in present or (path / name).read_text() != text
        ]
        stale += sorted(present - set(texts))
        if stale:
            print(f"{path}: {', '.join(stale)} would be written otherwise; run `make docs`.")
        return int(bool(stale))
    path.mkdir(parents=True, exist_ok=True)
    for name in present - set(texts):
        (path / name).unlink()
    for name, text in texts.items():
        (path / name).write_text(text)
    return 0


if __name__ == "__main__":
    if "--pictures" in sys.argv:
        asked = sys.argv[sys.argv.index("--pictures") + 1 :] or games_with_rules()
        unknown = [game for game in asked if game not in games_with_rules()]
        if unknown:
            sys.exit(f"{unknown[0]} is no game with variations; name some of docs/games.")
        draw(Path(sys.argv[1]), list(asked))
        sys.exit(0)
    sys.exit(main(sys.argv[1]))
