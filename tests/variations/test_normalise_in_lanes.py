"""observation.stack and reward.normalise under autoreset: lanes of `make_vec` meet what `make` meets."""

import numpy as np
import pytest

import assay

TEXT = "toy/continuous+horizon=3+observation.stack=2+reward.normalise=0.99"
PICTURES = TEXT.replace(
    "continuous", "grid+image_representations+image_width=16+image_height=16+observation.gray"
)
NEXT, SAME, DISABLED = "next-step", "same-step", "disabled"


@pytest.mark.parametrize(
    "text, mode",
    [
        (TEXT, NEXT),
        (TEXT, SAME),
        pytest.param(TEXT, DISABLED, marks=pytest.mark.slow),
        pytest.param(PICTURES, NEXT, marks=pytest.mark.slow),
        pytest.param(PICTURES, SAME, marks=pytest.mark.slow),
    ],
)
def test_lanes_meet_what_one_env_meets(text, mode):
    lanes, alone = assay.make_vec(text, 2, autoreset=mode), assay.make(text)
    alone.action_space.seed(0)
    seen, expected, over, episodes = lanes.reset(seed=5)[0], alone.reset(seed=5)[0], False, 1
    for _ in range(14):
        np.testing.assert_array_equal(seen[0], expected)
        action = alone.action_space.sample()
        seen, paid, ends, cuts, info = lanes.step(np.stack([action] * 2))
        if over and mode == NEXT:  # the action of a lane that is over counts for nothing
            over, expected = False, alone.reset()[0]
            continue
        expected, wanted, *flags, _ = alone.step(action)
        assert (paid[0], ends[0], cuts[0]) == (wanted, *flags)
        over = any(flags)
        episodes += over
        if over and mode == SAME:
            np.testing.assert_array_equal(info["final_obs"][0], expected)
            expected = alone.reset()[0]
        if over and mode == DISABLED:
            seen, expected = lanes.reset(options={"reset_mask": ends | cuts})[0], alone.reset()[0]
    assert episodes > 3
