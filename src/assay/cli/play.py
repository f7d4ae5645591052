"""`assay play`: a person plays a task in the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TextIO

import typer

from assay.cli.output import is_terminal
from assay.cli.play_screen import Screen, Sight, Tally, Tried, count, sign_of
from assay.envs.text_views import TextView
from assay.errors import AssayError
from assay.interop.gymnasium import TaskEnv, make
from assay.interop.text_views import view_of
from assay.tasks import resolve

EXAMPLES = (
    "assay play rules/shape_match",
    "assay play rules/clockwise+pieces=4 --seed 3 --episodes 5",
    "assay play 'rules/custom+rule=\"(color:red, bucket:0) (bucket:2)\"' --record moves.jsonl",
    "assay play rules/clockwise --hidden",
)
HELP, QUIT = ("help", "h", "?"), ("quit", "q", "exit")
HIDDEN = "a hidden rule"
MOST_UNPLAYED = 3  # episodes in a row that are over at their start
KEYS = "`help` tells how moves are written, `quit` ends the game."


def run(
    task: Annotated[str, typer.Argument(help="A task with a text view, such as rules/shape_match.")],
    seed: Annotated[int, typer.Option(help="The seed of the first episode and of all after it.", min=0)] = 0,
    episodes: Annotated[int, typer.Option(help="How many episodes to play at most.", min=1)] = 10,
    record: Annotated[
        Path | None,
        typer.Option(help="Append each board, move and episode to a file of JSON lines."),
    ] = None,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Leave the task's name out, which tells the rule.")
    ] = False,
) -> None:
    """Play a task in the terminal. `help` tells how moves are written, and `quit` ends the game."""
    resolved = resolve(task)
    title = str(resolved.text)
    view = view_of(resolved)
    env = make(title)  # what cannot be played or recorded is refused before anything is told
    assert isinstance(env, TaskEnv), "assay makes no other"
    lines = open_record(record) if record else None
    screen = Screen(view, HIDDEN if hidden else title, episodes)
    screen.say(f"{HIDDEN if hidden else title}\n{view.help}\n{KEYS}")
    prepare(env, seed, screen)
    played: list[Tally] = []
    try:
        for number in range(episodes):
            start = Start(*(env.reset(seed=seed) if number == 0 else env.reset()))
            tally = Tally(number + 1)
            played.append(tally)
            note = Recorder(lines, title, seed, number)
            play_episode(Game(env, view, screen), start, tally, played[:-1], note)
            screen.say(f"Episode {number + 1} of {episodes}: {tally.outcome}.")
            if not tally.ended or is_stuck(played) or not goes_on(screen, number + 1 < episodes):
                break
    finally:
        if lines:
            lines.close()
    screen.say(sum_up(played))


def open_record(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise AssayError(
            f"--record {path} cannot be written ({why}); name a file in a folder that exists."
        ) from None


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


def is_stuck(played: Sequence[Tally]) -> bool:
    """Whether so many episodes in a row could not be played that the next ones are not tried."""
    return len(played) >= MOST_UNPLAYED and all(each.is_unplayed for each in played[-MOST_UNPLAYED:])


def sum_up(played: Sequence[Tally]) -> str:
    """All episodes that came to their end, with their errors; those that had no move are told apart."""
    unplayed = sum(each.is_unplayed for each in played)
    says = sum_up_played([each for each in played if each.ended and not each.is_unplayed])
    return f"{says} {tell_unplayed(unplayed, is_stuck(played))}" if unplayed else says


def tell_unplayed(number: int, stuck: bool) -> str:
    more = ", and no further one was begun: the rule accepts no first move there" if stuck else ""
    return f"{count(number, 'episode')} could not be played, for no move was accepted at the start{more}."


def sum_up_played(ended: Sequence[Tally]) -> str:
    if not ended:
        return "No episode was finished."
    errors = sum(each.errors for each in ended)
    by_episode = f" ({' '.join(str(each.errors) for each in ended)})" if len(ended) > 1 else ""
    score = sum(each.score for each in ended)
    return f"{count(len(ended), 'episode')} finished, {count(errors, 'error')}{by_episode}, score {score:g}."


class Start(NamedTuple):
    """What a reset gives."""

    observation: Any
    info: dict[str, Any]


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


def play_episode(game: Game, start: Start, tally: Tally, before: Sequence[Tally], note: Recorder) -> None:
    """Plays until the episode ends or the player leaves; `tally` is kept up to date with every move.

    Ctrl-C leaves as `quit` does, so that what was played is told and recorded.
    """
    note(start=True, **game.view.record_start(*start))
    try:
        make_moves(game, start, tally, before, note)
    except KeyboardInterrupt:
        print()  # the prompt ends here
    note(steps=len(tally.tried), errors=tally.errors, score=tally.score, over=bool(tally.ended))


def make_moves(game: Game, start: Start, tally: Tally, before: Sequence[Tally], note: Recorder) -> None:
    view, (observation, info) = game.view, start
    tally.ended = view.why_over(info)
    game.screen.show(Sight(observation, info), tally, before)
    while not tally.ended:
        action = game.ask()
        if action is None:
            break
        move, seen, known = view.name_move(observation, action, info), observation, info
        observation, _, terminated, truncated, info = game.env.step(action)
        tally.tried.append(Tried(move, view.tell(observation, brief=True), sign_of(view, observation)))
        tally.score += info["score"]
        if terminated or truncated:
            tally.ended = view.sum_up(observation, bool(terminated))
        facts = view.record_move(seen, observation, action, known)
        name = view.action_names[action]
        note(step=len(tally.tried), action=action, name=name, score=info["score"], **facts)
        game.screen.show(Sight(observation, info, action, known), tally, before)
