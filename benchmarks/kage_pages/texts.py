"""The paragraphs of the page that do not depend on the results."""

from __future__ import annotations

INTRO = """
Made by `benchmarks/kage_tables.py` of the files in `benchmarks/kage/`, which `benchmarks/kage_results.py` and
`benchmarks/kage_blind.py` leave: PPO with the settings of KAGE-Bench (25 M steps, 128 envs,
`assay list ppo`), products in bfloat16, time limits bootstrapped. Evaluated every 50 iterations and at the
end on 128 episodes, actions drawn, the same levels for every appearance. Backgrounds and skins are assay's
own, not those of KAGE-Env. Frames are drawn by this version's kernel for GPUs
([decision 33](../decisions/0033-a-kernel-for-gpus.md)). Compared with the plain renderer on 64 lanes after 40
steps, its bytes are the same, except that under lights one byte in a million differs by one.
"""
NOT_BIT_EQUAL = """
Trainings on a GPU are not reproducible to the bit: with one seed, two runs draw the same levels and part ways
by rounding. The training `colors` with seed 1 was made twice. The first run did not collapse (its log shows a
success of 1.00 at the end), but its file was lost before it could be kept; the second run, which is counted
here, collapsed. So a seed is one draw, and its number does not make it fail. The trainings `images`,
`skeleton`, `skeleton-image` and `skeleton-images` with seed 1 were made twice as well. The first run of each
is counted; the final success was 0.99, 1.00, 0.77 and 1.00 in the first runs and 1.00, 0.99, 0.99 and 1.00 in
the second.
"""
WAYS_TEXT = """
*Largest*, as in the paper: the largest value over training of each measure for itself, so the numbers of one
row may come from different moments, and all are too good, since a maximum over noisy evaluations is.
*Every sixth*: the same over every 300 iterations and the end, as many evaluations as the paper has. *Final*:
after training. A gap is that of the means over seeds, (train - eval) / train in percent; that of the return
is train - eval, of which the paper prints the size.
"""
TABLE_1 = """
Means over the pairs of an axis, each with the same weight, ± the standard error over pairs. Where some pairs
are not trained yet, the paper's row is made of its Table 3 over the same pairs. The paper prints a return gap
of 691.0 for the background axis; its means give 817.5.
"""
TABLE_2 = """
In brackets 95% intervals over seeds (Student's, each pair for itself); a gap without brackets comes from a
single seed that has any success, and has no interval. With two or three seeds they are wide. No more than all
successes can be lost, so gaps in success end at 100; gaps in distance and progress are not cut, and an end
beyond 100 says no more than that all may be lost.
"""
TABLE_3 = """
Mean ± standard error over seeds of the largest values over training, on the train and on the eval config. The
paper's rows are as printed, misprints too: filters 3 has an eval distance of 495.4 with a gap of 12.6%, and
filters 4 an eval return of -456.1 with a gap of 727.9. The blind rows give, in each column, the best blind
policy by that column's measure (see [below](#the-best-blind-policies)).
"""
BLIND_TEXT = """
A score does not show that an agent sees. Blind policies hold RIGHT and press JUMP now and then, whatever
there is to see (`assay list blind`). *The best blind policy* is the one with the highest return; the best by
distance and by success are others, and are called so. Intervals are 95% over levels.
"""
FAILED_TEXT = """
A training fails if its final success on what it was trained on is below 0.5. Failed seeds are kept in all
means of this page; the table below also shows the pairs that they touch without them. The shares of seeds
that fail are in the [first table](#trainings), with Clopper and Pearson's 95% intervals.
"""
DISAGREE_TEXT = """
The paper's intervals are made of its printed standard errors, train and eval taken as independent, plus the
rounding of the printed digits; the combined interval is the root of the sum of both squares. It counts seeds
alone, not that our pictures are others than those of KAGE-Env.
"""
RANK_TEXT = """
In brackets 95%: over our seeds, drawn anew within each training appearance; in the last column over seeds and
pairs. The paper's gaps are taken as printed. With fewer than ten seeds of an appearance such intervals are
not calibrated: they may be far too narrow.
"""
VARIETY_TEXT = """
Pairs that are evaluated alike after training on less and on more. *Closed by*: the difference of the gaps,
with Welch's 95% interval over seeds.
"""
AUGMENTED_TEXT = """
PPO that learns from pictures shifted at random by up to 4 pixels, with a colour jitter of 0.4. It is
evaluated on all pairs that share the base config.
"""
CURVES_TEXT = """
One thin line per seed: the train look, and the eval looks of some pairs by their names. Returns are on a
logarithmic scale below -10.
"""
DOSES_TEXT = """
As the paper's Figures 6 and 7: trained without, evaluated with more and more; lines are means over seeds.
"""
