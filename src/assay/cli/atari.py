"""`assay atari`: record starts of a game, look through a rule file, work on a game's memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.output import print_json, print_text
from assay.errors import AssayError

EXAMPLES = (
    "assay atari starts atari/Pong pong.npz --count 8",
    "assay atari starts atari/Breakout breakout.npz --every 20 --seed 3 --json",
    "assay atari ram Pong",
)
WHAT = ("starts", "lint", "ram")


def run(
    what: Annotated[
        str,
        typer.Argument(
            help="starts: record states of play. lint: look through a rule file. ram: watch a game's cells, "
            "find, freeze and rule them."
        ),
    ],
    arguments: Annotated[
        list[str],
        typer.Argument(
            help="starts: a game and a file, atari/Pong pong.npz. lint: rule files. ram: a game or a task."
        ),
    ],
    count: Annotated[int, typer.Option(help="How many states.", min=1, max=10_000)] = 64,
    every: Annotated[int, typer.Option(help="Steps of random play from one to the next.", min=1)] = 40,
    seed: Annotated[int, typer.Option(help="The seed of the play.", min=0)] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="ram: save into rule files that assay ships, too.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="starts and lint: print JSON.")] = False,
) -> None:
    """Record starts of a game, look through a rule file of your own, or work on a game's memory."""
    if what not in WHAT:
        raise AssayError(f"assay atari does {', '.join(WHAT)}, not {what!r}.")
    if what == "ram":
        from assay.cli import atari_ram

        if len(arguments) != 1:
            raise AssayError("ram takes one game: `assay atari ram Pong`.")
        if json:
            raise AssayError("ram is a workbench for a person and prints no JSON; leave --json out.")
        return atari_ram.run(arguments[0], force, seed)
    if what == "lint":
        return lint(arguments, json)
    if len(arguments) != 2:
        raise AssayError("starts takes a game and a file: `assay atari starts atari/Pong pong.npz`.")
    record(arguments[0], Path(arguments[1]), count, every, seed, json)


def record(env: str, path: Path, count: int, every: int, seed: int, json: bool) -> None:
    from assay.envs.atari.build import build
    from assay.envs.atari.starts import record_states, write_states

    if path.suffix != ".npz" or not path.parent.is_dir():
        raise AssayError(f"{path} must be a file that ends in .npz, in a folder that is there.")
    host = build(env, {})
    write_states(record_states(host, count, every, seed), env, str(path))
    if json:
        return print_json({"env": env, "path": str(path), "states": count, "every": every, "seed": seed})
    print_text(f'{path}: {count} states of {env}; a task takes them as {env}+starts="{path}"')


def lint(paths: list[str], json: bool) -> None:
    from assay.envs.atari.rulefile import read_rules, read_utf8
    from assay.report.text import count

    told = []
    for path in paths:
        if not Path(path).is_file():
            raise AssayError(f"there is no file {path!r} to look through.")
        file = read_rules(read_utf8(path), path)
        told.append({"path": path, "game": file.game, "variations": list(file.variations)})
    if json:
        return print_json(told)
    for each in told:
        variations = count(len(each["variations"]), "variation")
        print_text(f"{each['path']}: {each['game']}, {variations}, nothing wrong")
