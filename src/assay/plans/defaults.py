"""What holds where a user says nothing: every default of a plan, once. The command line reads them here."""

from __future__ import annotations

MARGIN = 0.1  # the loss that is too small to matter, as a share of the distance to random play
SEEDS = 10  # agents trained
EPISODES = 20  # of evaluation per level and trained seed
EPISODES_ALONE = 30  # of one given agent, where they are the units; an exam may need more of them
MOST_LEVELS = 5  # of an axis that has more, in an exam
LEVELS = "strongest"  # of the reward axes that are learned under; or "all"
MAX_STEPS = 10_000  # of an episode, where an env has no limit of its own
