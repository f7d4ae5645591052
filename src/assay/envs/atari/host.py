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
from assay.envs.atari.frame_loops import run_all, run_hidden, run_merged, run_plain, run_rules
from assay.envs.atari.games import Game
from assay.envs.atari.hackatari import end_step, run_detecting
from assay.envs.atari.hiding import Hider
from assay.envs.atari.inspection import ConsoleInspection
from assay.envs.atari.masks import paint_masks
from assay.envs.atari.recorded_draws import draws_of_task, noise_seed
from assay.envs.atari.rewards import GAME, Rewards
from assay.envs.atari.rule_compiler import ACTIONS
from assay.envs.atari.rulefile import read_rules
from assay.envs.atari.screen import Eye
from assay.envs.atari.settings import Preprocessing, read_preprocessing
from assay.envs.atari.starts import Starts, let_settle, play_noops
from assay.envs.atari.stori import stori_clock

HOOKS = ("start", "before", "frame", "step", "action", "reward", "event")
BETWEEN_FRAMES = ("before", "action", "reward", "event")  # of these only the longest loop runs any


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
        self.eye = Eye(self.emulator, options, game)
        self.hackatari = settings.get("compat") == "hackatari"
        self.stori = settings.get("compat") == "stori"
        self.hider = Hider(self.emulator, self.eye, options.align)
        self.noise = settings.get("draws", "")
        chancy = [each.name for each in inside if game.variation_of(each.name)[0].chances]
        self.recorded = draws_of_task(self.noise, game, chancy)
        self.starts = Starts(settings["starts"], self) if settings.get("starts") else None
        rewards = settings.get("rewards", (GAME,))
        self.rewards = Rewards(rewards, game) if rewards != (GAME,) else None
        self.records = {record.name: record for record in inside}
        # One per level, so that memory outlasts a switch; of one with a chance, one for all levels.
        self._by_level: dict[tuple[str, Any], ActiveVariation] = {}
        self.active: tuple[ActiveVariation, ...] = ()  # those that are on
        self._added: tuple[ActiveVariation, ...] = ()  # by `add_rules`
        self._additions = 0  # how often it was called, so that a saved moment knows whose memory it holds
        self.draws = {name: Draws(name) for name in ("sticky", "noops", "frameskip", "starts")}
        self._levels = {record.name: record.level for record in inside}
        self._seed, self._episode = 0, object()  # the number of the rules' streams, and which episode it is
        self._resets, self._start = -1, b""  # the episode's number since the host was built; its first cells
        self._pass_frame: Callable[[Any], Any] | None = None
        self.notes: Notes | None = None  # of what variations do, once `watch_events` was called
        self.vary()
        self.env = self
        self.powers = Powers(
            self.save, self.restore, self.set_level, self.refuse, partial(ConsoleInspection, self),
            self.observation_labels, self.watch_events,
            self.act_on_frames if options.action_channels == "frame" else None, self.reset,
            stori_clock if self.stori else None,
        )  # fmt: skip
        self.action_space = spaces.Discrete(len(self.codes))
        space = self.eye.space
        self.observation_space = spaces.Box(space.low, space.high, space.shape, np.dtype(space.dtype))
        self.spaces = {
            "action": Discrete(len(self.codes)), "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": space,
        }  # fmt: skip
        self.frame, self.last, self.lives, self.calls, self.screen_is_true = 0, 0, 0, 0, False
        self.debt = 0.0  # what event rules add to the reward of the next frame
        self.frames_before = 0  # our count less the emulator's, which includes frames before the episode
        self.points = self.credited = 0.0  # what the game itself paid in the previous step, and what counts
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
        """Label -> row of a stack, or column with `channels=first`; empty for pictures."""
        if len(self.eye.single) > 1:
            return {}
        if self.preprocessing.observation == "ram":
            return dict(self.game.labels)
        return {name: i for i, name in enumerate(self.game.observed_names(self.preprocessing.observation))}

    # Variations

    def set_level(self, name: str, level: Any) -> None:
        """Switches a variation or sets its value; hooks of active variations run in the order of the text."""
        before = self._levels[name]
        if before == level:
            return
        self._levels[name] = level
        has_chance = bool(self.game.variation_of(name)[0].chances)
        if has_chance and self.records[name].neutral not in (before, level):
            self._variation_at(name, level)  # it is on and stays on, with its memory
        else:
            self.vary(begin=True)

    def vary(self, begin: bool = False) -> None:
        """Collects the active variations and their hooks, and picks the fastest loop that can run them."""
        before = self.active
        levels = [pair for pair in self._levels.items() if pair[1] != self.records[pair[0]].neutral]
        self.active = (*(self._variation_at(*pair) for pair in levels), *self._added)
        if begin:  # a variation that comes on in the middle of an episode begins there
            for each in self.active:
                if each not in before:
                    self._begin_late(each)
        self.hooks: dict[str, list[tuple[Callable, ActiveVariation]]] = {
            hook: [(self._hook(hook, each), each) for each in self.active if hook in each.compiled.hooks]
            for hook in HOOKS
        }
        self.eye.vary(self.active)
        if self.hider.drawing and not self.eye.hiding:
            self.hider.drawing, self.screen_is_true = None, False
        self._asks = any(self.records[name].asks for name, _ in levels)
        self._active_names = tuple(each.axis for each in self.active)
        self._keeps_lives = any(each.compiled.keeps_lives for each in self.active)
        self._chancy = tuple(each for each in self.active if each.compiled.has_chance)
        eye = self.eye
        hides_last = bool(eye.hiding) and not (eye.per_frame or self.hider.after or self.hooks["frame"])
        by_frame = (eye.hiding and (eye.two_frames or not hides_last)) or (eye.masking and eye.per_frame)
        by_object = eye.objects and (eye.looks_back or self.hooks["frame"] or self.hooks["step"])
        between = any(self.hooks[hook] for hook in BETWEEN_FRAMES)
        if self.hackatari or by_frame or by_object or between:
            loop = run_all
        elif self.hooks["frame"]:
            loop = run_rules
        else:
            loop = run_hidden if hides_last else run_merged if eye.two_frames else run_plain
        run = partial(loop, self)
        self._run = self.notes.begin_with(run, self.active) if self.notes else run
        self._after: list[Callable[[], None]] = [partial(end_step, self)] if self.hackatari else []
        if self.hooks["step"]:
            self._after.append(lambda: self.apply("step", self.frame))

    def _hook(self, hook: str, each: ActiveVariation) -> Callable:
        function = each.compiled.hooks[hook]
        return self.notes.note_hook(hook, function, each.axis) if self.notes else function

    def watch_events(self) -> Callable[[], Mapping[str, EventReport]]:
        """Notes from now on what variations do; the function returned reports on the previous step."""
        self.notes = Notes()
        self.eye.note_paint = self.notes.note_paint
        self.vary()
        return partial(self.notes.report, self)

    def add_rules(self, rules: str, source: str = "added.yaml", instead: bool = False) -> None:
        """Adds the variations in a rule file's text, after the others; or `instead` of those added before."""
        file = read_rules(rules, source)
        every = file.variations.values()
        added = [ActiveVariation(compile_variation(each, True, file.cells), each.name) for each in every]
        self._added = (*(() if instead else self._added), *added)
        self._additions += 1
        self.vary(begin=instead)

    def _begin_late(self, each: ActiveVariation) -> None:
        self._renew(each)
        # STORI takes the cells at the moment of the switch for those of the start.
        each.begin(self.emulator.ram, self.emulator.buffer.tobytes() if self.stori else self._start)

    def _renew(self, each: ActiveVariation) -> None:
        """Begins its stream once an episode: a variation that comes on again continues its draws."""
        if each.episode is not self._episode:
            seed = noise_seed(self._seed, self.noise) if each.compiled.has_chance else self._seed
            each.renew(seed, self._resets)
            each.episode = self._episode

    def _variation_at(self, name: str, level: Any) -> ActiveVariation:
        variation, _ = self.game.variation_of(name)
        key = (name, None if variation.chances else level)
        if key not in self._by_level:
            per_frame = self.preprocessing.granularity == "frame"
            recorded = self.recorded.get(variation.name) if variation.chances else None
            self._by_level[key] = self.game.activate(
                name, level, self.stori, per_frame=per_frame, recorded=recorded
            )
        if variation.chances and level is not None:
            self._by_level[key].draws.level = level
        return self._by_level[key]

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

    def reset(self, seed: int, noise: int | None = None) -> tuple[np.ndarray, dict]:
        self._seed, self._episode = seed if noise is None else noise, object()
        self.debt = 0.0
        self._resets += 1
        for stream in self.draws.values():
            stream.renew(seed)
        for each in self.active:
            self._renew(each)
        if self.stori:
            self.emulator.restart()
        else:
            self.emulator.reset()
        self.frame, self.last, self.frames, self.calls, self.points, self.credited = 0, 0, [], 0, 0.0, 0.0
        if self.starts is None:
            play_noops(self)
        else:
            self.starts.begin(self)
        let_settle(self)
        self.frames_before = -self.emulator.frame_number()
        self.lives = self.emulator.lives()
        self._start = self.emulator.buffer.tobytes()
        for each in self.active:
            each.begin(self.emulator.ram, self._start)
        self._begin_draws()
        self.eye.decide()
        if self.hackatari:  # HackAtari shows its first picture before any rule has run
            observation = self._observe_first()
            self.apply("start", 0)
            run_detecting(self)
            return observation, self.info()
        self.apply("start", 0)
        self.apply("frame", 0)
        return self._observe_first(), self.info()

    def _observe_first(self) -> np.ndarray:
        """The first observation: a frame is played so that the screen shows the rules, and then undone.

        Plain games do the same, because plain and varied episodes are compared.
        """
        emulator, eye = self.emulator, self.eye
        eye.held = eye.last = self.hider.drawing = None
        eye.old, eye.drawn = emulator.buffer.tobytes(), b""
        if eye.hidden_now:
            self.hider.draw(0, 0)
        if eye.held or (self.stori and not self.starts):  # STORI shows the true first screen
            self.screen_is_true = not eye.held
            return eye.begin()
        now, saved = emulator.buffer.copy(), emulator.save()
        emulator.act(0)
        emulator.buffer[:] = now
        observation = eye.begin()
        emulator.restore(saved)
        self.screen_is_true = False
        return observation

    def _begin_draws(self) -> None:
        for each in self._chancy:
            each.draws.begin_step()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        options, emulator = self.preprocessing, self.emulator
        before = self.rewards.moment_before(self) if self.rewards else None
        self.frames = self.intended = intended = self._plan_frames(action)
        if self._chancy:
            self._begin_draws()
            if not self.eye.per_frame:
                self.eye.decide()
        debt, self.debt = self.debt, 0.0
        points, paid, ended, undone = self._run(intended)
        paid += debt
        self.credited = paid if self._asks else points - undone + debt
        emulator.read_into(emulator.buffer)
        self.points, self.last, self.screen_is_true = points, intended[-1], True
        for follow in self._after:
            follow()
        if before and self.rewards:
            paid = self.rewards.pay(self, before, action, paid)
        observation = self.eye.see()
        lives = self.lives if self._keeps_lives else emulator.lives()
        terminated = ended
        if lives != self.lives:
            if lives < self.lives and not ended:
                lives = self._lives_after_rules() if self.active else lives
                terminated = options.life_loss and lives < self.lives
            self.lives = lives
        truncated = not terminated and self.frame >= options.max_frames
        return observation, paid, terminated, truncated, self.info()

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
        self.screen_is_true = False
        return lives

    def info(self) -> dict:
        info = {
            "lives": self.lives, "frame": self.frame, "points": self.points, "credited": self.credited,
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
        """The screen in colour, with the patches, masks and hidden cells that observations have."""
        drawing, eye, fetch = self.hider.drawing, self.eye, self.emulator.ale.getScreenRGB
        screen = self.hider.draw_again(drawing, fetch) if drawing else fetch()
        screen = eye.paint(screen) if eye.patched else screen
        for each in eye.masked_now:
            paint_masks(screen, each.compiled.masks, "rgb")
        return screen

    def save(self) -> dict[str, Any]:
        """The whole state: emulator, rules' memory, streams, frame stack."""
        return {
            "emulator": self.emulator.save(), "eye": self.eye.save(), "levels": dict(self._levels),
            # Also those that are off now and may come on again.
            "begun": {at: v.save() for at, v in self._by_level.items() if v.episode is self._episode},
            "added": (self._additions, [each.save() for each in self._added]),
            "draws": {name: stream.save() for name, stream in self.draws.items()},
            "seed": self._seed, "start": (self._resets, self._start, self.debt),
            "counts": (self.frame, self.last, self.lives, tuple(self.frames), self.calls),
        }  # fmt: skip

    def restore(self, saved: dict[str, Any]) -> None:
        self.emulator.restore(saved["emulator"])
        self._levels, self._seed, self._episode = dict(saved["levels"]), saved["seed"], object()
        self._resets, self._start, self.debt = saved["start"]
        self.vary()
        for key, state in saved["begun"].items():
            each = self._variation_at(*key)
            each.restore(state)
            each.episode = self._episode
        additions, states = saved["added"]
        for number, each in enumerate(self._added):
            self._begin_late(each)  # rules that were added after the moment was saved begin in it
            if additions == self._additions:
                each.restore(states[number])
        for name, state in saved["draws"].items():
            self.draws[name].restore(state)
        self.eye.restore(saved["eye"])
        self.frame, self.last, self.lives, frames, self.calls = saved["counts"]
        self.frames, self.screen_is_true, self.hider.drawing = list(frames), False, None
        self.frames_before = self.frame - self.emulator.frame_number()

    def close(self) -> None:
        """Does nothing: the emulator lives in this process and holds nothing open."""
