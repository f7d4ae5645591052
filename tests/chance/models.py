"""Small models that several tests share."""

import numpy as np

from assay.chance.model import Model


def tiger(horizon):
    """A tiger behind one of two doors. Listening (0) costs 1 and hears the right door in 85 of 100 cases.

    Opening the tiger's door (1 left, 2 right) costs 100, the other pays 10; then the tiger is placed anew and
    nothing is heard. States: the tiger is left or right, just heard of (0, 1) or placed anew (2, 3).
    """
    transitions = np.zeros((3, 4, 4))
    for state in range(4):
        transitions[0, state, state % 2] = 1
        transitions[1:, state, 2:] = 0.5
    left, right = [1, 0, 1, 0], [0, 1, 0, 1]
    rewards = np.array(
        [[-1] * 4, np.array(left) * -110 + 10, np.array(right) * -110 + 10],
        float,
    )
    seen = np.array([[0.85, 0.15], [0.15, 0.85], [0.5, 0.5], [0.5, 0.5]])
    start = np.array([0, 0, 0.5, 0.5])
    return Model(transitions, rewards, seen, start, np.zeros(4, bool), horizon, sees_start=False)


def random_model(seed, states=4, actions=2, observations=2, horizon=4, ends=1, sees_start=True):
    rng = np.random.default_rng(seed)
    terminal = np.arange(states) >= states - ends
    start = np.where(terminal, 0.0, rng.random(states))
    return Model(
        rng.dirichlet(np.full(states, 0.5), size=(actions, states)),
        rng.normal(size=(actions, states, states)),
        rng.dirichlet(np.full(observations, 0.5), size=states),
        start / start.sum(),
        terminal,
        horizon,
        sees_start=sees_start,
    )


def ring(states, noise, horizon=None, look=1):
    """A walk on a ring: action 0 stays, 1 goes on; with chance `noise` the other is done.

    `look` neighbours look alike.
    """
    stay, go = np.eye(states), np.roll(np.eye(states), 1, axis=1)
    transitions = np.stack([(1 - noise) * stay + noise * go, (1 - noise) * go + noise * stay])
    seen = (np.arange(states)[:, None] // look == np.arange(-(-states // look))).astype(float)
    paid = np.zeros((2, states, states))
    paid[:, :, 0] = 1.0
    return Model(transitions, paid, seen, np.full(states, 1 / states), np.zeros(states, bool), horizon)
