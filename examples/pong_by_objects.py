"""Plays Pong from the list of its objects: a function of fifteen numbers in the last two frames.

    cd examples && assay run hackatari/pong --agent pong_by_objects:act --with observation=objects

It goes to where the ball will cross the column of its paddle. Of 21 points it wins most.
"""

STAY, UP, DOWN = 0, 2, 3
THERE, X, Y, HEIGHT = 0, 1, 2, 4  # of each object's five numbers
PLAYER, BALL = 0, 10  # where theirs begin
TOP, BOTTOM, COLUMN = 34, 190, 140  # of the court; the paddle's column
MIDDLE = 112  # where it waits
EDGE = 4  # rows from the ball's path to the paddle's middle: a ball off the edge flies faster
CLOSE = 5  # rows within which it stays where it is


def act(observation):
    before, now = observation[:, 0].astype(int), observation[:, 1].astype(int)
    goal = goal_of(before, now)
    middle = now[PLAYER + Y] + now[PLAYER + HEIGHT] / 2 - 2
    if before[PLAYER + THERE]:  # the paddle slides on
        middle += now[PLAYER + Y] - before[PLAYER + Y]
    return STAY if abs(goal - middle) < CLOSE else UP if goal < middle else DOWN


def goal_of(before, now):
    """The row to go to."""
    x, y = now[BALL + X], now[BALL + Y]
    across, down = x - before[BALL + X], y - before[BALL + Y]
    if not (now[BALL + THERE] and before[BALL + THERE]) or across < 0:
        return MIDDLE
    if across == 0:
        return y
    return fold(y + down * (COLUMN - x) / across) + (EDGE if down > 0 else -EDGE)


def fold(row):
    """A row beyond the walls, from which the ball bounces, brought back into the court."""
    span = BOTTOM - TOP
    row = (row - TOP) % (2 * span)
    return TOP + (row if row <= span else 2 * span - row)


if __name__ == "__main__":
    import assay

    env = assay.make("atari/Pong+preset=paper+observation=objects")
    observation, _ = env.reset(seed=0)
    score = 0.0
    for _ in range(900):
        observation, reward, *_ = env.step(act(observation))
        score += float(reward)
    print(f"after 900 steps: {score:+.0f} points")
