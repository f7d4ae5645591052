"""An agent of a user's own for the tests: Q-learning on a dictionary, and ways to break it."""

OWN_LEARNER = """
import numpy as np

DISCOUNT = 0.99


def learn(env, seed, steps, through_ends=False, cuts_end=False, signs=False):
    rng, q = np.random.default_rng(seed), {}
    row = lambda seen: q.setdefault(seen.tobytes(), np.zeros(2))
    seen, _ = env.reset(seed=seed)
    for step in range(steps):
        explores = rng.random() < 1 - step / steps
        action = int(rng.integers(2) if explores else row(seen).argmax())
        after, paid, terminated, truncated, _ = env.step(action)
        paid = np.sign(paid) if signs else paid
        ends = (terminated and not through_ends) or (truncated and cuts_end)
        wanted = paid + (0 if ends else DISCOUNT * row(after).max())
        row(seen)[action] += 0.2 * (wanted - row(seen)[action])
        seen = env.reset()[0] if terminated or truncated else after
    return lambda observation: int(row(observation).argmax())


def train(env, seed, steps):
    return learn(env, seed, steps)


def through_ends(env, seed, steps):
    return learn(env, seed, steps, through_ends=True)


def cuts_end(env, seed, steps):
    return learn(env, seed, steps, cuts_end=True)


def signs(env, seed, steps):
    return learn(env, seed, steps, signs=True)


def first_action(env, seed, steps):
    return lambda observation: 0


def counts(env, seed, steps):
    act, total = learn(env, seed, steps), [np.zeros(env.observation_space.shape), 0]

    def act_and_count(observation):
        total[0] += observation
        total[1] += 1
        far = np.abs(total[0] / total[1]).mean() > 1
        return 1 if far else act(observation)

    return act_and_count


def raises(env, seed, steps):
    env.reset(seed=seed)
    raise RuntimeError("nan loss")


def raises_later(env, seed, steps):
    if env.unwrapped._table.limit < 100:
        raise RuntimeError("nan loss")
    return learn(env, seed, steps)


def not_a_number(env, seed, steps):
    return lambda observation: float("nan")


def wrong_signature(environment, steps):
    return None


def act(observation):
    return 0
"""
