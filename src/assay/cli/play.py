"""`assay play`: a person plays a task in the terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TextIO

import typer

from assay.cli.output import is_terminal
from assay.envs.text_views import TextView
from assay.errors import AssayError
from assay.interop.gymnasium import TaskEnv, make
from assay.interop.text_views import view_of
from assay.tasks import resolve

EXAMPLES = (
    "assay play rules/shape_match",
    "assay play rules/clockwise+pieces=4 --seed 3 --episodes 5",
    "assay play 'rules/custom+rule=\"(color:red, bucket:0) (bucket:2)\"' --record moves.jsonl",
)
CLEAR = "\033[H\033[2J"
HELP, QUIT = ("help", "h", "?"), ("quit", "q", "exit")


class Outcome(NamedTuple):
    """How an episode went."""

    steps: int
    score: float
    over: bool  # False where the player left


def run(
    task: Annotated[str, typer.Argument(help="A task with a text view, such as rules/shape_match.")],
    seed: Annotated[int, typer.Option(help="The seed of the first episode and of all after it.", min=0)] = 0,
    episodes: Annotated[int, typer.Option(help="How many episodes to play.", min=1)] = 1,
    record: Annotated[
        Path | None, typer.Option(help="Append each move and each episode to a file of JSON lines.")
    ] = None,
) -> None:
    """Play a task in the terminal. `help` tells how moves are written, and `quit` ends the game."""
    resolved = resolve(task)
    view, env = view_of(resolved), make(str(resolved.text))
    assert isinstance(env, TaskEnv), "assay makes no other"
    lines = record.open("a", encoding="utf-8") if record else None
    print(f"{resolved.text}\n{view.help}\n`help` repeats this, `quit` ends the game.")
    total = 0.0
    try:
        for number in range(episodes):
            observation, _ = env.reset(seed=seed) if number == 0 else env.reset()
            outcome = play_episode(env, view, observation, Recorder(lines, str(resolved.text), seed, number))
            total += outcome.score
            print(f"Episode {number + 1} of {episodes}: {outcome.steps} moves, score {outcome.score:g}.")
            if not outcome.over:
                break
    finally:
        if lines:
            lines.close()
    print(f"Total score {total:g}.")


class Recorder:
    """Writes moves and episodes as JSON lines, where somebody asked for them."""

    def __init__(self, lines: TextIO | None, task: str, seed: int, episode: int):
        self._lines, self._about = lines, {"task": task, "seed": seed, "episode": episode}

    def __call__(self, **facts: Any) -> None:
        if self._lines:
            print(json.dumps(self._about | facts), file=self._lines, flush=True)


def play_episode(env: TaskEnv, view: TextView, observation: Any, note: Recorder) -> Outcome:
    steps, score, over = 0, 0.0, False
    tried = None
    while not over:
        show(view, observation, tried, f"Moves {steps}, score {score:g}.")
        action = ask(view)
        if action is None:
            break
        tried = action
        observation, _, terminated, truncated, info = env.step(action)
        steps, score, over = steps + 1, score + info["score"], bool(terminated or truncated)
        note(step=steps, action=action, name=view.action_names[action], score=info["score"])
    if over:
        show(view, observation, tried, f"Moves {steps}, score {score:g}.")
    note(steps=steps, score=score, over=over)
    return Outcome(steps, score, over)


def show(view: TextView, observation: Any, tried: int | None, tally: str) -> None:
    if is_terminal() and tried is not None:
        print(CLEAR, end="")
    print(f"\n{view.draw(observation, tried, colors=is_terminal())}\n")
    if tried is not None:
        print(f"{view.action_names[tried]}: {view.tell(observation)}. {tally}")


def ask(view: TextView) -> int | None:
    """The next action; None where the player leaves."""
    while True:
        print("> ", end="", flush=True)
        line = sys.stdin.readline()
        words = line.strip().lower()
        if not line or words in QUIT:
            print()
            return None
        if words in HELP:
            print(view.help)
        elif words:
            try:
                return view.read(words)
            except AssayError as error:
                print(error)
