"""A language model as a policy: the task in words, a conversation per episode, an action per answer.

In a series, what came of earlier episodes is told before each conversation (`memory.py`).

What the model writes is searched for the name of an action and is otherwise only kept as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from assay.catalogue import load
from assay.envs.text_views import NULL_ACTIONS, TextView
from assay.errors import AssayError, NotApplicable
from assay.interop.gymnasium import TaskEnv
from assay.interop.llm.client import Client, EndpointFailed, Message, Reply
from assay.interop.llm.memory import Memory
from assay.interop.llm.notes import Move, Notes
from assay.interop.llm.settings import Player, key_of, read_player
from assay.interop.policy import Policy
from assay.interop.text_views import view_of
from assay.tasks import resolve

MARK = re.compile(r"^[\s*`>_#-]*move\s*:(.*)$", re.IGNORECASE | re.MULTILINE)
EDGES = " \t\"'`*_.,;:!()[]<>"

# An env, the file of the notes where a run has one, and whether its episodes are a series -> the policy.
Converse = Callable[[TaskEnv, Path | None, bool], Policy]


def load_player(name: str, path: Path) -> Converse:
    """A function that gives the policy of the player that a file describes."""
    return partial(build_policy, name, read_player(name, path))


def build_policy(name: str, player: Player, env: TaskEnv, notes: Path | None, series: bool) -> Policy:
    player = player if series else replace(player, memory=0)
    resolved = resolve(env.task)
    view = view_of(resolved)
    count = getattr(env.action_space, "n", None)
    if count != len(view.action_names):
        raise NotApplicable(
            f"{env.task} takes {env.action_space}, and its text view names {len(view.action_names)} actions; "
            f"{name} needs a name for each, so leave out what changes the actions."
        )
    null = load(NULL_ACTIONS[resolved.text.env.split("/")[0]])
    game = Game(env.task, view, partial(null, view))
    kept = Notes(notes, name, player.model, player.memory)
    talk = Talk(player, game, Client(player, key_of(name, player)), kept)
    return Policy(talk.act, reset=talk.reset, finish=talk.finish)


class Game(NamedTuple):
    """A task in words."""

    task: str
    view: TextView
    null: Callable[[Any], int]  # observation -> the action of a player that chose none

    @property
    def rules(self) -> str:
        first, last = self.view.action_names[0], self.view.action_names[-1]
        return (
            f"You play a game in words.\n{self.view.explanation}\n"
            f"Actions are named, from `{first}` to `{last}`. End each answer with one line that holds your "
            f"choice alone, such as:\nMOVE: {last}"
        )

    def describe(self, observation: Any, tried: int | None) -> str:
        """What the model is told before a move: what came of its last one, and the board."""
        told = "" if tried is None else f"{self.view.action_names[tried]}: {self.view.tell(observation)}.\n\n"
        signs = self.view.legend_of(observation)
        # The explanation holds the legend; it is told again where that of this board tells something else.
        more = f"\n\n{signs}" if signs not in ("", self.view.legend) else ""
        return f"{told}{self.view.draw(observation, tried)}{more}\n\nYour move?"

    def read(self, answer: str) -> int:
        """The action that an answer names, or an AssayError that says how it is named."""
        marked = MARK.findall(answer)
        text = plain(marked[-1] if marked else answer)
        names = {plain(name): number for number, name in enumerate(self.view.action_names)}
        if text in names:
            return names[text]
        # Whole names alone: "cell 1 to bucket 2" is no part of "cell 11 to bucket 2" or of "... bucket 20".
        found = {
            number for name, number in names.items() if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        }
        if len(found) == 1:
            return found.pop()
        if found:
            raise AssayError(
                "the answer names several actions; end it with one line `MOVE: ` and one action."
            )
        try:
            return self.view.read(text)
        except AssayError:
            last = self.view.action_names[-1]
            raise AssayError(
                f"the answer names no action; end it with a line such as `MOVE: {last}`."
            ) from None


def plain(text: str) -> str:
    return " ".join(text.lower().split()).strip(EDGES)


class Tally:
    """Tokens and costs; unknown as soon as one part is."""

    def __init__(self, player: Player):
        self._player = player
        self.tokens: int | None = 0
        self.cost: float | None = 0.0

    def add(self, prompt: int | None, answer: int | None) -> float | None:
        """Counts the tokens of a move, and returns what they cost."""
        known = prompt is not None and answer is not None
        cost = self._player.prompt_price * (prompt or 0) + self._player.answer_price * (answer or 0)
        self.tokens = (
            self.tokens + (prompt or 0) + (answer or 0) if known and self.tokens is not None else None
        )
        self.cost = self.cost + cost if known and self.cost is not None else None
        return cost if known else None


class Choice(NamedTuple):
    """How the model came to a move."""

    action: int
    answer: str
    requests: int
    reason: str
    prompt_tokens: int | None
    answer_tokens: int | None
    endpoint_failed: bool = False


class Talk:
    """The conversation of one episode after another, with a memory of the series where one is asked for."""

    def __init__(self, player: Player, game: Game, client: Client, notes: Notes):
        self._player, self._game, self._client, self._notes = player, game, client, notes
        self._episode, self._failures = -1, 0  # no episode has begun
        self._seed, self._step = 0, 0
        self._tried: int | None = None
        self._tried_in = ""  # the last move in words
        self._past: list[Message] = []
        self._memory = Memory(player.memory, player.memory_characters)
        self._tally = Tally(player)

    def reset(self, seed: int) -> None:
        self._episode += 1
        self._seed, self._step = seed, 0
        self._tried, self._past, self._tally = None, [], Tally(self._player)
        self._memory.begin()

    def finish(self, observation: Any, terminated: bool) -> None:
        self._remember(observation)
        self._memory.end(self._game.view.sum_up(observation, terminated))

    def _remember(self, observation: Any) -> None:
        """Keeps the last move with its response, which this observation shows."""
        view = self._game.view
        if self._tried is not None:
            self._memory.add(self._tried_in, view.tell(observation, brief=True), view.is_error(observation))

    def act(self, observation: Any) -> int:
        self._remember(observation)
        said = self._game.describe(observation, self._tried)
        # The whole conversation: an answer is found again only where all that led to it is the same.
        digest = blake2b(json.dumps(self._conversation(said)).encode(), digest_size=8).hexdigest()
        move = self._notes.find(self._game.task, self._seed, self._step, digest)
        if move:
            self._tally.add(move.prompt_tokens, move.answer_tokens)
        else:
            move = self._ask_and_note(said, digest, observation)
        self._past += [
            {"role": "user", "content": said},
            {"role": "assistant", "content": move.answer or "-"},
        ]
        self._tried, self._step = move.action, self._step + 1
        self._tried_in = self._game.view.name_move(observation, move.action)
        return move.action

    def _ask_and_note(self, said: str, digest: str, observation: Any) -> Move:
        choice = self._choose(said, self._game.null(observation))
        self._failures = self._failures + 1 if choice.endpoint_failed else 0
        if self._failures >= self._player.most_failures:
            raise AssayError(
                f"{self._failures} moves in a row got no answer, the last because {choice.reason}; "
                "see to the endpoint, then try again."
            )
        cost = self._tally.add(choice.prompt_tokens, choice.answer_tokens)
        move = Move(
            self._game.task, self._episode, self._seed, self._step, digest, choice.action,
            self._game.view.action_names[choice.action], choice.answer, choice.requests, choice.reason,
            choice.prompt_tokens, choice.answer_tokens, cost, self._tally.tokens, self._tally.cost,
            self._memory.told,
        )  # fmt: skip
        self._notes.add(move)
        return move

    def _choose(self, said: str, null: int) -> Choice:
        """Asks until an answer names an action, a bounded number of times; then the null action it is."""
        replies: list[Reply] = []
        messages, reason, answer = self._conversation(said), "", ""
        for _ in range(self._player.asks):
            try:
                replies.append(self._client.ask(messages))
            except EndpointFailed as error:
                return Choice(
                    null, answer, len(replies) + 1, str(error), *total(replies), endpoint_failed=True
                )
            reply = replies[-1]
            answer = reply.text or ""
            try:
                if reply.text is None:
                    raise AssayError(f"{reply.fault}.")
                return Choice(self._game.read(answer), answer, len(replies), "", *total(replies))
            except AssayError as error:
                reason = str(error)
            messages = [*messages, {"role": "assistant", "content": answer or "-"},
                        {"role": "user", "content": f"That cannot be played: {reason}"}]  # fmt: skip
        return Choice(null, answer, len(replies), reason, *total(replies))

    def _conversation(self, said: str) -> list[Message]:
        own = f"{self._player.system.strip()}\n\n" if self._player.system.strip() else ""
        past = self._past[-2 * self._player.history :] if self._player.history else []
        # The move before this one is told with the board, so that it is not told twice.
        memory = self._memory.tell(repeated=max(1, len(past) // 2))
        before = f"\n\n{memory}" if memory else ""
        return [
            {"role": "system", "content": own + self._game.rules + before},
            *past,
            {"role": "user", "content": said},
        ]


def total(replies: list[Reply]) -> tuple[int | None, int | None]:
    """The tokens of all replies to one move; None where one of them tells nothing."""
    prompts, answers = [each.prompt_tokens for each in replies], [each.answer_tokens for each in replies]
    return sum_known(prompts), sum_known(answers)


def sum_known(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
