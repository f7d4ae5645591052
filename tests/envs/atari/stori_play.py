"""Play that reaches the events of STORI's modes, for the tests of several files."""

import numpy as np

import assay


def host_of(env):
    return env.unwrapped.inner.host


def follow_ball(ram, step, rng):
    """Breakout: serves, and keeps the paddle under the ball."""
    if ram[101] == 0:
        return 1
    return 2 if ram[99] > ram[72] + 8 + rng.integers(-4, 5) else 3


def column_x(cell, bit):
    """Gopher: the left edge of a bit of the ground on the screen."""
    column = cell % 6
    left = (0, 16, 48, 80, 96, 128)[column]
    if column in (1, 4):
        return left + 4 * (7 - bit)
    return left + 4 * (bit if column in (2, 5) else bit - 4)


def fill_holes(ram, step, rng):
    """Gopher: walks to the nearest hole of the upper row and taps the button."""
    holes = [column_x(cell, bit) for cell in range(6) for bit in range(8) if ram[cell] >> bit & 1]
    if not holes or rng.random() > 0.9:
        return int(rng.integers(8))
    nearest = min(holes, key=lambda x: abs(x - ram[31]))
    return 3 if nearest > ram[31] + 4 else 4 if nearest < ram[31] - 4 else step % 2


def play(task, steps, choose=None, seed=0):
    """The rewards, memories, observations and reports of a run; `choose` takes memory, step and generator."""
    env, rng = assay.make(f"{task}+sticky=0", events=True), np.random.default_rng(0)
    seen = [env.reset(seed=seed)[0]]
    rewards, memories, events = [], [], []
    for step in range(steps):
        ram = host_of(env).emulator.buffer.tolist()
        action = choose(ram, step, rng) if choose else int(rng.integers(env.action_space.n))
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append(observation), rewards.append(reward), events.append(info["events"])
        memories.append(host_of(env).emulator.buffer.copy())
        if terminated or truncated:
            seen.append(env.reset()[0])
    return np.array(rewards), np.array(memories), seen, events
