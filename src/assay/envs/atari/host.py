"""atari/<Game>: the emulator as a host. All draws, such as stickiness and no-ops, come from named streams."""

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
from assay.envs.atari.compiled_variation import ActiveVariation, compile_variation
from assay.envs.atari.draws import Draws
from assay.envs.atari.emulator import Emulator
from assay.envs.atari.events import Notes
from assay.envs.atari.games import Game
from assay.envs.atari.inspection import ConsoleInspection
from assay.envs.atari.rewards import GAME, Rewards
from assay.envs.atari.rule_compiler import ACTIONS
from assay.envs.atari.rulefile import read_rules
from assay.envs.atari.screen import Eye
from assay.envs.atari.settings import Preprocessing, read_preprocessing
from assay.envs.atari.starts import Starts

FIRE = ACTIONS.index("FIRE")


class AtariHost:
    """One game with its variations, played frame by frame."""

    limit, fresh, ends_itself = math.inf, True, True  # `max_frames` ends every episode
    metadata: ClassVar = {"render_modes": ["rgb_array"], "render_fps": 60}

    def __init__(self, game: Game, settings: Mapping[str, Any], inside: Sequence[HostRule] = ()):
        self.game, self.name = game, f"atari/{game.name}"
        self.preprocessing: Preprocessing = read_preprocessing(dict(settings))
        options = self.preprocessing
        self.emulator = Emulator(game.rom, self.name, settings.get("mode"), settings.get("difficulty"))
        self.codes = self.emulator.actions(full=options.actions == "full")
        self.eye = Eye(self.emulator, options, game.label_cells(options.observation))
        self.compat = settings.get("compat") == "hackatari"
        self.starts = Starts(settings["starts"], self) if settings.get("starts") else None
        rewards = settings.get("rewards", (GAME,))
        self.rewards = Rewards(rewards, game) if rewards != (GAME,) else None
        self.records = {record.name: record for record in inside}
        # One per level, so that memory outlasts a switch.
        self._by_level: dict[tuple[str, Any], ActiveVariation] = {}
        self.active: tuple[ActiveVariation, ...] = ()  # those that are on
        self._added: tuple[ActiveVariation, ...] = ()  # by `add_rules`
        self.draws = {name: Draws(name) for name in ("sticky", "noops", "frameskip", "starts")}
        self._levels = {record.name: record.level for record in inside}
        self._seed, self._episode = 0, object()  # the number of the episode's streams, and its identity
        self._pass_frame: Callable[[Any], Any] | None = None
        self.notes: Notes | None = None  # of what variations do, once `watch_events` was called
        self.vary()
        self.env = self
        self.powers = Powers(
            self.save, self.restore, self.set_level, self.refuse, partial(ConsoleInspection, self),
            self.observation_labels, self.watch_events,
            self.act_on_frames if options.action_channels == "frame" else None,
        )  # fmt: skip
        self.action_space = spaces.Discrete(len(self.codes))
        space = self.eye.space
        self.observation_space = spaces.Box(0, 255, space.shape, np.uint8)
        self.spaces = {
            "action": Discrete(len(self.codes)), "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": space,
        }  # fmt: skip
        self.frame, self.last, self.lives, self._calls, self._screen_is_true = 0, 0, 0, 0, False
        self._frames_before = 0  # our count less the emulator's, which includes frames before the episode
        self.points = 0.0  # what the game itself paid in the previous step
        self.frames: list[int] = []  # the console's actions in the previous step
        self.intended: list[int] = []  # the same before rules changed them
        self.asked: list[int] = []  # the same before stickiness and rules did

    @property
    def unwrapped(self) -> AtariHost:
        return self

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, in the order of their numbers; the method's name is Gymnasium's."""
        return [ACTIONS[code] for code in self.codes]

    def observation_labels(self) -> dict[str, int]:
        """Label -> index in an observation of the RAM or of labels; empty for other observations."""
        labels = self.game.labels if self.preprocessing.depth == 1 else {}
        if self.preprocessing.observation == "ram":
            return dict(labels)
        labelled = self.preprocessing.observation == "labels"
        return {name: i for i, name in enumerate(labels)} if labelled else {}

    # Variations

    def set_level(self, name: str, level: Any) -> None:
        """Switches a variation or sets its value; hooks of active variations run in the order of the text."""
        if self._levels[name] != level:
            self._levels[name] = level
            self.vary(begin=True)

    def vary(self, begin: bool = False) -> None:
        """Collects the active variations and their hooks, and picks the fastest loop that can run them."""
        before = self.active
        levels = [pair for pair in self._levels.items() if pair[1] != self.records[pair[0]].neutral]
        self.active = (*(self._variation_at(*pair) for pair in levels), *self._added)
        if begin:  # a variation that comes on in the middle of an episode begins there
            for each in self.active:
                if each not in before:
                    self._renew(each)
                    each.begin(self.emulator.ram)
        self.hooks: dict[str, list[tuple[Callable, ActiveVariation]]] = {
            hook: [(self._hook(hook, each), each) for each in self.active if hook in each.compiled.hooks]
            for hook in ("start", "frame", "step", "action", "reward")
        }
        self.eye.vary(self.active)
        self._active_names = tuple(each.axis for each in self.active)
        if self.compat or self.eye.two_frames or self.hooks["action"] or self.hooks["reward"]:
            run = self._run_all
        else:
            run = self._run_rules if self.hooks["frame"] else self._run_plain
        self._run = self.notes.begin_with(run) if self.notes else run
        step_rules = self._run_step_rules if self.hooks["step"] else None
        self._after = self._end_scheduled_step if self.compat else step_rules

    def _hook(self, hook: str, each: ActiveVariation) -> Callable:
        function = each.compiled.hooks[hook]
        return self.notes.note_hook(hook, function, each.axis) if self.notes else function

    def watch_events(self) -> Callable[[], Mapping[str, EventReport]]:
        """Notes from now on what variations do; the function returned reports on the previous step."""
        self.notes = Notes()
        self.eye.note_paint = self.notes.note_paint
        self.vary()
        return partial(self.notes.report, self)

    def add_rules(self, rules: str) -> None:
        """Adds the variations in a rule file's text; they run after the others from now on."""
        file = read_rules(rules, "added.yaml")
        for each in file.variations.values():
            self._added += (ActiveVariation(compile_variation(each, True, file.cells), each.name),)
        self.vary()

    def _renew(self, each: ActiveVariation) -> None:
        """Begins its stream once an episode: a variation that comes on again continues its draws."""
        if each.episode is not self._episode:
            each.renew(self._seed)
            each.episode = self._episode

    def _variation_at(self, name: str, level: Any) -> ActiveVariation:
        if (name, level) not in self._by_level:
            self._by_level[name, level] = self.game.activate(name, level)
        return self._by_level[name, level]

    def refuse(self, channels: Sequence[Channel]) -> None:
        refuse_channels(self.name, self.preprocessing, channels)

    def act_on_frames(self, pass_frame: Callable[[Any], Any]) -> None:
        """Passes the action of every frame through this function from now on."""
        self._pass_frame = pass_frame

    def apply(self, hook: str, frame: int) -> None:
        """Runs one hook of all active variations."""
        emulator = self.emulator
        for function, each in self.hooks[hook]:
            function(emulator.ram, emulator.put, each.memory, each.draws, frame, 0, 0)
            emulator.read()  # a later variation sees what an earlier one wrote

    # Episodes

    def reset(self, seed: int) -> tuple[np.ndarray, dict]:
        self._seed, self._episode = seed, object()
        for stream in self.draws.values():
            stream.renew(seed)
        for each in self.active:
            self._renew(each)
        self.emulator.reset()
        self.frame, self.last, self.frames, self._calls, self.points = 0, 0, [], 0, 0.0
        if self.starts is None:
            self._play_noops()
        else:
            self.starts.begin(self)
        self._frames_before = -self.emulator.frame_number()
        self.lives = self.emulator.lives()
        for each in self.active:
            each.begin(self.emulator.ram)
        if self.compat:  # HackAtari shows its first picture before any rule has run
            observation = self._observe_first()
            self.apply("start", 0)
            return observation, self.info()
        self.apply("start", 0)
        self.apply("frame", 0)
        return self._observe_first(), self.info()

    def _play_noops(self) -> None:
        """Presses the button, where the task asks for it and the game has one, and plays the no-ops."""
        options = self.preprocessing
        noops = self.draws["noops"].uniform(1, options.noops) if options.noops else 0
        for code in [FIRE] * (options.fire and self.game.fire) + [0] * noops:
            for _ in range(options.noop_frames):
                self.emulator.act(code)
                if self.emulator.over():
                    self.emulator.reset()
        self.emulator.read()

    def _observe_first(self) -> np.ndarray:
        """The first observation: a frame is played so that the screen shows the rules, and then undone.

        Plain games do the same, because plain and varied episodes are compared.
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
        options, emulator = self.preprocessing, self.emulator
        before = self.rewards.moment_before(self) if self.rewards else None
        self.frames = self.intended = intended = self._plan_frames(action)
        points, paid, ended = self._run(intended)
        emulator.read_into(emulator.buffer)
        self.points, self.last, self._screen_is_true = points, intended[-1], True
        if self._after:
            self._after()
        if before and self.rewards:
            paid = self.rewards.pay(self, before, action, points)
        observation, lives = self.eye.see(), emulator.lives()
        terminated = ended
        if lives != self.lives:
            if lives < self.lives and not ended:
                lives = self._lives_after_rules() if self.active else lives
                terminated = options.life_loss and lives < self.lives
            self.lives = lives
        truncated = not terminated and self.frame >= options.max_frames
        return observation, paid, terminated, truncated, self.info()

    # Three loops over the frames of a step. Python code between two frames runs with cold caches, so the two
    # usual loops are as short as possible. Each returns the game's points, the reward and whether it ended.

    def _run_plain(self, intended: list[int]) -> tuple[float, float, bool]:
        """No rule runs between frames."""
        act, points = self.emulator.act, 0
        for sent in intended:
            points += act(sent)
        self.frame += len(intended)
        ended = self.emulator.over()
        if ended:  # a finished game stands still: frames asked of it after its end do not count
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
        """Rules of any kind run: on actions and rewards, with merged frames, on HackAtari's schedule."""
        emulator, eye, hooks = self.emulator, self.eye, self.hooks
        points, paid, ended, merged = 0.0, 0.0, False, len(intended) if eye.two_frames else 0
        self.frames = frames = []
        for number, sent in enumerate(intended, 1):
            if self.compat:
                self._run_scheduled()
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

    def _plan_frames(self, action: Any) -> list[int]:
        """The console's action of every frame, after channels that act on frames and after stickiness."""
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

    def _lives_after_rules(self) -> int:
        """The lives in the next frame: a rule may have given a lost one back after this frame."""
        saved = self.emulator.save()
        self.emulator.act(0)
        lives = self.emulator.lives()
        self.emulator.restore(saved)
        self._screen_is_true = False
        return lives

    # HackAtari's schedule: rules run before every frame and once more after the last one.

    def _run_scheduled(self) -> None:
        self.emulator.read()
        self.apply("frame", self._calls)
        self._calls += 1

    def _run_step_rules(self) -> None:
        self.apply("step", self.frame)

    def _end_scheduled_step(self) -> None:
        self._run_scheduled()
        if any(each.compiled.detects for each in self.active):
            self._run_scheduled()

    def info(self) -> dict:
        info = {
            "lives": self.lives, "frame": self.frame, "points": self.points,
            "executed_frames": tuple(self.frames),
            "variations": self._active_names,
        }  # fmt: skip
        if self.rewards:
            info["reward_parts"] = dict(self.rewards.parts)
        return info

    # For the laws and users

    def latent(self) -> np.ndarray:
        return self.emulator.buffer.copy()

    def sample(self, rng: np.random.Generator) -> int:
        return int(rng.integers(len(self.codes)))

    def render(self) -> np.ndarray:
        """The screen in colour, with the patches that observations have."""
        screen = self.emulator.ale.getScreenRGB()
        return self.eye.paint(screen) if self.eye.patched else screen

    def save(self) -> dict[str, Any]:
        """The whole state: emulator, rules' memory, streams, frame stack."""
        return {
            "emulator": self.emulator.save(), "eye": self.eye.save(), "levels": dict(self._levels),
            # Also those that are off now and may come on again.
            "begun": {at: v.save() for at, v in self._by_level.items() if v.episode is self._episode},
            "draws": {name: stream.save() for name, stream in self.draws.items()},
            "seed": self._seed,
            "counts": (self.frame, self.last, self.lives, tuple(self.frames), self._calls),
        }  # fmt: skip

    def restore(self, saved: dict[str, Any]) -> None:
        self.emulator.restore(saved["emulator"])
        self._levels, self._seed, self._episode = dict(saved["levels"]), saved["seed"], object()
        self.vary()
        for key, state in saved["begun"].items():
            each = self._variation_at(*key)
            each.restore(state)
            each.episode = self._episode
        for name, state in saved["draws"].items():
            self.draws[name].restore(state)
        self.eye.restore(saved["eye"])
        self.frame, self.last, self.lives, frames, self._calls = saved["counts"]
        self.frames, self._screen_is_true = list(frames), False
        self._frames_before = self.frame - self.emulator.frame_number()

    def close(self) -> None:
        """Does nothing: the emulator lives in this process and holds nothing open."""
