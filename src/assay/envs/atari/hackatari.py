"""The schedule of `compat=hackatari`: when HackAtari runs the rules of a game.

They run before every frame and once more after the last one; those that HackAtari hooks to its detection of
objects run another time after that, and on reset. Rules that count frames count these runs instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.envs.atari.host import AtariHost


def run_scheduled(host: AtariHost) -> None:
    host.emulator.read()
    host.apply("frame", host.calls)
    host.calls += 1


def run_detecting(host: AtariHost) -> None:
    """The rules that come after the detection of objects."""
    emulator = host.emulator
    detecting = [pair for pair in host.hooks["frame"] if pair[1].compiled.detects]
    for function, each in detecting:
        emulator.read()
        function(emulator.ram, emulator.put, each.memory, each.draws, host.calls, 0, 0)
    host.calls += bool(detecting)
    emulator.read()


def end_step(host: AtariHost) -> None:
    run_scheduled(host)
    run_detecting(host)
