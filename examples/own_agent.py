"""An agent of one's own, no framework asked for: a function of one observation that returns an action.

This one holds CartPole's pole by hand. From this folder:

    assay examine own_agent:act gym/CartPole-v1
"""

import assay

TASK = "gym/CartPole-v1"
VARIED = (
    TASK,
    f"{TASK}+action.delay=2",
    f"{TASK}+action.delay=4",
    f"{TASK}+observation.noise=0.1",
    f"{TASK}+observation.noise=0.3",
)
EPISODES = 10


def act(observation):
    """Push the cart under the pole: towards the side to which the pole is about to fall."""
    _, _, angle, turning = observation
    return int(angle + 0.3 * turning > 0)


def main() -> None:
    print(f"A hand-written controller; mean score of the same {EPISODES} episodes, plain and varied")
    for task in VARIED:
        played = assay.play(act, assay.make(task), "own_agent:act", seed=0, episodes=EPISODES)
        print(f"  {sum(episode.score for episode in played) / EPISODES:6.1f}  {task}")


if __name__ == "__main__":
    main()
