"""The emulator, one frame at a time. No other file imports ale_py, which is an optional extra (GPL-2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np

from assay.errors import NotApplicable, WrongLevel

try:
    import ale_py
except ImportError:  # the extra is not installed; `require_installed` says so when a game is built
    ale_py = None  # type: ignore[assignment]  # every use comes after `require_installed`


Shown = TypeVar("Shown")
# Of a serialized state: where the length of the console's part stands, the section with the generator of
# chance, and the generator's numbers.
CONSOLE, GENERATOR, WORDS = 24, b"System", 624
TRIED = 20  # frames within which a game that cannot be restored differs; the known ones do in the first


class Emulator:
    """One console with one game in it. Its own randomness is never used: all draws are ours."""

    def __init__(self, rom: str, name: str, mode: int | None = None, difficulty: int | None = None):
        require_installed(name)
        path = require_supported(rom, name)
        self.ale = ale_py.ALEInterface()
        self.ale.setInt("random_seed", 0)
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.setInt("frame_skip", 1)
        self.ale.loadROM(path)
        self.select("mode", mode, self.ale.getAvailableModes, self.ale.setMode, name)
        self.select("difficulty", difficulty, self.ale.getAvailableDifficulties, self.ale.setDifficulty, name)
        self.buffer = np.zeros(128, "uint8")
        self.ram = memoryview(self.buffer.data)  # reading gives plain numbers, at half the cost of an array's
        self.shape = tuple(self.ale.getScreenDims())
        self.act, self.over, self.lives = self.ale.act, self.ale.game_over, self.ale.lives
        self.put_unwatched: Callable[[int, int], None] = self.ale.setRAM
        self.put: Callable[[int, int], None] = self.put_unwatched  # the way in which rules write a cell
        self.written: set[int] = set()  # cells that rules wrote since `watch`
        self.changed: set[int] = set()  # those among them whose value changed
        self.read_into, self.frame_number = self.ale.getRAM, self.ale.getEpisodeFrameNumber
        self._began: Any = None
        self._may_lighten = self._is_light = False

    def select(
        self, setting: str, value: int | None, available: Callable[[], Any], apply: Callable, name: str
    ) -> None:
        """Sets the mode or the difficulty, where the task names one."""
        if value is None:
            return
        known = [int(each) for each in available()]
        if value not in known:
            raise unknown_choice(name, setting, known, value)
        apply(value)

    def actions(self, full: bool) -> list[int]:
        """The console's actions by their numbers: those that have an effect in this game, or all 18."""
        actions = self.ale.getLegalActionSet() if full else self.ale.getMinimalActionSet()
        return [each.value for each in actions]

    def reset(self) -> None:
        """Puts the game at its start, the same every time.

        In some games a second `reset_game` leads to another start than the first, so the first start is
        saved and restored. The few games that do not continue from there as before are reset instead.
        """
        if self._began is None:
            self.ale.reset_game()
            self._began = self.ale.cloneState()
            self._exact = continues_alike(self.ale, self._began)
            if not self._exact:
                self.ale.reset_game()
        elif self._exact:
            self.ale.restoreState(self._began)
        else:
            self.ale.reset_game()
        self._may_lighten, self._is_light = self._exact, False
        self.read()

    def restart(self) -> None:
        """Resets the game as the emulator does it; unlike after `reset`, its screen shows the start."""
        self.ale.reset_game()
        if self._began is None:
            self._began, self._exact = self.ale.cloneState(), True
        self._may_lighten = self._is_light = False
        self.read()

    def watch(self) -> None:
        """Notes from now on which cells rules write and change; this makes every write slower."""
        self.written, self.changed = set(), set()
        self.put = self._put_watched

    def _put_watched(self, cell: int, value: int) -> None:
        self.written.add(cell)
        if self.ram[cell] != value:
            self.changed.add(cell)
        self.put_unwatched(cell, value)

    def read(self) -> None:
        self.read_into(self.buffer)

    def save(self) -> Any:
        """The whole state; at the start of a game that cannot be restored exactly, only its cells."""
        at_start = self.frame_number() == 0
        return self.ale.getRAM().tobytes() if at_start and not self._exact else self.ale.cloneState()

    def restore(self, state: Any) -> None:
        """Restores a saved state; the screen shows it after the next frame."""
        if isinstance(state, bytes):
            self.ale.reset_game()
            for cell, value in enumerate(state):
                self.ale.setRAM(cell, value)
        else:
            if self.frame_number() == 0:
                self.act(0)  # a few games take no state before their first frame: they go on from the start
            self.ale.restoreState(state)
        self._is_light = False
        self.read()

    def save_light(self) -> Any:
        """`save`, in an episode that it makes cheap to save and to restore.

        Nearly all of a state is the text of a generator of chance, which the console uses only when it is
        switched on. An episode that began from a saved start goes on with zeros for a generator.
        """
        if self._may_lighten and not self._is_light and self.frame_number():
            self.ale.restoreState(ale_py.ALEState(without_generator(self.ale.cloneState().serialize())))
            self._is_light = True
        return self.save()

    def draw_edited(
        self, state: Any, edits: Mapping[int, int], code: int, capture: Callable[[], Shown]
    ) -> Shown:
        """What `capture` takes of the frame after the present `state` with cells edited; it is undone again.

        The buffer keeps its cells, which are not read again.
        """
        for cell, value in edits.items():
            self.put_unwatched(cell, value)
        self.act(code)
        shown = capture()
        if isinstance(state, bytes):
            self.restore(state)
        else:  # not `restore`: it cares for consoles before their first frame, and reads cells that are known
            self.ale.restoreState(state)
        return shown

    def state_bytes(self) -> bytes:
        """The state as bytes, for a file."""
        return self.ale.cloneState().serialize()

    def state_from_bytes(self, data: bytes) -> Any:
        return ale_py.ALEState(data)


def without_generator(state: bytes) -> bytes:
    """A serialized state with zeros for the console's generator of chance; unknown forms stay unchanged."""
    section = state.find(GENERATOR)
    before = section + len(GENERATOR) + 4  # a counter comes first
    length = number_at(state, before)
    words = state[before + 4 : before + 4 + length].split(b" ")
    if section < 0 or len(words) != WORDS + 1 or not all(map(bytes.isdigit, words)):
        return state
    zeros = b" ".join([b"0"] * WORDS + words[WORDS:])  # the last one is its place among the others
    console = number_at(state, CONSOLE) - length + len(zeros)
    return b"".join((
        state[:CONSOLE], console.to_bytes(4, "little"), state[CONSOLE + 4 : before],
        len(zeros).to_bytes(4, "little"), zeros, state[before + 4 + length :],
    ))  # fmt: skip


def number_at(state: bytes, place: int) -> int:
    """The length that a serialized state holds there."""
    return int.from_bytes(state[place : place + 4], "little")


def unknown_choice(name: str, setting: str, known: Sequence[int], value: Any) -> WrongLevel:
    """The error for a mode or a difficulty that a game does not have."""
    return WrongLevel(f"{setting} of {name} takes one of {', '.join(map(str, known))}, not {value}.")


def continues_alike(ale: Any, state: Any) -> bool:
    """Whether a game that is restored to `state`, its present state, continues as it does without that."""

    def play() -> list[bytes]:
        memories = []
        for _ in range(TRIED):
            ale.act(0)
            memories.append(ale.getRAM().tobytes())
        return memories

    first = play()
    ale.restoreState(state)
    alike = play() == first
    ale.restoreState(state)
    return alike


def require_installed(name: str) -> None:
    if ale_py is None:
        raise NotApplicable(
            f"{name} needs the emulator; `pip install 'rl-assay[atari]'` installs it with its games."
        )


@cache
def silence_greeting() -> None:
    """Stops the greeting that the emulator prints whenever a game is loaded; its errors are still printed."""
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


def require_supported(rom: str, name: str) -> str:
    """The path of a game's ROM, or NotApplicable: loading an unsupported ROM can end the process."""
    silence_greeting()
    path = str(ale_py.roms.get_rom_path(rom) or "")
    if not path or not ale_py.ALEInterface.isSupportedROM(path):
        raise NotApplicable(
            f"the emulator does not support the ROM of {name}; `assay list atari` names the supported games."
        )
    return path
