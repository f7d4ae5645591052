"""The settings of DQN and of what was added to it since. The defaults are those of MDP Playground's toys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.agents.agent import require_between, require_one_of, require_steps
from assay.agents.network import ACTIVATIONS
from assay.agents.on_policy_config import GRU, MEMORIES, NONE, STACK
from assay.agents.q_network import CELLS, FULL, KINDS, OF_PICTURES, why_no_network
from assay.agents.value_head import Head
from assay.core.space import Space
from assay.errors import AssayError

STORED, ZERO = STARTS = ("stored", "zero")
MOST_LANES = 8  # envs outside, side by side


@dataclass(frozen=True)
class Config:
    name: ClassVar[str] = "dqn"

    steps: int = 20_000  # env steps of training
    report_every: int = 1000  # env steps between two points of a learning curve
    hidden: tuple[int, ...] = (256, 256)  # the width of each hidden layer
    learning_rate: float = 1e-4  # of Adam
    adam_epsilon: float = 1e-4  # keeps Adam's steps finite
    discount: float = 0.99  # what a reward is worth one step later
    batch: int = 32  # transitions of one update
    steps_per_update: int = 4  # env steps between two updates
    learning_starts: int = 1000  # env steps before the first update
    target_every: int = 800  # env steps between copies of the network into the target
    explore_until: float = 0.1  # share of all steps over which exploration falls
    explore_last: float = 0.01  # chance of a random action from then on, in training
    huber: float = 1.0  # errors beyond this count linearly
    activation: str = "tanh"  # of the hidden layers
    network: str = FULL  # full; cells, one for every cell of a board; (small_)convolutions, of pictures
    double: bool = False  # double Q-learning: the network chooses the next action, the target values it
    replay: int = 0  # transitions that are kept, the newest; 0: all
    epsilon: float = 0.0  # chance of a random action when it is judged
    clip: bool = False  # learns from the signs of rewards, as is usual in games; scores stay as they are
    dueling: bool = False  # the value of a state, and what each action adds to it
    prioritised: bool = False  # transitions with larger errors are drawn more often
    priority: float = 0.6  # the power of an error by which it is drawn; 0 draws all alike
    importance: float = 0.4  # how much of that is made up for at first; all of it at the end
    n_step: int = 1  # rewards that are added up before a value is asked
    noisy: bool = False  # full layers have noise with a learned spread, which explores
    noise: float = 0.5  # the spread before any training, times the root of a layer's inputs
    atoms: int = 1  # returns of which the network gives chances, evenly between the next two; 1: only values
    lowest: float = -10.0  # the least return of the atoms
    highest: float = 10.0  # the largest
    munchausen: float = 0.0  # share of the policy's log-probability that is added to rewards; published 0.9
    temperature: float = 0.03  # of that policy
    memory: str = NONE  # none, stack (of the last observations and actions) or gru (a core behind the layers)
    stack_of: int = 4  # observations that a stack holds, with the actions between them
    memory_width: int = 64  # of the core
    sequence: int = 80  # steps in a row from which a core learns at a time; a batch counts such rows
    burn_in: int = 40  # steps before these that only fill its memory
    memory_start: str = STORED  # what it begins them with: stored as it was when they were played, or zero

    def __post_init__(self) -> None:
        # Steps are made in rounds, rounds in blocks, blocks in reports: a remainder would be lost.
        require_steps(
            self.name,
            steps_per_update=(self.steps_per_update, 1),
            target_every=(self.target_every, self.steps_per_update),
            report_every=(self.report_every, self.steps_per_update),
            learning_starts=(self.learning_starts, self.steps_per_update),
            steps=(self.steps, self.report_every),
            batch=(self.batch, 1),
            n_step=(self.n_step, 1),
            atoms=(self.atoms, 1),
            memory_width=(self.memory_width, 1),
            sequence=(self.sequence, 1),
            **({"replay": (self.replay, self.steps_per_update)} if self.replay else {}),
            **{f"hidden[{i}]": (size, 1) for i, size in enumerate(self.hidden)},
        )
        require_between(self.name, 0, 1, discount=self.discount, explore_last=self.explore_last,
                        epsilon=self.epsilon, priority=self.priority, importance=self.importance,
                        munchausen=self.munchausen)  # fmt: skip
        require_between(self.name, 1e-9, 1e9, explore_until=self.explore_until, huber=self.huber,
                        learning_rate=self.learning_rate, noise=self.noise,
                        temperature=self.temperature)  # fmt: skip
        require_between(self.name, 1e-12, 1e9, adam_epsilon=self.adam_epsilon)
        require_between(self.name, self.steps_per_update, self.steps, learning_starts=self.learning_starts)
        require_one_of(self.name, "activation", self.activation, ACTIVATIONS)
        require_one_of(self.name, "network", self.network, KINDS)
        require_one_of(self.name, "memory", self.memory, MEMORIES)
        require_one_of(self.name, "memory_start", self.memory_start, STARTS)
        require_between(self.name, 2, 64, stack_of=self.stack_of)
        require_between(self.name, 0, 10_000, burn_in=self.burn_in)
        self.refuse_contradictions()
        if self.memory == GRU:
            self.refuse_without_sequences()

    def refuse_contradictions(self) -> None:
        if self.n_step > self.kept or self.n_step > self.learning_starts:
            raise AssayError(
                f"n_step of {self.name} is {self.n_step}, and it needs as many steps in the replay "
                f"({self.kept}) and before the first update ({self.learning_starts}); make it smaller."
            )
        if self.atoms > 1 and not self.lowest < self.highest:
            raise AssayError(
                f"the atoms of {self.name} lie between lowest and highest, and {self.lowest:g} is not below "
                f"{self.highest:g}; set them to the least and the largest return."
            )
        if self.munchausen and (self.atoms > 1 or self.double or self.n_step > 1):
            raise AssayError(
                f"munchausen of {self.name} goes with values of one step, and a policy stands in for the "
                "best action; leave out atoms, double and n_step."
            )

    def refuse_without_sequences(self) -> None:
        """Refuses what a core cannot learn from sequences, or not from such."""
        for name, why in (("prioritised", "draws single transitions"), ("noisy", "is of plain layers")):
            if getattr(self, name):
                raise AssayError(
                    f"{name} of {self.name} {why}, and memory=gru learns from sequences; "
                    "leave out one of the two."
                )
        if self.n_step > self.sequence:
            raise AssayError(
                f"n_step of {self.name} is {self.n_step} and its sequence {self.sequence}, beyond which no "
                "reward is added up; make it smaller."
            )
        if (needed := self.window * self.lanes) > min(self.kept, self.learning_starts):
            raise AssayError(
                f"burn_in and sequence of {self.name} take {needed} steps, {self.window} of each env, and "
                f"{min(self.kept, self.learning_starts)} are there at the first update; shorten them, or set "
                "learning_starts and replay higher."
            )

    @property
    def window(self) -> int:
        """Steps of one env that a core is unrolled over for an update."""
        return self.burn_in + self.sequence

    @property
    def lanes(self) -> int:
        """Envs outside: they divide the steps of an update, so that one network chooses all of these."""
        return max(count for count in range(1, MOST_LANES + 1) if self.steps_per_update % count == 0)

    @property
    def kept(self) -> int:
        """Transitions in the replay."""
        return min(self.replay or self.steps, self.steps)

    @property
    def head(self) -> Head:
        if self.atoms == 1:
            return Head(self.dueling)
        return Head(self.dueling, self.atoms, self.lowest, self.highest)


def settings_unfit(config: Config, spaces: dict[str, Space]) -> str:
    """The reason why these settings are of no use in these spaces, or ""."""
    if config.memory != NONE and config.network == CELLS:
        return f"memory={config.memory} has no place in network=cells, which values each cell by itself"
    if config.memory == STACK and config.network in OF_PICTURES:
        return "memory=stack holds numbers, and these are pictures; vary observation.stack, or set memory=gru"
    return why_no_network(config.network, spaces)
