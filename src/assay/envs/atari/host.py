"""atari/<Game>: the emulator as a host. Stickiness, no-op starts and every other draw are ours, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from assay.core.space import Box, Discrete
from assay.core.variation import Channel, Inner
from assay.envs.atari.compile import ACTIONS
from assay.envs.atari.draws import Draws
from assay.envs.atari.emulator import Emulator
from assay.envs.atari.games import Game, game_of
from assay.envs.atari.rewards import GAME, Rewards
from assay.envs.atari.screen import POOLED, Eye
from assay.envs.atari.settings import Preprocessing, preprocessing
from assay.envs.atari.starts import Starts
from assay.envs.atari.variation import Running
from assay.errors import NotApplicable

FIRE = ACTIONS.index("FIRE")


class AtariHost:
    """One game with its variations, played frame by frame."""

    limit, fresh = math.inf, True
    metadata: ClassVar = {"render_modes": ["rgb_array"], "render_fps": 60}

    def __init__(self, game: Game, settings: Mapping[str, Any], inside: Sequence[Inner] = ()):
        self.game, self.name = game, f"atari/{game.name}"
        self.preprocessing: Preprocessing = preprocessing(dict(settings))
        way = self.preprocessing
        self.emulator = Emulator(game.rom, self.name, settings.get("mode"), settings.get("difficulty"))
        self.codes = self.emulator.actions(full=way.actions == "full")
        self.eye = Eye(
            self.emulator,
            way.observation,
            way.depth,
            way.pool,
            way.channels,
            game.label_cells(way.observation),
        )
        self.compat = settings.get("compat") == "hackatari"
        self.starts = Starts(settings["starts"], self) if settings.get("starts") else None
        rewards = settings.get("rewards", (GAME,))
        self.rewards = Rewards(rewards, game) if rewards != (GAME,) else None
        self.records = {record.name: record for record in inside}
        self._ready = {record.name: game.running(record.name) for record in inside}
        self.running: tuple[Running, ...] = ()
        self.draws = {name: Draws(name) for name in ("sticky", "noops", "frameskip", "starts")}
        self._levels = {record.name: record.level for record in inside}
        self._seed, self._episode = 0, object()  # the number of the episode's streams, and which one it is
        self.vary()
        self.env = self
        self.action_space = spaces.Discrete(len(self.codes))
        space = self.eye.space
        self.observation_space = spaces.Box(0, 255, space.shape, np.uint8)
        self.spaces = {
            "action": Discrete(len(self.codes)), "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": space,
        }  # fmt: skip
        self.frame, self.last, self.lives, self._calls, self._screen_is_true = 0, 0, 0, 0, False
        self.frames: list[int] = []  # the console's actions of the step before
        self.points = 0.0  # what the game itself paid in it
        self.intended: list[int] = []  # and before rules of the variations changed them

    # Variations

    def set_level(self, name: str, level: Any) -> None:
        """Switches a variation or sets its value; the hooks of those that are on run in the text's order."""
        if self._levels[name] != level:
            self._levels[name] = level
            self.vary(begin=True)

    def vary(self, begin: bool = False) -> None:
        before = self.running
        chosen = [
            self._ready[name](level)
            for name, level in self._levels.items()
            if level != self.records[name].neutral
        ]
        self.running = tuple(chosen)
        if begin:  # one that comes on in the middle of an episode begins there, its stream once an episode
            for each in self.running:
                if each not in before:
                    self._renew(each)
                    each.begin(self.emulator.ram)
        self._hooks: dict[str, list[tuple[Callable, Running]]] = {
            hook: [(each.ready.hooks[hook], each) for each in self.running if hook in each.ready.hooks]
            for hook in ("start", "frame", "step", "action", "reward")
        }
        self.eye.vary(self.running)

    def _renew(self, each: Running) -> None:
        if each.episode is not self._episode:
            each.renew(self._seed)
            each.episode = self._episode

    def refuse(self, channels: Sequence[Channel]) -> None:
        """Two kinds of stickiness on top of each other are neither."""
        if self.preprocessing.sticky and any(each.name == "action.sticky" for each in channels):
            raise NotApplicable(
                f"{self.name} is sticky frame by frame (sticky={self.preprocessing.sticky:g}) and "
                "action.sticky step by step; write sticky=0 beside action.sticky, or drop one of them."
            )

    def apply(self, hook: str, frame: int) -> None:
        emulator = self.emulator
        for function, each in self._hooks[hook]:
            function(emulator.ram, emulator.put, each.memory, each.draws, frame, 0, 0)
            emulator.read()  # a later variation sees what an earlier one wrote

    # Episodes

    def reset(self, seed: int) -> tuple[np.ndarray, dict]:
        self._seed, self._episode = seed, object()
        for stream in self.draws.values():
            stream.renew(seed)
        for each in self.running:
            self._renew(each)
        self.emulator.reset()
        self.frame, self.last, self.frames, self._calls, self.points = 0, 0, [], 0, 0.0
        if self.starts is None:
            self._play_in()
        else:
            self.starts.begin(self)
        self.lives = self.emulator.lives()
        for each in self.running:
            each.begin(self.emulator.ram)
        if self.compat:  # the original shows its first picture before any rule has run
            observation = self._first_look()
            self.apply("start", 0)
            return observation, self.info()
        self.apply("start", 0)
        self.apply("frame", 0)
        return self._first_look(), self.info()

    def _play_in(self) -> None:
        """No-ops and the button."""
        way = self.preprocessing
        waits = self.draws["noops"].uniform(1, way.noops) if way.noops else 0
        for code in [0] * waits + ([FIRE] if way.fire else []):
            self.emulator.act(code)
            if self.emulator.over():
                self.emulator.reset()
        self.emulator.read()

    def _first_look(self) -> np.ndarray:
        """The first observation: the screen of a frame that is then taken back, so that it shows the rules.

        Plain games look the same way, for plain and varied are compared.
        """
        emulator, now = self.emulator, self.emulator.buffer.copy()
        saved = emulator.save()
        emulator.act(0)
        emulator.buffer[:] = now
        observation = self.eye.begin()
        emulator.restore(saved)
        if saved is None:
            for cell, value in enumerate(now.tolist()):
                emulator.put(cell, value)
            emulator.read()
        self._screen_is_true = False
        return observation

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        emulator, way, eye = self.emulator, self.preprocessing, self.eye
        code, act, over, sticky = self.codes[action], emulator.act, emulator.over, way.sticky
        hooks, share = self._hooks, self.draws["sticky"].share
        skip = way.frameskip
        if not isinstance(skip, int):
            skip = self.draws["frameskip"].uniform(*skip)
        before = self.rewards.before(self) if self.rewards else None
        points, paid, ended = 0.0, 0.0, False
        self.frames, self.intended = frames, intended = [], []
        for number in range(skip):
            if self.compat:
                self._call()
            sent = self.last if sticky and share() < sticky else code
            self.last = sent
            intended.append(sent)
            for function, each in hooks["action"]:
                emulator.read()
                sent = function(emulator.ram, None, each.memory, each.draws, self.frame, sent, 0)
            if number == skip - 1 and eye.two_frames and self._screen_is_true:
                eye.remember()
            frames.append(sent)
            got = act(sent)
            self._screen_is_true = True
            points += got
            self.frame += 1
            if hooks["reward"]:
                emulator.read()
                for function, each in hooks["reward"]:
                    got = function(emulator.ram, None, each.memory, each.draws, self.frame, 0, got)
                paid += got
            ended = over()
            if hooks["frame"] and not self.compat:
                emulator.read()
                self.apply("frame", self.frame)
            if ended:
                break
        emulator.read()
        if self.compat:
            self._after_step()
        elif hooks["step"]:
            self.apply("step", self.frame)
        if self.rewards:
            paid = self.rewards.paid(self, before, action, points)
        elif not hooks["reward"]:
            paid = points
        lives = emulator.lives()
        terminated = ended or (way.life_loss and lives < self.lives)
        self.lives, self.points = lives, points
        truncated = not terminated and self.frame >= way.max_frames
        return eye.see(), paid, terminated, truncated, self.info()

    # The original's schedule: before every frame and once more after the last one.

    def _call(self) -> None:
        self.emulator.read()
        self.apply("frame", self._calls)
        self._calls += 1

    def _after_step(self) -> None:
        self._call()
        if any(each.ready.detects for each in self.running):
            self._call()

    def info(self) -> dict:
        found = {
            "lives": self.lives, "frame": self.frame, "points": self.points,
            "executed_frames": tuple(self.frames),
            "variations": tuple(each.axis for each in self.running),
        }  # fmt: skip
        if self.rewards:
            found["reward_parts"] = dict(self.rewards.parts)
        return found

    # What the laws and users ask for

    def latent(self) -> np.ndarray:
        return self.emulator.buffer.copy()

    def sample(self, rng: np.random.Generator) -> int:
        return int(rng.integers(len(self.codes)))

    def render(self) -> np.ndarray:
        """The screen in colour, patched as observations are."""
        screen = self.emulator.ale.getScreenRGB()
        return self.eye.painted(screen) if self.eye.patched else screen

    def save(self) -> dict[str, Any]:
        """Everything: emulator, rules' memory, streams, frame stack."""
        return {
            "emulator": self.emulator.save(), "eye": self.eye.save(), "levels": dict(self._levels),
            "running": [each.save() for each in self.running],
            "draws": {name: stream.save() for name, stream in self.draws.items()},
            "seed": self._seed,
            "counts": (self.frame, self.last, self.lives, tuple(self.frames), self._calls),
        }  # fmt: skip

    def restore(self, saved: dict[str, Any]) -> None:
        self.emulator.restore(saved["emulator"])
        self._levels, self._seed, self._episode = dict(saved["levels"]), saved["seed"], object()
        self.vary()
        for each, state in zip(self.running, saved["running"], strict=True):
            each.restore(state)
            each.episode = self._episode
        for name, state in saved["draws"].items():
            self.draws[name].restore(state)
        self.eye.restore(saved["eye"])
        self.frame, self.last, self.lives, frames, self._calls = saved["counts"]
        self.frames, self._screen_is_true = list(frames), False

    def close(self) -> None:
        """Nothing is held open: the emulator lives in this process."""


def build(
    name: str, settings: Mapping[str, Any], render_mode: str | None = None, inside: Sequence[Inner] = ()
) -> AtariHost:
    """The host of `atari/<Game>`."""
    if render_mode not in (None, "rgb_array"):
        raise NotApplicable(f"{name} renders as rgb_array, not as {render_mode!r}.")
    game = game_of(name)
    chosen = [(record.name, record.level) for record in inside if record.level != record.neutral]
    last_wins = settings.get("overlap") == "last"
    if not game.conflicts(chosen, refuse=not last_wins) and last_wins:
        raise NotApplicable(
            f"overlap=last has nothing to do: no two variations of this {name} task write one cell."
        )
    refuse_idle(name, preprocessing(dict(settings)))
    if settings.get("compat") == "hackatari" and not chosen:
        raise NotApplicable(
            f"compat=hackatari is about when rules run, and this {name} task has none; drop it."
        )
    return AtariHost(game, settings, inside)


def refuse_idle(name: str, way: Preprocessing) -> None:
    """Settings that would do nothing there."""
    if not way.pool and way.observation not in POOLED:
        raise NotApplicable(
            f"pool=false is about gray84 and rgb64; {name} shows {way.observation} here: drop it."
        )
    if way.channels == "first" and way.depth == 1:
        raise NotApplicable(
            f"channels=first is about a stack of frames, and {name} shows one here; write stack=4 or drop it."
        )
