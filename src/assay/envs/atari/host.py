"""atari/<Game>: the emulator as a host. Stickiness, no-op starts and every other draw are ours, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from assay.core.events import EventReport
from assay.core.host import Powers
from assay.core.space import Box, Discrete
from assay.core.variation import Channel, HostRule
from assay.envs.atari.channels import refuse_channels
from assay.envs.atari.compile import ACTIONS
from assay.envs.atari.draws import Draws
from assay.envs.atari.emulator import Emulator
from assay.envs.atari.events import Notes
from assay.envs.atari.games import Game
from assay.envs.atari.inspection import ConsoleInspection
from assay.envs.atari.rewards import GAME, Rewards
from assay.envs.atari.rulefile import read
from assay.envs.atari.screen import Eye
from assay.envs.atari.settings import Preprocessing, preprocessing
from assay.envs.atari.starts import Starts
from assay.envs.atari.variation import Running, compile_variation

FIRE = ACTIONS.index("FIRE")


class AtariHost:
    """One game with its variations, played frame by frame."""

    limit, fresh, ends_itself = math.inf, True, True  # `max_frames` ends every episode
    metadata: ClassVar = {"render_modes": ["rgb_array"], "render_fps": 60}

    def __init__(self, game: Game, settings: Mapping[str, Any], inside: Sequence[HostRule] = ()):
        self.game, self.name = game, f"atari/{game.name}"
        self.preprocessing: Preprocessing = preprocessing(dict(settings))
        way = self.preprocessing
        self.emulator = Emulator(game.rom, self.name, settings.get("mode"), settings.get("difficulty"))
        self.codes = self.emulator.actions(full=way.actions == "full")
        cells = game.label_cells(way.observation)
        self.eye = Eye(self.emulator, way.observation, way.depth, way.pool, way.channels, cells)
        self.compat = settings.get("compat") == "hackatari"
        self.starts = Starts(settings["starts"], self) if settings.get("starts") else None
        rewards = settings.get("rewards", (GAME,))
        self.rewards = Rewards(rewards, game) if rewards != (GAME,) else None
        self.records = {record.name: record for record in inside}
        self._made: dict[tuple[str, Any], Running] = {}  # one per level, so that memory outlasts a switch
        self.running: tuple[Running, ...] = ()  # those that are on
        self._joined: tuple[Running, ...] = ()
        self.draws = {name: Draws(name) for name in ("sticky", "noops", "frameskip", "starts")}
        self._levels = {record.name: record.level for record in inside}
        self._seed, self._episode = 0, object()  # the number of the episode's streams, and which one it is
        self._pass_frame: Callable[[Any], Any] | None = None
        self.notes: Notes | None = None  # of what variations do, where somebody asked
        self.vary()
        self.env = self
        self.powers = Powers(
            self.save, self.restore, self.set_level, self.refuse, partial(ConsoleInspection, self),
            self.observation_labels, self.watch_events,
            self.act_on_frames if way.action_channels == "frame" else None,
        )  # fmt: skip
        self.action_space = spaces.Discrete(len(self.codes))
        space = self.eye.space
        self.observation_space = spaces.Box(0, 255, space.shape, np.uint8)
        self.spaces = {
            "action": Discrete(len(self.codes)), "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": space,
        }  # fmt: skip
        self.frame, self.last, self.lives, self._calls, self._screen_is_true = 0, 0, 0, 0, False
        self._frames_before = 0  # ours less the emulator's, which also counts what came before an episode
        self.frames: list[int] = []  # the console's actions of the step before
        self.points = 0.0  # what the game itself paid in it
        self.intended: list[int] = []  # and before rules of the variations changed them
        self.asked: list[int] = []  # and before stickiness did

    @property
    def unwrapped(self) -> AtariHost:
        return self

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, in the order of their numbers; called as Gymnasium's own envs call it."""
        return [ACTIONS[code] for code in self.codes]

    def observation_labels(self) -> dict[str, int]:
        """Where the named cells stand in an observation of the RAM or of labels; else there are none."""
        labels = self.game.labels if self.preprocessing.depth == 1 else {}
        if self.preprocessing.observation == "ram":
            return dict(labels)
        return (
            {name: i for i, name in enumerate(labels)} if self.preprocessing.observation == "labels" else {}
        )

    # Variations

    def set_level(self, name: str, level: Any) -> None:
        """Switches a variation or sets its value; the hooks of those that are on run in the text's order."""
        if self._levels[name] != level:
            self._levels[name] = level
            self.vary(begin=True)

    def vary(self, begin: bool = False) -> None:
        before = self.running
        chosen = [
            self._running(name, level)
            for name, level in self._levels.items()
            if level != self.records[name].neutral
        ]
        self.running = (*chosen, *self._joined)
        if begin:  # one that comes on in the middle of an episode begins there, its stream once an episode
            for each in self.running:
                if each not in before:
                    self._renew(each)
                    each.begin(self.emulator.ram)
        self.hooks: dict[str, list[tuple[Callable, Running]]] = {
            hook: [(self._hook(hook, each), each) for each in self.running if hook in each.ready.hooks]
            for hook in ("start", "frame", "step", "action", "reward")
        }
        self.eye.vary(self.running)
        self._names = tuple(each.axis for each in self.running)
        if self.compat or self.eye.two_frames or self.hooks["action"] or self.hooks["reward"]:
            run = self._run_all
        else:
            run = self._run_rules if self.hooks["frame"] else self._run_plain
        self._run = self.notes.begin_with(run) if self.notes else run
        self._after = self._after_step if self.compat else self._step_rules if self.hooks["step"] else None

    def _hook(self, hook: str, each: Running) -> Callable:
        function = each.ready.hooks[hook]
        return self.notes.note_hook(hook, function, each.axis) if self.notes else function

    def watch_events(self) -> Callable[[], Mapping[str, EventReport]]:
        """Notes from now on what variations do; what comes back tells of the step before."""
        self.notes = Notes()
        self.eye.note_paint = self.notes.note_paint
        self.vary()
        return partial(self.notes.reports, self)

    def join(self, rules: str) -> None:
        """The variations of a rule file's text run after the others from now on."""
        file = read(rules, "joined.yaml")
        for each in file.variations.values():
            self._joined += (Running(compile_variation(each, True, file.cells), each.name),)
        self.vary()

    def _renew(self, each: Running) -> None:
        """Once an episode: one that went off and comes on again draws on from where it was."""
        if each.episode is not self._episode:
            each.renew(self._seed)
            each.episode = self._episode

    def _running(self, name: str, level: Any) -> Running:
        if (name, level) not in self._made:
            self._made[name, level] = self.game.running(name, level)
        return self._made[name, level]

    def refuse(self, channels: Sequence[Channel]) -> None:
        refuse_channels(self.name, self.preprocessing, channels)

    def act_on_frames(self, pass_frame: Callable[[Any], Any]) -> None:
        """The action of every frame passes through this function from now on."""
        self._pass_frame = pass_frame

    def apply(self, hook: str, frame: int) -> None:
        emulator = self.emulator
        for function, each in self.hooks[hook]:
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
        self._frames_before = -self.emulator.frame_number()
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
        """The button, where the game has one, and no-ops."""
        way = self.preprocessing
        waits = self.draws["noops"].uniform(1, way.noops) if way.noops else 0
        for code in [FIRE] * (way.fire and self.game.fire) + [0] * waits:
            for _ in range(way.noop_frames):
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
        self._screen_is_true = False
        return observation

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        way, emulator = self.preprocessing, self.emulator
        before = self.rewards.before(self) if self.rewards else None
        self.frames = self.intended = intended = self._intended(action)
        points, paid, ended = self._run(intended)
        emulator.read_into(emulator.buffer)
        self.points, self.last, self._screen_is_true = points, intended[-1], True
        if self._after:
            self._after()
        if before and self.rewards:
            paid = self.rewards.paid(self, before, action, points)
        seen, lives = self.eye.see(), emulator.lives()
        terminated = ended
        if lives != self.lives:
            if lives < self.lives and not ended:
                lives = self._lives_given_back() if self.running else lives
                terminated = way.life_loss and lives < self.lives
            self.lives = lives
        truncated = not terminated and self.frame >= way.max_frames
        return seen, paid, terminated, truncated, self.info()

    # The frames of a step, three ways: between two frames all that Python does is done with cold caches, so
    # the two usual ways are as short as can be. Each gives the points, what is paid, and whether it ended.

    def _run_plain(self, intended: list[int]) -> tuple[float, float, bool]:
        """No rule runs between frames."""
        act, points = self.emulator.act, 0
        for sent in intended:
            points += act(sent)
        self.frame += len(intended)
        ended = self.emulator.over()
        if ended:  # a game that is over stands still, the frame that is asked of it then is counted
            excess = self.frame - self.emulator.frame_number() - self._frames_before
            excess = min(excess, len(intended) - 1)
            self.frame -= excess
            del intended[len(intended) - excess :]
        return float(points), float(points), ended

    def _run_rules(self, intended: list[int]) -> tuple[float, float, bool]:
        """Rules run after every frame."""
        emulator, rules, frame, points = self.emulator, self.hooks["frame"], self.frame, 0
        act, over, read, buffer = emulator.act, emulator.over, emulator.read_into, emulator.buffer
        ram, put = emulator.ram, emulator.put
        for sent in intended:
            points += act(sent)
            frame += 1
            for function, each in rules:  # a later variation sees what an earlier one wrote
                read(buffer)
                function(ram, put, each.memory, each.draws, frame, 0, 0)
            if over():
                del intended[frame - self.frame :]
                break
        self.frame = frame
        return float(points), float(points), over()

    def _run_all(self, intended: list[int]) -> tuple[float, float, bool]:
        """Whatever there is: rules of actions and rewards, two frames shown as one, another schedule."""
        emulator, eye, hooks = self.emulator, self.eye, self.hooks
        points, paid, ended, merged = 0.0, 0.0, False, len(intended) if eye.two_frames else 0
        self.frames = frames = []
        for number, sent in enumerate(intended, 1):
            if self.compat:
                self._call()
            for function, each in hooks["action"]:
                emulator.read()
                sent = function(emulator.ram, None, each.memory, each.draws, self.frame, sent, 0)
            if number == merged and (number > 1 or self._screen_is_true):
                eye.remember()
            frames.append(sent)
            got = emulator.act(sent)
            points += got
            self.frame += 1
            ended = emulator.over()
            emulator.read()
            for function, each in hooks["reward"]:
                got = function(emulator.ram, None, each.memory, each.draws, self.frame, 0, got)
            paid += got
            if not self.compat:
                self.apply("frame", self.frame)
            if ended:
                del intended[number:]
                break
        return points, paid, ended

    def _intended(self, action: Any) -> list[int]:
        """The console's action of every frame, as channels that act on frames and stickiness have it."""
        sticky, skip, sent = self.preprocessing.sticky, self.preprocessing.frameskip, self.last
        if not isinstance(skip, int):
            skip = self.draws["frameskip"].uniform(*skip)
        if self._pass_frame is not None:
            codes = [self.codes[self._pass_frame(action)] for _ in range(skip)]
        else:
            codes = [self.codes[action]] * skip
        self.asked = codes
        if not sticky:
            return codes
        shares = self.draws["sticky"].shares(skip)
        return [sent := code if share >= sticky else sent for code, share in zip(codes, shares)]

    def _lives_given_back(self) -> int:
        """Lives as the next frame counts them: a rule may have given one back after this one was counted."""
        saved = self.emulator.save()
        self.emulator.act(0)
        lives = self.emulator.lives()
        self.emulator.restore(saved)
        self._screen_is_true = False
        return lives

    # The original's schedule: before every frame and once more after the last one.

    def _call(self) -> None:
        self.emulator.read()
        self.apply("frame", self._calls)
        self._calls += 1

    def _step_rules(self) -> None:
        self.apply("step", self.frame)

    def _after_step(self) -> None:
        self._call()
        if any(each.ready.detects for each in self.running):
            self._call()

    def info(self) -> dict:
        found = {
            "lives": self.lives, "frame": self.frame, "points": self.points,
            "executed_frames": tuple(self.frames),
            "variations": self._names,
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
            # Also of those that are off now and may come on again.
            "begun": {key: each.save() for key, each in self._made.items() if each.episode is self._episode},
            "draws": {name: stream.save() for name, stream in self.draws.items()},
            "seed": self._seed,
            "counts": (self.frame, self.last, self.lives, tuple(self.frames), self._calls),
        }  # fmt: skip

    def restore(self, saved: dict[str, Any]) -> None:
        self.emulator.restore(saved["emulator"])
        self._levels, self._seed, self._episode = dict(saved["levels"]), saved["seed"], object()
        self.vary()
        for key, state in saved["begun"].items():
            each = self._running(*key)
            each.restore(state)
            each.episode = self._episode
        for name, state in saved["draws"].items():
            self.draws[name].restore(state)
        self.eye.restore(saved["eye"])
        self.frame, self.last, self.lives, frames, self._calls = saved["counts"]
        self.frames, self._screen_is_true = list(frames), False
        self._frames_before = self.frame - self.emulator.frame_number()

    def close(self) -> None:
        """Nothing is held open: the emulator lives in this process."""
