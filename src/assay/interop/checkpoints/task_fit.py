"""Whether an Atari task is the one that a checkpoint was trained for: its game, its pictures, its actions.

The modules of games and rules are not asked: every job can reach this file, so what it imports would count as
code of jobs on toys too.
"""

from __future__ import annotations

from pathlib import Path

from assay.envs.atari.game_table import game_rows
from assay.envs.atari.settings import Preprocessing, read_preprocessing
from assay.errors import NotApplicable
from assay.interop.checkpoints.contract import Interface
from assay.interop.checkpoints.env_names import ALL_ACTIONS, SEEN, is_atari, require_game
from assay.task_text import parse
from assay.tasks import resolve

FRAMES = 4
PICTURES = ((84, 84, FRAMES), (FRAMES, 84, 84))


def settings_of(task: str) -> Preprocessing:
    return read_preprocessing(resolve(task).structure)


def require_pictures(name: str, task: Interface) -> None:
    """Refuses tasks that do not show what the networks see."""
    if not is_atari(task.task):
        raise NotApplicable(
            f"{name} plays Atari games from four gray pictures of 84 x 84, and {task.task} is no Atari game; "
            "take a task such as atari/Pong+preset=paper."
        )
    mode = settings_of(task.task).observation
    if mode != SEEN or task.observation.shape not in PICTURES:
        what = f"observation={mode}" if mode != SEEN else f"pictures of the shape {task.observation.shape}"
        raise NotApplicable(
            f"{name} sees four gray pictures of 84 x 84, and {task.task} shows {what}; "
            f"write observation={SEEN} and stack={FRAMES} (which preset=paper has)."
        )


def require_actions(name: str, count: int, task: str) -> None:
    """Refuses a task with another set of actions than the network has outputs for."""
    game = parse(task).env.partition("/")[2]
    minimal, set_of = int(game_rows()[game]["actions"]), settings_of(task).actions
    offered = ALL_ACTIONS if set_of == "full" else minimal
    if count == offered:
        return
    if count in (minimal, ALL_ACTIONS):
        wanted = "minimal" if set_of == "full" else "full"
        raise NotApplicable(
            f"{name} was trained with the {count} actions of actions={wanted}, and {task} has the {offered} "
            f"of actions={set_of}; write actions={wanted} (for a suite: --with actions={wanted})."
        )
    raise NotApplicable(
        f"{name} chooses among {count} actions, and {game} has {minimal} (or {ALL_ACTIONS} with "
        "actions=full), so it was trained on another game; take that one."
    )


def require_task(name: str, path: Path, written: str, actions: int, task: Interface) -> None:
    """Refuses a task that one of the published networks was not trained for."""
    require_pictures(name, task)
    require_game(name, path, written, task.task)
    require_actions(name, actions, task.task)
