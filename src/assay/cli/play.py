"""`assay play`: a person plays a task in the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from assay.cli.output import is_terminal
from assay.cli.play_screen import Screen, Tally, Tried, count
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
HELP, QUIT = ("help", "h", "?"), ("quit", "q", "exit")
KEYS = "`help` tells how moves are written, `quit` ends the game."


def run(
    task: Annotated[str, typer.Argument(help="A task with a text view, such as rules/shape_match.")],
    seed: Annotated[int, typer.Option(help="The seed of the first episode and of all after it.", min=0)] = 0,
    episodes: Annotated[int, typer.Option(help="How many episodes to play at most.", min=1)] = 10,
    record: Annotated[
        Path | None, typer.Option(help="Append each move and each episode to a file of JSON lines.")
    ] = None,
) -> None:
    """Play a task in the terminal. `help` tells how moves are written, and `quit` ends the game."""
    resolved = resolve(task)
    title = str(resolved.text)
    view = view_of(resolved)
    screen = Screen(view, title, episodes)
    screen.say(f"{title}\n{view.help}\n{KEYS}")
    env = make(title)
    assert isinstance(env, TaskEnv), "assay makes no other"
    prepare(env, seed, screen)
    lines = record.open("a", encoding="utf-8") if record else None
    played: list[Tally] = []
    try:
        for number in range(episodes):
            observation, _ = env.reset(seed=seed) if number == 0 else env.reset()
            tally = Tally(number + 1)
            played.append(tally)
            note = Recorder(lines, title, seed, number)
            play_episode(Game(env, view, screen), observation, tally, played[:-1], note)
            screen.say(f"Episode {number + 1} of {episodes}: {tally.outcome}.")
            if not tally.ended or not goes_on(screen, number + 1 < episodes):
                break
    except KeyboardInterrupt:
        print()  # the prompt ends here, and the game like with `quit`
    finally:
        if lines:
            lines.close()
    screen.say(sum_up(played))


def prepare(env: TaskEnv, seed: int, screen: Screen) -> None:
    """Compiles the first move beforehand, so that the player does not wait for it at the prompt."""
    if is_terminal():
        screen.say("The game is being prepared ...")
        env.reset(seed=seed)
        env.step(0)


def goes_on(screen: Screen, more: bool) -> bool:
    """Whether the player wants the next episode; in a pipe it follows at once."""
    if not more or not is_terminal():
        return more
    answer = screen.ask("Enter begins the next episode, `quit` ends the game: ")
    return answer is not None and answer.lower() not in QUIT


def sum_up(played: Sequence[Tally]) -> str:
    """All episodes that came to their end, with their errors."""
    ended = [each for each in played if each.ended]
    if not ended:
        return "No episode was finished."
    errors = sum(each.errors for each in ended)
    by_episode = f" ({' '.join(str(each.errors) for each in ended)})" if len(ended) > 1 else ""
    score = sum(each.score for each in ended)
    return f"{count(len(ended), 'episode')} finished, {count(errors, 'error')}{by_episode}, score {score:g}."


class Recorder:
    """Writes moves and episodes as JSON lines, where somebody asked for them."""

    def __init__(self, lines: TextIO | None, task: str, seed: int, episode: int):
        self._lines, self._about = lines, {"task": task, "seed": seed, "episode": episode}

    def __call__(self, **facts: Any) -> None:
        if self._lines:
            print(json.dumps(self._about | facts), file=self._lines, flush=True)


class Game:
    """A task, its view and the screen that shows it."""

    def __init__(self, env: TaskEnv, view: TextView, screen: Screen):
        self.env, self.view, self.screen = env, view, screen

    def ask(self) -> int | None:
        """The next action; None where the player leaves."""
        while True:
            words = self.screen.ask("> ")
            if words is None or words.lower() in QUIT:
                print()
                return None
            if words.lower() in HELP:
                self.screen.say(f"{self.view.help}\n{KEYS}")
            elif words:
                try:
                    return self.view.read(words.lower())
                except AssayError as error:
                    self.screen.say(str(error))


def play_episode(game: Game, observation: Any, tally: Tally, before: Sequence[Tally], note: Recorder) -> None:
    """Plays until the episode ends or the player leaves; `tally` is kept up to date with every move."""
    view, action = game.view, None
    game.screen.show(observation, action, tally, before)
    while not tally.ended:
        action = game.ask()
        if action is None:
            break
        move = view.name_move(observation, action)
        observation, _, terminated, truncated, info = game.env.step(action)
        tally.tried.append(Tried(move, view.tell(observation, brief=True), view.is_error(observation)))
        tally.score += info["score"]
        if terminated or truncated:
            tally.ended = view.sum_up(observation, bool(terminated))
        note(step=len(tally.tried), action=action, name=view.action_names[action], score=info["score"])
        game.screen.show(observation, action, tally, before)
    note(steps=len(tally.tried), errors=tally.errors, score=tally.score, over=bool(tally.ended))
