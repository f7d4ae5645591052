"""Agents that kill their workers or hang, by seed; tests copy this file to where they work."""

import os
import signal
import time
from pathlib import Path


def train(env, seed, steps):
    """Seed 0 kills its worker whenever it is tried, seed 1 once; seed 2 hangs; others are like any other."""
    if seed == 0 or (seed == 1 and not Path("killed").exists()):
        Path("killed" if seed else "tried").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if seed == 2:
        time.sleep(600)
    return lambda observation: 0


def leaves(env, seed, steps):
    os._exit(0)
