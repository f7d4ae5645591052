"""Our DQN beside Stable-Baselines3's: CPU seconds for one seed, at equal settings and equal returns.

Both train in processes of their own, one for each core, ours in batches of seeds and theirs seed by seed.
Compiling and warming up are timed apart, and evaluating not at all. Their env is `assay.make`, whose steps
are in their time. Their networks are read into ours, so one program evaluates both.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from assay.agents import adam, dqn
from assay.agents.agent import how_many
from assay.agents.dqn_config import Config as DqnConfig
from assay.agents.network import features
from assay.core.keys import root_of, seed_words
from assay.core.space import Space, count_of
from assay.errors import AssayError
from assay.interop.gymnasium import make
from assay.native import build_native
from assay.runs.evaluate import EvaluationSetup, evaluate
from assay.stats.aggregate import Interval
from assay.stats.resampling import bootstrap_t

TASK = "toy/discrete"
LANES = 2  # seeds in one program: two networks with their Adam moments about fill a core's L2 cache
EPISODES, EVALUATION = 20, 99  # of one trained agent, and their seed
RATE_LANES, RATE_TRIES, RATE_CALLS = (2, 10, 50), 5, 100
MISSING = "Stable-Baselines3 is not installed (pip install 'rl-assay[sb3]'), so only ours is measured."


class Share(NamedTuple):
    """The figures of one process; seconds of training only."""

    scores: list[float]  # one for each seed
    cpu_seconds: float
    wall_seconds: float
    compile_seconds: float  # CPU, before training: compiling, or warming up
    product_rate: float  # FLOP per CPU second of the best batched matrix product; NaN where not measured


class Side(NamedTuple):
    """One of the two DQNs."""

    name: str
    seeds: int
    cpu_seconds_per_seed: float
    wall_seconds: float  # of all seeds, on all cores
    compile_seconds: float  # CPU, in each process
    score: Interval  # mean over seeds
    scores: list[float]


class Setting(NamedTuple):
    name: str
    ours: Any
    theirs: Any


class Work(NamedTuple):
    """Matrix products of one training, in FLOP, and the share of the cores' rate that it reaches."""

    as_written: float  # every observation of a batch and every action through the whole network
    done: float  # each of the few observations once
    product_rate: float  # per CPU second, of a batched (seeds, 32, 256) x (seeds, 256, 256) product
    share_done: float
    share_as_written: float


class Comparison(NamedTuple):
    """Both sides; `theirs` and what follows from it are None where Stable-Baselines3 is missing."""

    ours: Side
    work: Work
    settings: list[Setting]
    theirs: Side | None
    agree: bool | None  # whether the two 95% intervals of the mean score overlap; None where one has no ends
    ratio: float | None  # their CPU seconds for one seed over ours

    @property
    def counts(self) -> bool:
        """Whether the ratio compares like with like."""
        return bool(self.agree) and all(setting.ours == setting.theirs for setting in self.settings)


def compare(seeds: int, their_seeds: int, steps: int, tell: Callable[[int, int, str], None]) -> Comparison:
    """Trains both, ours first. `tell(done, total, what)` is called with the progress."""
    config = DqnConfig(steps=steps)
    if steps <= config.learning_starts:
        raise AssayError(
            f"--steps must be above {config.learning_starts}, where learning starts, not {steps}."
        )
    batches = [list(range(i, min(i + LANES, seeds))) for i in range(0, seeds, LANES)]
    tell(0, 2, f"our DQN, {seeds} seeds x {steps:,} steps")
    shares = in_processes(our_share, batches, config)
    ours = side("assay", shares)
    work = work_of(config, ours, float(np.mean([share.product_rate for share in shares])))
    if find_spec("stable_baselines3") is None:
        return Comparison(ours, work, [], None, None, None)
    tell(1, 2, f"Stable-Baselines3's DQN, {their_seeds} seeds x {steps:,} steps")
    theirs = side("Stable-Baselines3", in_processes(their_share, list(range(their_seeds)), config))
    agree = overlap(ours.score, theirs.score)
    ratio = theirs.cpu_seconds_per_seed / ours.cpu_seconds_per_seed
    return Comparison(ours, work, settings(config), theirs, agree, ratio)


def overlap(a: Interval, b: Interval) -> bool | None:
    """Whether two intervals share a point; None where one has no ends, as a single seed's."""
    if not np.all(np.isfinite([*a, *b])):
        return None
    return a.low <= b.high and b.low <= a.high


def in_processes(share: Callable, work: list, config: DqnConfig) -> list[Share]:
    """Divides the work among new processes, one for each core."""
    own_cores = cores()[: len(work)]
    with ProcessPoolExecutor(len(own_cores), mp_context=multiprocessing.get_context("spawn")) as pool:
        parts = [work[i :: len(own_cores)] for i in range(len(own_cores))]
        return list(pool.map(partial(on_core, share, config), own_cores, parts))


def on_core(share: Callable, config: DqnConfig, core: int, work: list) -> Share:
    """Does a share on one core: with threads on two, XLA takes almost twice the CPU seconds."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    return share(config, work)


def cores() -> list[int]:
    return (
        sorted(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else list(range(os.cpu_count() or 1))
    )


def side(name: str, shares: list[Share]) -> Side:
    scores = [score for share in shares for score in share.scores]
    # A score of one episode moves by at least 1, so the mean of a seed by 1 / EPISODES.
    interval = bootstrap_t(np.array(scores), rng=np.random.default_rng(0), step=1 / EPISODES)
    return Side(
        name,
        len(scores),
        sum(share.cpu_seconds for share in shares) / len(scores),
        max(share.wall_seconds for share in shares),
        float(np.mean([share.compile_seconds for share in shares])),
        interval,
        scores,
    )


def our_share(config: DqnConfig, batches: list[list[int]]) -> Share:
    """Trains batches of seeds; one that is not full is filled up with its last seed."""
    task = build_native(TASK).task
    tasks = jax.tree.map(lambda leaf: jnp.stack([leaf] * LANES), task)
    filled = [[*seeds, *seeds[-1:] * (LANES - len(seeds))] for seeds in batches]
    keys = [jnp.stack([root_of(seed) for seed in seeds]) for seeds in filled]
    begun = time.process_time()
    params_of = jax.vmap(lambda key, task: dqn.train(key, task, config).params)
    train = jax.jit(params_of).lower(keys[0], tasks).compile()
    cpu, wall = time.process_time(), time.perf_counter()
    trained = [jax.block_until_ready(train(each, tasks)) for each in keys]
    used, spent = time.process_time() - cpu, time.perf_counter() - wall
    scores = [
        score_of(jax.tree.map(lambda leaf, i=i: leaf[i], params))
        for seeds, params in zip(batches, trained)
        for i in range(len(seeds))
    ]
    return Share(scores, used, spent, cpu - begun, product_rate(config))


def score_of(params: list) -> float:
    """Mean score of the greedy agent; every agent plays the same episodes."""
    tasks = jax.tree.map(lambda leaf: leaf[None], build_native(TASK).task)
    outcomes = evaluate(tasks, params, seed_words(EVALUATION), EvaluationSetup(dqn.act), EPISODES)
    return float(outcomes.score.mean())


def product_rate(config: DqnConfig) -> float:
    """The best rate of a batched matrix product on this core, FLOP per CPU second."""
    multiply, best, width = jax.jit(jnp.matmul), 0.0, config.hidden[0]
    for lanes in RATE_LANES:
        x, weights = jnp.ones((lanes, config.batch, width)), jnp.ones((lanes, width, width))
        multiply(x, weights).block_until_ready()
        for _ in range(RATE_TRIES):
            cpu = time.process_time()
            for _ in range(RATE_CALLS):
                product = multiply(x, weights)
            product.block_until_ready()
            flop = 2 * RATE_CALLS * x.size * width
            best = max(best, flop / (time.process_time() - cpu))
    return best


def work_of(config: DqnConfig, ours: Side, rate: float) -> Work:
    """Counts products of network layers alone: looking rows up in their results is less than 1%."""
    spaces = build_native(TASK).spaces
    observations, actions = count_of(spaces["observation"]), count_of(spaces["action"])
    layers = [
        2 * into * out for into, out in pairwise((observations, *config.hidden, actions))
    ]  # FLOP of one row
    whole, above = sum(layers), sum(layers[1:])
    rounds = config.steps // config.steps_per_update
    updates = (config.steps - config.learning_starts) // config.steps_per_update
    # The target forward, the network forward, and back: to all weights, and to all inputs but the first.
    as_written = config.steps * whole + updates * config.batch * (3 * whole + above)
    # The first layer is looked up. A round's pass forward serves its actions and its update; the target's is
    # made once a block.
    blocks = config.steps // dqn.block_steps(config)
    done = observations * above * (rounds + blocks + 2 * updates)
    per_second = 1 / ours.cpu_seconds_per_seed / rate
    return Work(as_written, done, rate, done * per_second, as_written * per_second)


def their_share(config: DqnConfig, seeds: list[int]) -> Share:
    import torch

    torch.set_num_threads(1)
    begun = time.process_time()
    their_dqn(config, seeds[0]).learn(config.learning_starts + 100)
    compiling, used, spent, scores = time.process_time() - begun, 0.0, 0.0, []
    for seed in seeds:
        model = their_dqn(config, seed)
        cpu, wall = time.process_time(), time.perf_counter()
        model.learn(config.steps)
        used, spent = used + time.process_time() - cpu, spent + time.perf_counter() - wall
        scores.append(score_of(as_our_params(model)))
    return Share(scores, used, spent, compiling, float("nan"))


def their_dqn(config: DqnConfig, seed: int, env: Any = None) -> Any:
    """Stable-Baselines3's DQN with our settings; comments name its own defaults.

    `env` is one env, or a vector env, of which one step counts as many as it has lanes.
    """
    import torch
    from stable_baselines3 import DQN

    class Theirs(DQN):
        def _sample_action(self, learning_starts: int, *arguments: Any) -> tuple:
            # Until learning starts it would act at random alone; ours follows the schedule from step one.
            return super()._sample_action(0, *arguments)

    model = Theirs(
        "MlpPolicy",
        make(TASK) if env is None else env,
        learning_rate=config.learning_rate,
        buffer_size=config.steps,
        learning_starts=config.learning_starts,
        batch_size=config.batch,
        tau=1.0,
        gamma=config.discount,
        train_freq=config.steps_per_update // getattr(env, "num_envs", 1),
        gradient_steps=1,
        target_update_interval=config.target_every,
        exploration_fraction=config.explore_until,
        exploration_initial_eps=1.0,
        exploration_final_eps=config.explore_last,
        max_grad_norm=float("inf"),  # it would clip at 10
        policy_kwargs={
            "net_arch": list(config.hidden),
            "activation_fn": {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[config.activation],
            "optimizer_kwargs": {"eps": config.adam_epsilon, "betas": adam.DECAYS},
        },
        seed=seed,
        device="cpu",
    )
    for layer in linear_layers(model):  # it would begin with torch's own weights and biases
        torch.nn.init.xavier_uniform_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    model.q_net_target.load_state_dict(model.q_net.state_dict())
    return model


def linear_layers(model: Any) -> list:
    return [layer for layer in model.q_net.q_net if hasattr(layer, "weight")]


def as_our_params(model: Any) -> list:
    return [
        tuple(jnp.asarray(array.detach().numpy()) for array in (layer.weight.T, layer.bias))
        for layer in linear_layers(model)
    ]


def settings(
    config: DqnConfig, model: Any = None, spaces: Mapping[str, Space] | None = None
) -> list[Setting]:
    """The settings line by line: ours from the config, theirs read back from a model."""
    model = model or their_dqn(config, 0)
    optimiser, buffer, lanes = model.policy.optimizer, model.replay_buffer, model.n_envs
    spaces = spaces or build_native(TASK).spaces
    sizes = (features(spaces["observation"]), *config.hidden, how_many(spaces["action"]))
    their_layers = linear_layers(model)
    their_sizes = (their_layers[0].in_features, *(layer.out_features for layer in their_layers))
    return [
        Setting("layers", sizes, their_sizes),
        Setting("between layers", config.activation, type(model.q_net.q_net[1]).__name__.lower()),
        Setting("first weights", "Xavier-uniform, biases 0", "Xavier-uniform, biases 0"),
        Setting("optimiser", "Adam", type(optimiser).__name__),
        Setting("learning rate", config.learning_rate, optimiser.param_groups[0]["lr"]),
        Setting("Adam's epsilon", config.adam_epsilon, optimiser.param_groups[0]["eps"]),
        Setting("Adam's decays", adam.DECAYS, tuple(optimiser.param_groups[0]["betas"])),
        Setting("gradient clipped at", "no norm", at_norm(model.max_grad_norm)),
        Setting("loss", f"Huber {config.huber}, mean", "Huber 1.0, mean"),  # smooth_l1_loss as it stands
        Setting("discount", config.discount, model.gamma),
        Setting("batch", config.batch, model.batch_size),
        Setting("buffer", config.steps, buffer.buffer_size * lanes),
        Setting("learning starts after", config.learning_starts, model.learning_starts),
        Setting("env steps between updates", config.steps_per_update, model.train_freq.frequency * lanes),
        Setting("gradient steps in an update", 1, model.gradient_steps),
        Setting("env steps between target copies", config.target_every, model.target_update_interval),
        Setting("share of the network copied", 1.0, model.tau),
        Setting("exploration at first", 1.0, model.exploration_initial_eps),
        Setting("exploration at last", config.explore_last, model.exploration_final_eps),
        Setting("reached after this share of steps", config.explore_until, model.exploration_fraction),
        Setting("a time limit is no ending", True, buffer.handle_timeout_termination),
    ]


def at_norm(limit: float) -> str | float:
    return "no norm" if limit == float("inf") else limit


def machine() -> dict[str, str | int | None]:
    """The machine and the versions for which the figures hold."""
    packages = [name for name in ("jax", "stable_baselines3", "torch") if find_spec(name)]
    return {
        "cores": len(cores()),
        "python": platform.python_version(),
        **{name: version(name.replace("_", "-")) for name in packages},
    }
