"""Plays a game on the terminal with the keys, and draws its picture in half blocks."""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable

import numpy as np

from assay.cli.play_screen import write
from assay.interop.workbench import Workbench

FRAMES_A_SECOND, FRAMES_A_DRAWING = 60, 4
HELD = 8  # frames for which a key counts: terminals tell of keys that go down, not of those that come up
KEYS = {"\033[A": "UP", "\033[B": "DOWN", "\033[C": "RIGHT", "\033[D": "LEFT", " ": "FIRE"}
LEAVING = ("q", "\r", "\n", "\x03", "\x04")
HOME = "\033[H"


def play_live(bench: Workbench, draw: Callable[[], list[str]]) -> None:
    """Plays in real time until a key leaves, or the episode is over."""
    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)
    held: dict[str, int] = {}  # action -> frames for which it still counts
    try:
        tty.setcbreak(stream)
        due = time.monotonic()
        write("\033[2J", end="")
        while not bench.over:
            for key in read_keys(stream):
                if key in LEAVING:
                    return
                if key in KEYS:
                    held[KEYS[key]] = HELD
            bench.play(FRAMES_A_DRAWING, action_of(bench, set(held)))
            held = {name: left - FRAMES_A_DRAWING for name, left in held.items() if left > FRAMES_A_DRAWING}
            write(
                HOME + "\033[K\n".join(draw()) + "\033[K\nlive: arrows and space; Enter comes back\033[K",
                end="",
            )
            due = max(due + FRAMES_A_DRAWING / FRAMES_A_SECOND, time.monotonic() - 0.1)
            time.sleep(max(due - time.monotonic(), 0))
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)


def read_keys(stream: int) -> list[str]:
    """The keys pressed since the last look."""
    if not select.select([stream], [], [], 0)[0]:
        return []
    text, keys = os.read(stream, 256).decode("ascii", "replace"), []
    while text:
        arrow = next((key for key in KEYS if text.startswith(key)), text[0])
        keys.append(arrow)
        text = text[len(arrow) :]
    return keys


def action_of(bench: Workbench, held: set[str]) -> str:
    """The action of the keys held, where the game has it; else of the last one that it has."""
    upright = "UP" if "UP" in held else "DOWN" if "DOWN" in held else ""
    across = "RIGHT" if "RIGHT" in held else "LEFT" if "LEFT" in held else ""
    fire = "FIRE" if "FIRE" in held else ""
    known = bench.host.get_action_meanings()
    if not {"UP", "DOWN"} & set(known):  # a paddle that goes up and down by the keys for right and left
        across, upright = across or {"UP": "RIGHT", "DOWN": "LEFT", "": ""}[upright], ""
    for name in (
        upright + across + fire,
        upright + across,
        across + fire,
        upright + fire,
        across,
        upright,
        fire,
    ):
        if name and name in known:
            return name
    return "NOOP"


def draw_picture(screen: np.ndarray, columns: int, lines: int) -> list[str]:
    """A picture in half blocks of 256 colours, no larger than that; each sign shows two pixels."""
    high, wide = screen.shape[:2]
    scale = max(wide / columns, high / (2 * lines))
    rows = (np.arange(int(high / scale) // 2 * 2) * scale).astype(int)
    places = (np.arange(int(wide / scale)) * scale).astype(int)
    numbers = colour_numbers(screen[np.minimum(rows, high - 1)][:, np.minimum(places, wide - 1)])
    drawn = []
    for upper, lower in zip(numbers[::2].tolist(), numbers[1::2].tolist()):
        line, last = "", None
        for pair in zip(upper, lower):
            line += "▀" if pair == last else f"\033[38;5;{pair[0]};48;5;{pair[1]}m▀"
            last = pair
        drawn.append(line + "\033[0m")
    return drawn


def colour_numbers(pixels: np.ndarray) -> np.ndarray:
    """The nearest colours of a terminal's cube of 6 x 6 x 6."""
    levels = np.clip((pixels.astype(int) - 35) // 40, 0, 5)
    return 16 + 36 * levels[..., 0] + 6 * levels[..., 1] + levels[..., 2]
