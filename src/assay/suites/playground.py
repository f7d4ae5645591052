"""`playground/*` on the discrete toy env: the experiments of MDP Playground, grids as in the paper.

Agents are trained and evaluated at each level; those trained under noise are also evaluated without noise, to
see what they have learned.
"""

from __future__ import annotations

from assay.suites.playground_grid import DISCRETE, FEW_SEEDS, both, over

DELAYS, LENGTHS, DENSITIES = (1, 2, 4, 8), (2, 3, 4), (0.5, 0.75)
SLIPS, NOISES = (0.01, 0.02, 0.1, 0.25), (1.0, 5.0, 10.0, 25.0)
SCALES, SHIFTS, SOME = (0.01, 0.1, 10.0, 100.0), (-1.0, -0.1, 0.1, 1.0), tuple(range(20))
LATE = "how much harder is learning when rewards come late?"
LONGER = "how much harder is learning when longer sequences are rewarded?"
DENSER = "how much easier is learning when more sequences are rewarded?"
SLIPPERY, NOISY = "what is learned in a world that slips?", "what is learned from noisy rewards?"

LARGER = tuple(
    suite
    for states in (20, 50)
    for axis, levels, asks, plain_too in (
        ("delay", DELAYS, LATE, False),
        ("transition_noise", SLIPS, SLIPPERY, True),
        ("reward_noise", NOISES, NOISY, True),
        ("reward_density", DENSITIES, DENSER, False),
    )
    for suite in over(axis, levels, asks, f"{DISCRETE}+action_space_size={states}", plain_too=plain_too,
                      name=f"{axis}-{states}-states", seeds=FEW_SEEDS)
)  # fmt: skip

SUITES = (
    *over("delay", DELAYS, LATE),
    *over("sequence_length", LENGTHS, LONGER),
    *over("reward_density", DENSITIES, DENSER),
    *over("transition_noise", SLIPS, SLIPPERY, plain_too=True),
    *over("reward_noise", NOISES, NOISY, plain_too=True),
    *over("reward_scale", SCALES, "what is learned from rewards of another size?", plain_too=True,
          seeds=SOME),
    *over("reward_shift", SHIFTS, "what is learned when every step pays more, or costs?", plain_too=True,
          seeds=SOME),
    *over("irrelevant_features", (True,), "how much harder is learning with features that do not matter?"),
    *both(("delay", "sequence_length"), ((None, *DELAYS), (None, *LENGTHS)),
          "do late rewards and long sequences add up?"),
    *both(("transition_noise", "reward_noise"), ((None, *SLIPS), (None, *NOISES)),
          "do two kinds of noise add up?", plain_too=True),
    *over("sequence_length", LENGTHS, "does a reward for every step of a sequence make up for its length?",
          beside="+make_denser", name="make-denser", seeds=FEW_SEEDS),
    *LARGER,
)  # fmt: skip
