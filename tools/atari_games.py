"""Writes the table of games that the emulator supports: `python -m tools.atari_games`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import ale_py

from assay.envs.atari.games import TABLE

HEAD = (
    "# Every game of ale-py 0.12.1: its ROM, modes and difficulties, those it starts in, "
    "how many actions matter, whether the\n"
    "# button alone is one of them, the most lives it counts early on, and the rows of its picture.\n"
    "# Written by `python -m tools.atari_games`; a test compares it with the emulator.\n"
)


def row(rom: str) -> str:
    ale = ale_py.ALEInterface()
    ale.loadROM(str(ale_py.roms.get_rom_path(rom)))
    ale.reset_game()
    began, actions = ale.cloneState(), ale.getMinimalActionSet()
    name = "".join(word.capitalize() for word in rom.split("_"))
    return (
        f"{name}: {{rom: {rom}, modes: {playable_modes(rom)}, "
        f"difficulties: {list(ale.getAvailableDifficulties())}, mode: {began.getCurrentMode()}, "
        f"difficulty: {began.getDifficulty()}, actions: {len(actions)}, "
        f"fire: {'true' if ale_py.Action.FIRE in actions else 'false'}, lives: {most_lives(ale)}, "
        f"rows: {ale.getScreenDims()[0]}}}"
    )


def playable_modes(rom: str) -> list[int]:
    """Those in which the emulator does not end the game at once, as in three of DemonAttack's four."""
    ale = ale_py.ALEInterface()
    ale.loadROM(str(ale_py.roms.get_rom_path(rom)))
    found = []
    for mode in ale.getAvailableModes():
        ale.setMode(mode)
        ale.reset_game()
        for _ in range(60):
            ale.act(0)
        if not ale.game_over():
            found.append(int(mode))
    return found


def most_lives(ale: ale_py.ALEInterface) -> int:
    """In the first thousand frames: some games count theirs only once they have begun."""
    actions, most = ale.getMinimalActionSet(), ale.lives()
    for frame in range(1000):
        ale.act(actions[frame // 10 % len(actions)])
        most = max(most, ale.lives())
    return most


def main() -> None:
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    roms = sorted(ale_py.roms.get_all_rom_ids())
    # Asked before it is loaded: a few unsupported ROMs end the process.
    known = [rom for rom in roms if ale_py.ALEInterface.isSupportedROM(str(ale_py.roms.get_rom_path(rom)))]
    path = Path(str(files("assay.envs.atari"))) / "variations" / TABLE
    path.write_text(HEAD + "\n".join(map(row, known)) + "\n")
    print(f"{path.name}: {len(known)} games")


if __name__ == "__main__":
    main()
