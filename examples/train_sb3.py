"""Somebody else's agent: Stable-Baselines3's PPO trains on CartPole as it is, and meets it varied.

Nothing but Gymnasium stands between the two: `assay.make` returns a gymnasium.Env.
"""

import sys

import numpy as np

import assay

TRAIN = "gym/CartPole-v1"
EVALUATE = (
    TRAIN,
    f"{TRAIN}+action.sticky=0.25",
    f"{TRAIN}+observation.delay=2",
    f"{TRAIN}+observation.noise=0.1",
)
STEPS, EPISODES = 8_192, 5


def mean_score(agent, task: str) -> float:
    """Mean score of whole episodes, which begin alike in every task: same seed, same episode, same start."""
    env = assay.make(task)
    scores = []
    for episode in range(EPISODES):
        observation, _ = env.reset(seed=1 if episode == 0 else None)
        score, over = 0.0, False
        while not over:
            action, _ = agent.predict(observation, deterministic=True)
            observation, _, terminated, truncated, info = env.step(action)
            score, over = score + info["score"], terminated or truncated
        scores.append(score)
    return float(np.mean(scores))


def main() -> None:
    try:
        import torch
        from stable_baselines3 import PPO
    except ImportError:
        sys.exit("this example needs two more packages: pip install torch stable-baselines3")
    torch.set_num_threads(1)  # a network this small is quicker on one
    settings = {"n_steps": 1024, "n_epochs": 5, "learning_rate": 1e-3, "seed": 0, "device": "cpu"}
    agent = PPO("MlpPolicy", assay.make(TRAIN), **settings)
    agent.learn(STEPS)
    print(f"PPO, {STEPS:,} steps on {TRAIN}; mean score of {EPISODES} episodes")
    for task in EVALUATE:
        print(f"  {mean_score(agent, task):6.1f}  {task}")


if __name__ == "__main__":
    main()
