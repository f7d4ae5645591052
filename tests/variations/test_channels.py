"""Every generic channel: hand-computed cases, then the same bits from jax, numpy and plain numbers."""

import jax.numpy as jnp
import numpy as np
import pytest

from assay.core import scalars
from assay.core.space import Box, Discrete, Opaque
from assay.envs.toy.reward_keys import REWARD_KEYS
from assay.variations import action, observation, reward

NUMBER = Box(-np.inf, np.inf)
RUNNING, TERMINATED, CUT = (False, False), (True, False), (False, True)
AXES = {axis.name: axis for axis in action.AXES + reward.AXES + REWARD_KEYS + observation.AXES}


def played(name, level, values, space, *, draws=None, ends=None, xp=np, bound=8):
    """What a channel makes of a row of values."""
    acts = AXES[name].acts
    memory, out = acts.memory(xp, space, bound), []
    for i, value in enumerate(values):
        draw = () if draws is None else draws[i]
        memory, value = acts.apply(
            xp, level, memory, draw, value, RUNNING if ends is None else ends[i], space
        )
        out.append(value)
    return out


class TestByHand:
    def test_minus_zero_stays_minus_zero_at_neutral(self):
        for name, axis in AXES.items():
            if axis.components == ("reward",) and name != "reward.sign":
                (paid,) = played(
                    name, axis.neutral, [-0.0], NUMBER, draws=[1.0], ends=[TERMINATED], xp=scalars
                )
                assert np.signbit(paid), name

    def test_sticky_repeats_what_was_executed_not_what_was_chosen(self):
        # The second draw sticks to 3, the third sticks to what was executed then: 3 again, not the chosen 5.
        assert played("action.sticky", 0.5, [3, 5, 6, 7], Discrete(8), draws=[0.9, 0.1, 0.1, 0.9]) == [
            3,
            3,
            3,
            7,
        ]

    def test_sticky_cannot_stick_at_the_first_step(self):
        assert played("action.sticky", 1.0, [3], Discrete(8), draws=[0.0]) == [3]

    def test_random_takes_the_drawn_action(self):
        draws = [np.float32([0.2, 0.99]), np.float32([0.8, 0.0])]
        assert played("action.random", 0.5, [1, 1], Discrete(4), draws=draws) == [3, 1]

    def test_other_never_takes_the_chosen_action(self):
        draws = [np.float32([0.2, u]) for u in (0.0, 0.34, 0.67, 0.999)] + [np.float32([0.8, 0.0])]
        assert played("action.other", 0.5, [2] * 5, Discrete(4), draws=draws) == [3, 0, 1, 1, 2]

    def test_a_walker_starts_anywhere_and_stays_in_its_box(self):
        box, value = Box(0.0, 9.0, (1,)), np.float32([7])
        draws = [np.float32([u]) for u in (0.975, 0.75, 1.0, 0.5)]  # pushes of 0.95 (the start), 0.5, 1, 0
        seen = played("observation.process", 1, [value] * 4, box, draws=draws, bound=1)
        np.testing.assert_allclose(seen, [[7, 9.5], [7, 10], [7, 10], [7, 10]], rtol=1e-6)
        wide = observation.space_with_walker(box, 2)
        assert wide.low.tolist() == [0, -10, -10] and wide.high.tolist() == [9, 10, 10]

    def test_normal_noise_is_in_the_observations_own_units(self):
        box = Box(np.float32([-4, -np.inf]), np.float32([4, np.inf]), (2,))
        (seen,) = played("observation.normal", 2.0, [np.float32([1, 1])], box, draws=[np.float32([1, 3])])
        assert seen.tolist() == [3, 7]
        (seen,) = played("observation.normal", 2.0, [np.float32([1, 1])], box, draws=[np.float32([9, 9])])
        assert seen.tolist() == [4, 19]

    def test_random_in_a_box_stays_inside_its_bounds(self):
        box = Box(np.float32([-2, 0]), np.float32([2, 1]), (2,))
        (value,) = played(
            "action.random", 1.0, [np.zeros(2, "float32")], box, draws=[np.float32([0.0, 0.75, 0.5])]
        )
        np.testing.assert_array_equal(value, np.float32([1.0, 0.5]))

    def test_action_delay_begins_with_the_zero_action(self):
        assert played("action.delay", 2, [5, 6, 7, 4], Discrete(8)) == [0, 0, 5, 6]

    def test_repeat_holds_each_choice(self):
        assert played("action.repeat", 3, [1, 2, 3, 4, 5], Discrete(8)) == [1, 1, 1, 4, 4]

    @pytest.mark.parametrize("end", [TERMINATED, CUT])
    def test_reward_delay_pays_what_waits_at_either_end(self, end):
        ends = [RUNNING, RUNNING, RUNNING, end]
        assert played("reward.delay", 2, [1.0, 2.0, 4.0, 8.0], NUMBER, ends=ends, xp=scalars) == [
            0.0,
            0.0,
            1.0,
            14.0,
        ]

    def test_toy_delay_loses_what_waits(self):
        ends = [RUNNING, RUNNING, RUNNING, TERMINATED]
        assert played("delay", 2, [1.0, 2.0, 4.0, 8.0], NUMBER, ends=ends, xp=scalars) == [0.0, 0.0, 1.0, 2.0]

    def test_sparsify_pays_sums_and_the_rest_at_the_end(self):
        ends = [RUNNING] * 4 + [CUT]
        paid = played("reward.sparsify", 2, [1.0, 2.0, 4.0, 8.0, 16.0], NUMBER, ends=ends, xp=scalars)
        assert paid == [0.0, 3.0, 0.0, 12.0, 16.0]

    def test_terminal_reward_is_not_paid_for_a_time_limit(self):
        ends = [RUNNING, CUT, TERMINATED]
        for name in ("term_state_reward", "reward.terminal"):
            assert played(name, -1.0, [0.5] * 3, NUMBER, ends=ends, xp=scalars) == [0.5, 0.5, -0.5]

    def test_scale_shift_clip_sign_noise(self):
        assert played("reward.scale", 3.0, [2.0], NUMBER, xp=scalars) == [6.0]
        assert played("reward.shift", -1.0, [2.0], NUMBER, xp=scalars) == [1.0]
        assert played("reward.clip", 1.0, [-5.0, 0.5, 5.0], NUMBER, xp=scalars) == [-1.0, 0.5, 1.0]
        assert played("reward.sign", True, [-5.0, 0.0, 0.1], NUMBER, xp=scalars) == [-1.0, 0.0, 1.0]
        assert played("reward.noise", 2.0, [1.0], NUMBER, draws=[0.25], xp=scalars) == [1.5]

    def test_discrete_observation_noise_shows_another_value(self):
        shown = [played("observation.noise", 1.0, [2], Discrete(4), draws=[np.float32([0.0, u])])[0]
                 for u in (0.0, 0.34, 0.67, 0.999)]  # fmt: skip
        assert shown == [3, 0, 1, 1]  # never 2 itself

    def test_box_observation_noise_is_in_half_ranges_and_stays_inside(self):
        box = Box(np.float32([-4, -np.inf]), np.float32([4, np.inf]), (2,))
        value = np.float32([1.0, 1.0])
        (seen,) = played("observation.noise", 0.5, [value], box, draws=[np.float32([1.0, 1.0])])
        np.testing.assert_array_equal(seen, np.float32([3.0, 1.5]))
        (seen,) = played("observation.noise", 0.5, [value], box, draws=[np.float32([9.0, 9.0])])
        np.testing.assert_array_equal(seen, np.float32([4.0, 5.5]))

    def test_dropout_is_dark_for_a_box_and_holds_for_a_discrete(self):
        box = Box(0.0, 9.0, (2,))
        dark, bright = played("observation.dropout", 0.5, [np.float32([1, 2])] * 2, box, draws=[0.1, 0.9])
        assert not dark.any() and bright.tolist() == [1, 2]
        assert played("observation.dropout", 0.5, [4, 5, 6], Discrete(8), draws=[0.1, 0.1, 0.9]) == [4, 4, 6]

    def test_observation_delay_shows_the_first_until_there_is_a_later_one(self):
        assert played("observation.delay", 2, [4, 5, 6, 7], Discrete(8)) == [4, 4, 4, 5]

    def test_observation_delay_outlives_its_ring(self):
        values = list(range(1, 40))
        seen = played("observation.delay", 3, values, Discrete(99), bound=4)
        assert seen == [1, 1, 1, *values[: len(values) - 3]]

    def test_quantise_rounds_to_grains_of_half_ranges(self):
        (seen,) = played("observation.quantise", 0.5, [np.float32([0.9, -3.1])], Box(-4.0, 4.0, (2,)))
        np.testing.assert_array_equal(seen, np.float32([0.0, -4.0]))

    def test_irrelevant_entries_are_appended(self):
        (seen,) = played("observation.irrelevant", 2, [3], Discrete(4), draws=[np.float32([0.0, 0.999])])
        assert seen.tolist() == [3, 0, 3]
        (seen,) = played(
            "observation.irrelevant", 1, [np.float32([7])], Box(0.0, 9.0, (1,)), draws=[np.float32([-2])]
        )
        assert seen.tolist() == [7, -2]
        assert observation.space_with_entries(Discrete(4), 2) == Discrete((4, 4, 4))
        assert observation.space_with_entries(Box(0.0, 9.0, (1,)), 2).shape == (3,)

    def test_pixels_stay_whole_numbers(self):
        pixels = Box(0, 255, (2,), "uint8")
        (seen,) = played("observation.noise", 0.1, [np.uint8([250, 3])], pixels, draws=[np.float32([5, 0.1])])
        assert seen.dtype == np.uint8 and seen.tolist() == [255, 4]


SPACES = {
    "action": [Discrete(5), Discrete((3, 4)), Box(-1.5, 2.5, (3,))],
    "reward": [NUMBER],
    "observation": [Discrete(5), Discrete((3, 4)), Box(-1.5, 2.5, (3,)), Box(-np.inf, np.inf, (2, 2))],
}


def cases():
    for axis in AXES.values():
        for space in SPACES[axis.components[0]]:
            if not axis.acts.fits(space):
                yield pytest.param(axis, space, id=f"{axis.name}-{type(space).__name__}{space.shape}")


@pytest.mark.parametrize("axis, space", list(cases()))
def test_same_draws_give_the_same_bits_everywhere(axis, space):
    rng = np.random.default_rng(1)
    steps, bound = 30, 16 if axis.kind != "structure" else axis.levels[0]
    wanted = axis.acts.draw(space, bound)
    if isinstance(space, Discrete):
        values = [
            np.asarray(rng.integers(np.asarray(space.n), size=space.shape or None), "int32")
            for _ in range(steps)
        ]
    else:
        values = [rng.uniform(-1.5, 2.5, space.shape).astype("float32") for _ in range(steps)]
    draw = {"uniform": rng.random, "normal": rng.standard_normal}
    draws = [draw[wanted[0]](wanted[1], dtype=np.float32) for _ in range(steps)] if wanted else None
    ends = [RUNNING] * (steps - 1) + [CUT]
    for level in (axis.neutral, *axis.levels):
        level = np.float32(level) if isinstance(level, float) else level
        given = {"draws": draws, "ends": ends, "bound": bound}
        by_numpy = played(axis.name, level, values, space, **given)
        by_jax = played(axis.name, level, [jnp.asarray(v) for v in values], space, xp=jnp, **given)
        results = [by_jax]
        if not space.shape and axis.components[0] != "observation":
            plain = [v.item() if v.dtype.kind == "i" else np.float32(v) for v in values]
            numbers = (
                given
                if draws is None
                else given | {"draws": [d if d.shape else np.float32(d) for d in draws]}
            )
            results.append(played(axis.name, level, plain, space, xp=scalars, **numbers))
        for other in results:
            for mine, theirs in zip(by_numpy, other, strict=True):
                mine, theirs = np.asarray(mine), np.asarray(theirs)
                assert mine.astype(theirs.dtype).tobytes() == theirs.tobytes(), (
                    axis.name,
                    level,
                    mine,
                    theirs,
                )
        if (
            level == axis.neutral and axis.kind != "structure"
        ):  # a structure is neutral by its bound, not its level
            for value, kept in zip(values, by_numpy, strict=True):
                assert np.asarray(kept, value.dtype).tobytes() == value.tobytes()


@pytest.mark.parametrize(
    "name, space, word",
    [
        ("action.random", Box(-np.inf, np.inf, (2,)), "bounded"),
        ("action.sticky", Opaque("Tuple"), "Tuple"),
        ("action.other", Box(-1.0, 1.0, (2,)), "whole number"),
        ("action.other", Discrete(1), "no other"),
        ("observation.quantise", Discrete(4), "rounded"),
        ("observation.process", Discrete(4), "Box"),
        ("observation.noise", Discrete(1), "one value"),
        ("observation.irrelevant", Box(0, 255, (8, 8, 3), "uint8"), "pictures"),
    ],
)
def test_a_channel_says_where_it_cannot_act(name, space, word):
    assert word in AXES[name].acts.fits(space)
