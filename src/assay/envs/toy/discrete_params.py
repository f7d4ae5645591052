"""The settings of `toy/discrete`. Their names are MDP Playground's config keys; no jax here.

The family's reward channels (`delay`, `reward_noise`, `reward_scale`, `reward_shift`, `term_state_reward`)
are not fields, since they act on the reward beside the state: see `reward_keys.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from assay.core.axis import structure, takes
from assay.envs.toy import image_axes, shared_axes
from assay.envs.toy.setting_types import PLAYGROUND, or_function, whole
from assay.envs.toy.shared_axes import ALL, EXAMPLES
from assay.errors import WrongLevel

NoiseSupport = Literal["any", "next_set"]
Gate = Literal["completion", "handout"]
DenserMode = Literal["per_sequence", "per_length"]


@takes("a whole number of actions from 1 up, or [relevant, irrelevant]")
def sizes(value: Any) -> int | tuple[int, int]:
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise WrongLevel("a list must hold two sizes.")
        relevant, irrelevant = (size_of(whole(each)) for each in value)
        return relevant, irrelevant
    return size_of(value)


def size_of(value: Any) -> int:
    if isinstance(value, bool) or value != int(value) or value < 1:
        raise WrongLevel("a size must be at least 1.")
    return int(value)


def successor_table(value: Any) -> tuple:
    table = rectangle(value, whole)
    states = len(table)
    if any(not 0 <= after < states for row in table for after in row):
        raise WrongLevel(f"successors must be states from 0 to {states - 1}.")
    return table


def payoff_table(value: Any) -> tuple:
    return rectangle(value, float)


@takes("a list of chances, one per state, that sum to 1")
def chances(value: Any) -> tuple:
    shares = tuple(float(share) for share in value)
    if not shares or min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
        raise WrongLevel("chances must be at least 0 and sum to 1.")
    return shares


def states(value: Any) -> tuple:
    if not value:
        raise WrongLevel("name at least one state; for none write terminal_state_density=0.")
    return tuple(sorted({whole(state) for state in value}))


@takes("a list of state sequences, each alone (it pays 1) or as [sequence, reward]")
def paid_sequences(value: Any) -> tuple:
    pairs = value.items() if isinstance(value, dict) else (as_pair(each) for each in value)
    listed = [(tuple(whole(state) for state in sequence), float(reward)) for sequence, reward in pairs]
    rewards = dict(listed)
    if len(rewards) < len(listed):
        raise WrongLevel("a sequence is listed twice.")
    if not rewards or len({len(sequence) for sequence in rewards}) != 1 or not min(map(len, rewards)):
        raise WrongLevel("there must be at least one sequence, and all must have the same length.")
    return tuple((sequence, rewards[sequence]) for sequence in sorted(rewards))


def reward_range(value: Any) -> tuple:
    low, high = value
    return float(low), float(high)


def as_pair(each: Any) -> tuple:
    alone = not isinstance(each[0], (tuple, list))
    return (each, 1.0) if alone else tuple(each)


def rectangle(value: Any, of: Any) -> tuple:
    table = tuple(tuple(of(entry) for entry in row) for row in value)
    if not table or not table[0] or len({len(row) for row in table}) != 1:
        raise WrongLevel("all rows must have the same length, and there must be at least one.")
    return table


SUCCESSORS = "a list with one list of successor states per state"
PAYOFFS = "a list with one list of rewards per state, one for each action"
RING = tuple(tuple((state + action + 1) % 8 for action in range(8)) for state in range(8))
PAY_BY_ACTION = tuple(tuple(float(action == state) for action in range(8)) for state in range(8))
GENERATED_SEQUENCES = ("reward_density", "reward_dist", "repeats_in_sequences", "only_reachable")
SEQUENCES = "sequence_length|rewardable_sequences"  # what makes sequences longer than one state


@dataclass(frozen=True)
class Discrete:
    """toy/discrete: a generated MDP with a deterministic transition table and rewardable state sequences."""

    # The generated MDP. Every draw that makes it comes from `mdp_seed` alone, one stream per purpose.
    mdp_seed: int = structure(
        "transition reward", 0, low=0, high=2**63, levels=(1, 2, 3), asks=True, origin=PLAYGROUND,
        means="the seed that generates the MDP, apart from the episodes' seed",
    )  # fmt: skip
    action_space_size: Any = structure(
        ALL, 8, type=sizes, levels=(6, 16), asks=True, origin=PLAYGROUND,
        means="actions, which is also the states of one independent set",
    )  # fmt: skip
    diameter: int = structure(
        ALL, 1, low=1, levels=(2, 3), asks=True, origin=PLAYGROUND,
        means="independent sets of states; every action leads to the next set",
    )  # fmt: skip
    terminal_state_density: float = structure(
        "initial transition reward terminal", 0.25, low=0, high=1, levels=(0.0, 0.5), asks=True,
        origin=PLAYGROUND, means="share of each independent set that is terminal",
    )  # fmt: skip
    maximally_connected: bool = structure(
        "transition", True, levels=(False,), origin=PLAYGROUND,
        means="each state of the next set is reached by exactly one action",
    )  # fmt: skip
    irrelevant_features: bool = shared_axes.irrelevant_features(
        "a second, independent MDP beside that pays nothing"
    )
    # What is rewarded.
    sequence_length: int = shared_axes.sequence_length(1, (2, 3, 4), "states in a rewardable sequence")
    reward_density: float = structure(
        "reward", 0.25, low=0, high=1, levels=(0.5, 0.75, 1.0), asks=True, origin=PLAYGROUND,
        means="share of the possible sequences that are rewardable",
    )  # fmt: skip
    repeats_in_sequences: bool = structure(
        "reward", False, levels=(True,), asks=True, origin=PLAYGROUND, needs=("sequence_length",),
        context="sequence_length=2", means="may a state occur twice in a rewardable sequence",
    )  # fmt: skip
    only_reachable: bool = structure(
        "reward", False, levels=(True,), asks=True, origin="assay",
        needs=("maximally_connected=false", "sequence_length"),
        context="maximally_connected=false+sequence_length=2",
        means="choose among the sequences that the transition table admits",
    )  # fmt: skip
    reward_dist: Any = structure(
        "reward", (1.0, 1.0), type=or_function("[low, high]", reward_range, "(rng, dict so far) -> reward"),
        levels=((0.0, 1.0), (-1.0, 1.0)), asks=True, context="reward_density=1.0", origin=PLAYGROUND,
        means="rewards of the sequences, equally spaced from low to high, dealt at random",
    )  # fmt: skip
    make_denser: bool = shared_axes.make_denser(
        False, "pay i/n for the first i of n states of a rewardable sequence", needs=(SEQUENCES,),
        context="sequence_length=3",
    )  # fmt: skip
    make_denser_mode: DenserMode = structure(
        "reward", "per_sequence", choices=("per_sequence", "per_length"), levels=("per_length",), asks=True,
        needs=("make_denser", SEQUENCES), context="make_denser+sequence_length=3",
        origin=f"{PLAYGROUND}, Algorithm 1",
        means="count every sequence the agent is on, or each prefix length once",
    )  # fmt: skip
    gate: Gate = shared_axes.gate(
        needs=("delay",), context="sequence_length=2+delay=1", earning="completing a sequence"
    )
    flush_on_end: bool = shared_axes.flush_on_end()
    # Given tables or functions in place of generated ones.
    transition_function: Any = structure(
        "transition", (), type=or_function(SUCCESSORS, successor_table, "(state, action) -> the state after"),
        levels=(RING, f"{EXAMPLES}:ring"), excludes=("maximally_connected",), origin=PLAYGROUND,
        means="the transition table (row s, column a holds the state after), or a function that fills it",
    )  # fmt: skip
    state_space_size: int = structure(
        "initial transition reward observation terminal", 0, low=0, high=10**6, levels=(16,),
        needs=("transition_function",), context=f"transition_function={EXAMPLES}:ring", asks=True,
        origin=PLAYGROUND,
        means="states of a transition_function that is a function; at 0, action_space_size times diameter",
    )  # fmt: skip
    reward_function: Any = structure(
        "reward", (), type=or_function(PAYOFFS, payoff_table, "(history, action) -> reward, in jax.numpy"),
        levels=(PAY_BY_ACTION, f"{EXAMPLES}:pays_two"),
        excludes=(*GENERATED_SEQUENCES, "rewardable_sequences", "make_denser"), asks=True, origin=PLAYGROUND,
        means="rewards by state and action in place of sequences, or a function of the last "
        "sequence_length + 1 states (oldest first, -1 before the start) and of the action",
    )  # fmt: skip
    init_state_dist: Any = structure(
        "initial", (), type=chances, levels=((0.5, 0.5, 0, 0, 0, 0, 0, 0),), origin=PLAYGROUND,
        means="chances of the start states",
    )  # fmt: skip
    terminal_states: Any = shared_axes.terminal_states(
        or_function("a list of states", states, "state -> whether it is terminal"),
        ((7,), (5, 6, 7), f"{EXAMPLES}:from_five_on"),
        "the terminal states, or a function that tells them, in place of the density",
        excludes=("terminal_state_density",), asks=True, components="initial transition reward terminal",
    )  # fmt: skip
    rewardable_sequences: Any = structure(
        "reward", (), type=paid_sequences, levels=((((2,), 1.0), ((3,), 0.5)),), excludes=GENERATED_SEQUENCES,
        asks=True, origin="assay", means="the rewardable sequences and their rewards",
    )  # fmt: skip
    noise_support: NoiseSupport = structure(
        "transition", "any", choices=("any", "next_set"), levels=("next_set",),
        needs=("transition_noise", "diameter"), context="diameter=2+transition_noise=0.5",
        origin=f"{PLAYGROUND}, section 4.1", stochasticity="2.1",
        means="where transition noise may throw: any other state, or the next set only",
    )  # fmt: skip
    # Pictures in place of numbers.
    image_representations: bool = image_axes.image_representations()
    image_width: int = image_axes.image_side("width", low=42)
    image_height: int = image_axes.image_side("height", low=42)
    image_transforms: str = image_axes.image_transforms()
    image_sh_quant: int = image_axes.image_quantum("shift", "pixels", high=500, levels=(2, 4, 8, 16))
    image_ro_quant: int = image_axes.image_quantum("rotate", "degrees", high=359, levels=(30, 90))
    image_scale_range: Any = image_axes.image_scale_range()
    image_independent: bool = image_axes.image_independent()
    image_folder: str = image_axes.image_folder()
    image_fill: str = image_axes.image_fill()
    # Traced: one program serves every level.
    reward_every_n_steps: int = shared_axes.reward_every_n_steps(
        0, "pay sequences that complete at a step divisible by it; the plain value is sequence_length"
    )
    horizon: int = shared_axes.horizon()


INNER = (
    shared_axes.transition_noise(
        "chance that the next state is another one, each equally likely",
        acts="assay.envs.toy.discrete:TRANSITION_NOISE",
    ),
    shared_axes.hidden_mode(
        "chance per step that a hidden mode flips, in which actions are counted from the last"
    ),
    shared_axes.aliased("neighbouring states that look alike"),
    shared_axes.state_jump(
        "chance per step that it ends in a state drawn anew, where an episode could begin",
        acts="assay.envs.toy.jumps:DISCRETE",
    ),
    shared_axes.reward_noise_function("assay.envs.toy.discrete:REWARD_NOISE", f"{EXAMPLES}:uneven"),
)
