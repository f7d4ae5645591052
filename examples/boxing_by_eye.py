"""A scripted boxer for `hackatari/boxing` and for the controls of Boxing: it walks up and punches.

    cd examples && assay run hackatari/boxing --agent boxing_by_eye:Boxer

It sees what these suites show, four gray pictures of 84 x 84, and tells the fighters by their shades: its
own is the brightest thing in the ring, the opponent the darkest. A control only restates these shades, so its
score must stay; `color_player_red` changes one of them, and it loses sight of itself.
"""

import numpy as np

RING = slice(14, 70), slice(17, 67)  # rows and columns inside the ropes
OURS, THEIRS = 190, 25  # shades: at least, at most
NOOP, FIRE, UP, RIGHT, LEFT, DOWN = range(6)
DIAGONAL = {(UP, RIGHT): 6, (UP, LEFT): 7, (DOWN, RIGHT): 8, (DOWN, LEFT): 9}
PUNCH = 8  # beside a move: its number and this
REACH, LEVEL, NEAR = 16, 3, 4  # pixels: across, down, and how much farther punches begin


class Boxer:
    """Punches at every other step while it is near, since a button that stays down does not punch again."""

    def reset(self):
        self.steps = 0

    def act(self, observation):
        self.steps += 1
        picture = np.asarray(observation)[..., -1][RING]
        ours, theirs = np.argwhere(picture >= OURS), np.argwhere(picture <= THEIRS)
        if not len(ours) or not len(theirs):
            return NOOP
        down, across = theirs.mean(axis=0) - ours.mean(axis=0)
        moves = []
        if abs(down) > LEVEL:
            moves.append(DOWN if down > 0 else UP)
        if abs(across) > REACH:
            moves.append(RIGHT if across > 0 else LEFT)
        move = DIAGONAL.get(tuple(moves), moves[0] if moves else NOOP)
        near = abs(across) < REACH + NEAR and abs(down) < LEVEL + NEAR
        if not near or self.steps % 2:
            return move
        return move + PUNCH if move else FIRE


if __name__ == "__main__":
    import assay

    env, boxer = assay.make("atari/Boxing+preset=paper+action.random=0.001"), Boxer()
    boxer.reset()
    observation, _ = env.reset(seed=0)
    score, over = 0.0, False
    while not over:
        observation, reward, terminated, truncated, _ = env.step(boxer.act(observation))
        score, over = score + float(reward), terminated or truncated
    print(f"one match: {score:+.0f} points")
