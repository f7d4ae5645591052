"""The fixed words of docs/results/stori.md."""

INTRO = """# Results on STORI's experiment

What each of STORI's modes does on the real emulator, how often it acts, and what it costs an agent that \
is trained under it. [stochasticity](../stochasticity.md) explains the types, [how \
to](../how-to.md#run-storis-experiment) the commands. Type 3.1 is the plain game, with which all others \
are compared. A chance is one per step of the agent (four frames) unless said otherwise.

The page is made of the files in `benchmarks/stori/`; these commands make it anew:

```
python benchmarks/stori_results.py runs/stori                       # all runs; goes on where it was stopped
python benchmarks/stori_policies.py runs/stori crossing             # frozen agents of these runs elsewhere
python benchmarks/stori_policies.py runs/stori drift --episodes 40  # and through drifts
python benchmarks/stori_chances.py                                  # frequencies
python benchmarks/stori_sheets.py                                   # pictures of the modes
python benchmarks/stori_page.py                                     # this page and its line drawings
```

{missing}"""
SUMMARY = """## In short

These agents are a small DQN after 100,000 steps, with one seed or two. They show what a weak agent \
learns under each preset; they do not repeat the paper's numbers, which are of two world models trained \
for 12 to 24 GPU-hours a run, and one or two seeds say little about the spread over seeds. Intervals are \
95%, over episodes of one agent.

{summary}"""
MODES = """## What each mode does

Plain beside varied, at the same step of the same actions with the same seed; the chance is 1, but 0.02 \
for `color_flip`, `swap_corners` and `city_switch` and 0.05 for `block_return`. Types 1 and 2.2 have no \
pictures: the first executes other actions, the second switches one of these on and off. Half pictures \
and the torch are there for every game.

![Breakout](../images/stori-breakout.png)

![Boxing](../images/stori-boxing.png)

![Gopher](../images/stori-gopher.png)

![BankHeist](../images/stori-bankheist.png)"""
CHANCES = """## Asked and measured frequencies

`{command}`: uniform actions, a seed of its own for every row. Intervals are Wilson's. Of type 1, an \
action that is replaced may be replaced by itself, so the executed action differs from the chosen one in \
p (1 - 1/n) of the steps where all n actions may be drawn, and in BankHeist, where 10 of 18 may, in 0.3 \
(1 - 1/18) too.

Where chances are drawn at every frame (`granularity=frame`, as in STORI), the picture is the brighter \
of two frames. What is brighter than its background, such as BankHeist's blocks, is hidden only if both \
frames hide it: p². Boxing's enemy is black and its ring is not, so one hidden frame is enough: 1 - (1 - \
p)², 0.91 in place of the 0.49 that p² would give and the 0.7 that was asked."""
RANDOM = """## Random play

100 episodes of uniform actions on every preset, cut after 2,000 steps (8,000 frames). Presets of types \
2.2, 3.1 and 3.2 change only what is seen, so that random play has the same episodes on all of them, as \
the table shows; where one of them was not played, another stands for it below."""
DQN = """## DQN on pictures

The suites' protocol: 100,000 steps of training, 100 episodes of evaluation, train and test on the same \
preset, the last four pictures of 84 x 84 in gray. To fit a small machine the network is the one of Mnih \
et al. (2013), with 16 and 32 convolutions and a layer of 256, and an update of 16 transitions is made \
every 8 steps: 12,375 updates in all, which see a quarter of the transitions that the suites' own recipe \
learns from. Agents are judged with 5% random actions, and an episode is cut after 2,000 steps. All \
settings are [below](#how-it-was-run).

The form is that of the paper's Table 6. The intervals of scores are over the 100 episodes of one agent \
(studentised bootstrap): they say how well this agent is known, and nothing about other seeds. The share \
kept is (score - random) / (3.1 - random), a value for each seed, where random is random play on 3.1 and not \
that of the row. It has no interval, which would take five seeds. Published scores are of other \
agents that saw other pictures: context, not a target.

As in the paper the last policy is what counts. That of a DQN still moves much at the end: the column \
"in training" has the mean score of the second half of training, the best 10,000 steps, and the last \
10,000. Where these lie far apart, the score of the last policy says more about the moment at which \
training stopped than about the preset, and so does the share kept. That in the second half of training is \
less a matter of the moment.

Lines are means over the episodes that ended in the last 10,000 steps of training, in which 2% of the \
actions, and more at the beginning, are random. They are the form of the paper's Figures 6 to 9."""
SINGLE = """## One picture beside a stack of four

The agents of seed 0 once more, with one picture in place of four, beside those with a stack (seeds 0 \
and 7). Single agents differ by more than a stack is worth here. (An agent with a memory of its own, a \
GRU, is to join them when there is one.)"""
RAM = """## DQN on the console's memory

Types 0, 1 and 2.1, with the console's 128 bytes in place of pictures. Masks do not touch memory, so for \
such an agent 3.1 and 3.2 are type 0. Boxing's colour flip leaves no trace there either: its 2.1 is the \
same training and the same episodes as 0. Random play is that on the preset of pictures, which memory \
does not change (0: 3.1)."""
DRIFT = """## Before and after a drift

Frozen agents, trained on the plain game (3.1), under the drift (2.2) or under what it brings (3.2A), on \
the same {episodes} episodes with and without the drift (seed {seed}, cut after {max_steps:,} steps; \
{cpu_s:,.0f} CPU-seconds). An episode that has ended pays nothing more, so all lines fall as episodes \
end; the drift is what parts a full line from the dashed one of its colour. Bands are two standard \
errors over episodes, and upright lines the switches. Few agents live for the 300 steps after which \
Breakout's 2.2 drifts, so there is the same drift at step 100 too. The metrics are those of `assay \
drift` ([what a drift costs](../stochasticity.md#what-a-drift-costs)), on windows of two points, with \
episodes as units."""
CROSSING = """## Trained on one preset, played on another

{game}, the agents of seed 0 above, {episodes} episodes a cell, the same for all agents (seed {seed}, \
cut after {max_steps:,} steps; {cpu_s:,.0f} CPU-seconds). ± is one standard error. The paper does not do \
this. `assay run stori/{lower}-crossing` trains and tests the whole matrix anew."""
RUNS = """## How it was run

Two cores that others used at the same time, one training at a time on one of them, without a GPU. Code \
is the digest of the code that decides the results of a run."""
PAPER = """## Beside the paper

The paper trains DreamerV3 and STORM on one picture of 64 x 64 in colour, draws most chances at every \
frame, and counts every preset with three seeds."""
