"""What a person wrote of the page; numbers are in its tables."""

INTRO = """# The experiments of MDP Playground

Made by `benchmarks/playground_tables.py` of the files in `benchmarks/playground/`, which
`benchmarks/playground_results.py` leaves: one number for each seed, level and measure. A single experiment is
`assay run playground/delay --agent dqn`, with a page of its own.

*Learning (AUC)* is the mean episode score over the reports of training, those before learning begins
included; *of the optimum* the same as a share of each MDP's exact optimum at that level; *noise-free
rollouts* the mean over reports of ten greedy episodes of the policy of that moment in the plain task; *final
score* ten greedy episodes at the end, where it was trained. Intervals are BCa bootstraps over seeds,
Student's below 20 seeds; the error of 5% is shared by all comparisons of two levels of an experiment, as in
the paper.

What the paper says is asked of the seeds as a test: *holds* is said in at most 5% of experiments where it
does not hold, *contradicted* in at most 5% of those where it does, for each agent and claim by itself; of the
rest one *cannot tell*. Agents whose final score on the plain task is not above random play are marked *not
learned* and asked nothing.

What is different by design: every seed has an MDP of its own (the paper's runs share one; the suites that end
in `-one-mdp` repeat that), a report is the mean over the episodes that finished since the last one, scores
count a reward when it is earned, and tabular agents make the standard update at an end. A2C stands for the
paper's A3C, with its settings and 150,000 steps."""

SECTIONS = {
    "vectors": "## The discrete env",
    "targets": """## The continuous env

Distances to the target are what is paid, so scores are of another kind than above. Targets have the radius of
the paper's runs, 0.5.""",
    "pairs": """## Two dimensions at once

Mean ± standard deviation over seeds of learning (AUC).""",
    "pictures": """## Pictures

The same env, seen as 100x100 pictures of polygons.""",
    "tuning": """## Tuning

The grids over which the paper tuned DQN on the plain task, three seeds each.""",
    "complex": """## Games and bodies

A part of the paper's grids at a small part of its budgets (10 million steps on games, 500,000 on Reacher),
so these tables stand beside the paper's in form alone. Breakout is seen as the console's memory. Rank
correlations match levels by position; of three levels none can be told from chance (p is at least 1/3).""",
}

NOTES = {
    "delay": "In the paper seeds differ most at delay 2. Scores count a reward when it is earned, so they "
    "need no factor for what is paid too late; `--compat playground` shows returns with the paper's.",
    "sequence-length": "The optimum itself is 100/n, so compare the shares.",
    "transition-noise": "The paper shows no noise-free rollouts of tabular agents.",
    "irrelevant-features": "The paper varies them on the continuous env only. Here a second MDP of 8 states "
    "and 8 actions stands beside the first, 64 combinations of each.",
    "reward-scale": "Not in the paper: how much each algorithm minds the size of rewards, judged by rollouts "
    "in the plain task.",
    "reward-shift": "Not in the paper: a shift is paid in every step, so it pays to stay alive, or costs.",
    "time-unit": "In the paper there is a best time unit, neither too small nor too large; the same for "
    "the range of actions.",
    "target-radius": "In the paper agents swing around a small target without coming into it, so that "
    "episodes are longer.",
}
