"""The real emulator, one frame at a time. The only file that imports ale_py, which is an extra (GPL-2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from assay.errors import NotApplicable, WrongLevel

try:
    import ale_py
except ImportError:  # the extra is not installed: said when a game is asked for
    ale_py = None  # type: ignore[assignment]  # asked for before any use


TRIED = 20  # frames in which a game that cannot be put back shows it; those known do in the first


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
        self.set("mode", mode, self.ale.getAvailableModes, self.ale.setMode, name)
        self.set("difficulty", difficulty, self.ale.getAvailableDifficulties, self.ale.setDifficulty, name)
        self.buffer = np.zeros(128, "uint8")
        self.ram = memoryview(self.buffer.data)  # plain numbers when read, at half the cost of an array's
        self.shape = tuple(self.ale.getScreenDims())
        self.act, self.over, self.lives = self.ale.act, self.ale.game_over, self.ale.lives
        self.put_unwatched: Callable[[int, int], None] = self.ale.setRAM
        self.put: Callable[[int, int], None] = self.put_unwatched  # how rules write a cell
        self.written: set[int] = set()  # by rules, since `watch`
        self.changed: set[int] = set()
        self.read_into, self.frame_number = self.ale.getRAM, self.ale.getEpisodeFrameNumber
        self._began: Any = None

    def set(self, what: str, value: int | None, available: Any, put: Any, name: str) -> None:
        if value is None:
            return
        known = [int(each) for each in available()]
        if value not in known:
            raise not_there(name, what, known, value)
        put(value)

    def actions(self, full: bool) -> list[int]:
        """The console's actions by their number, those that matter in this game or all 18."""
        found = self.ale.getLegalActionSet() if full else self.ale.getMinimalActionSet()
        return [each.value for each in found]

    def reset(self) -> None:
        """The start of the game, the same every time.

        A second `reset_game` starts some games otherwise than the first one did, so the first start is put
        back; the few games that do not go on from there as they did are reset instead.
        """
        if self._began is None:
            self.ale.reset_game()
            self._began = self.ale.cloneState()
            self._exact = goes_on_alike(self.ale, self._began)
            if not self._exact:
                self.ale.reset_game()
        elif self._exact:
            self.ale.restoreState(self._began)
        else:
            self.ale.reset_game()
        self.read()

    def watch(self) -> None:
        """From now on notes the cells that rules write and those that they change; each costs a call."""
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
        """The whole state; at the start of a game that cannot be put back exactly, its cells alone."""
        at_start = self.frame_number() == 0
        return self.ale.getRAM().tobytes() if at_start and not self._exact else self.ale.cloneState()

    def restore(self, state: Any) -> None:
        """Puts a saved state back; the screen follows with the next frame."""
        if isinstance(state, bytes):
            self.ale.reset_game()
            for cell, value in enumerate(state):
                self.ale.setRAM(cell, value)
        else:
            self.ale.restoreState(state)
        self.read()

    def packed(self) -> bytes:
        """The state as bytes, for a file."""
        return self.ale.cloneState().serialize()

    def unpacked(self, data: bytes) -> Any:
        return ale_py.ALEState(data)


def not_there(name: str, what: str, known: Sequence[int], value: Any) -> WrongLevel:
    """A mode or a difficulty that a game does not have."""
    return WrongLevel(f"{name} has the {what} {', '.join(map(str, known))}, not {value}.")


def goes_on_alike(ale: Any, state: Any) -> bool:
    """Whether a game put back to `state`, where it stands now, goes on as it does without that."""

    def played() -> list[bytes]:
        found = []
        for _ in range(TRIED):
            ale.act(0)
            found.append(ale.getRAM().tobytes())
        return found

    first = played()
    ale.restoreState(state)
    alike = played() == first
    ale.restoreState(state)
    return alike


def require_installed(name: str) -> None:
    if ale_py is None:
        raise NotApplicable(
            f"{name} needs the emulator; `pip install 'rl-assay[atari]'` brings it with its games."
        )


@cache
def quiet() -> None:
    """The emulator greets on standard error when a game is loaded; errors are still said."""
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


def require_supported(rom: str, name: str) -> str:
    """The path of a game's ROM, or NotApplicable: some end the process when they are loaded, so ask first."""
    quiet()
    path = str(ale_py.roms.get_rom_path(rom) or "")
    if not path or not ale_py.ALEInterface.isSupportedROM(path):
        raise NotApplicable(
            f"the emulator does not support the ROM of {name}; `assay list atari` names those it does."
        )
    return path
