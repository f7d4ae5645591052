"""The defaults of plans, each defined once; the command line reads them from here."""

from __future__ import annotations

MARGIN = 0.1  # the loss that is too small to matter, as a share of the distance to random play
SEEDS = 10  # agents trained
EPISODES = 20  # evaluation episodes per level and trained seed
EPISODES_ALONE = 30  # of an agent that is not trained, whose units are episodes; an exam may need more
MOST_LEVELS = 5  # levels that an exam tries of one axis
LEVELS = "strongest"  # of the axes that agents are trained under; or "all"
MAX_STEPS = 10_000  # per episode, where an env has no limit of its own
SHIFT_STATES = 1000  # in which a policy's choices are compared, of all plain episodes together
SHIFT_EPISODES = 10  # plain episodes of a policy, and as many under each axis
SHIFT_PICTURES = 6  # states shown
DRIFT_EPISODES_ALONE = 100  # of an agent that is not trained: through a drift, and as many without it
