"""The laws of native tasks, as measurements: what a variation touches, step by step.

A varied run is followed part by part, and beside each part the plain task computes its own value from the
same inputs: the states, actions and ends of the *varied* run. Where the two differ, the variation touched
that component. So a transition that differs does not count against the reward: each component is judged at
the states visited.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.core import step as loop
from assay.core.env import Step, Task, World
from assay.core.keys import episode_key, root, step_key, stream
from assay.core.space import Box, Discrete, Space

SCRIPTS = ("random", "careful", "hold")
CANDIDATES = 4  # the careful script takes the first of so many random actions that does not end the episode


class Trace(NamedTuple):
    """One lane of a followed run; every array has time as its first axis."""

    touched: dict[str, jax.Array]  # component -> (T,) bool; "score" beside the six, and "start"
    first: Any  # the observation on which the step's action was chosen, where an episode begins; else zeros
    observation: Any
    state: Any  # the latent state
    reward: jax.Array
    score: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    executed: Any
    chosen: Any


def differs(a: Any, b: Any) -> jax.Array:
    """Whether two values differ in any bit, or in shape: a channel may widen an observation."""
    pairs = list(zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True))
    if any(jnp.shape(x) != jnp.shape(y) for x, y in pairs):
        return jnp.bool_(True)
    return jnp.stack([jnp.any(bits(x) != bits(y)) for x, y in pairs]).any()


def bits(value: jax.Array) -> jax.Array:
    value = jnp.asarray(value)
    return jax.lax.bitcast_convert_type(value, jnp.int32) if value.dtype == jnp.float32 else value


def sample(key: jax.Array, space: Space) -> jax.Array:
    """A uniformly random value of a space."""
    if isinstance(space, Discrete):
        return space.start + jax.random.randint(key, space.shape, 0, jnp.asarray(space.n))
    assert isinstance(space, Box), "native spaces are of numbers"
    return jax.random.uniform(key, space.shape, minval=space.low, maxval=space.high)


def choose(plain: Task, key: jax.Array, world: World, script: Any, held: Any) -> Any:
    """The script's next action: random; careful, which stays alive longer; or one action held."""
    space = loop.spaces(plain)["action"]
    candidates = jax.vmap(partial(sample, space=space))(jax.random.split(stream(key, "script"), CANDIDATES))

    def ends(action: jax.Array) -> jax.Array:
        return loop.finish(plain, world, loop.move(plain, key, world, action))[0]

    careful = candidates[jnp.argmin(jax.vmap(ends)(candidates))]
    return jnp.select([script == 0, script == 1], [candidates[0], careful], held)


def follow(
    plain: Task,
    varied: Task,
    kept: tuple[int, ...],
    words: Any,
    script: Any,
    steps: int,
    starts: bool = False,
) -> Trace:
    """`steps` steps of the varied task under a script, episode after episode, each judged by the plain task.

    `kept` are the places of the plain task's variations among the varied task's, whose clocks they share.
    With `starts` the first step from the plain task's own start is made too, to see whether another is felt.
    """
    seed = root(words)
    # One held action for all even seeds and one for all odd ones: by these lanes seeds are compared.
    held = sample(stream(root(words % 2), "held"), loop.spaces(plain)["action"])

    def one_step(carry: tuple, _: Any) -> tuple:
        episode, ended, world, shadow = carry
        # Every row begins an episode, kept only where the last one ended: one copy of the reset to compile.
        of_episode = episode_key(seed, episode)
        first, fresh, expected, at_start, own = begin(plain, varied, kept, of_episode, world, shadow)
        world = jax.tree.map(partial(jnp.where, ended), fresh, world)
        shadow = jax.tree.map(partial(jnp.where, ended), expected, shadow)
        key = step_key(of_episode, world.time + 1)
        chosen = choose(plain, key, shadow, script, held)
        out = loop.step(varied, key, world, chosen)
        shadow, touched = judge(plain, key, replace(shadow, state=world.state), chosen, out)
        touched = {name: mark | (ended & at_start.get(name, False)) for name, mark in touched.items()}
        if starts:
            touched["start"] = ended & still_felt(plain, key, own, chosen, out)
        first = jax.tree.map(lambda leaf: jnp.where(ended, leaf, jnp.zeros_like(leaf)), first)
        row = Trace(touched, first, out.observation, out.state.state, out.reward, out.score,
                    out.terminated, out.truncated, out.executed, chosen)  # fmt: skip
        ended = out.terminated | out.truncated
        return (episode + ended, ended, out.state, shadow), row

    key = episode_key(seed, 0)
    unplayed = loop.start(varied, key)  # replaced by the first row's own beginning
    blank = replace(loop.start(plain, key), state=unplayed.state)
    # A look settles the shapes and types that the memory has from the first step on.
    unplayed, blank = loop.look(varied, key, unplayed)[1], loop.look(plain, key, blank)[1]
    rows: Trace
    _, rows = jax.lax.scan(one_step, (jnp.int32(0), jnp.bool_(True), unplayed, blank), None, length=steps)
    return rows


def begin(
    plain: Task, varied: Task, kept: tuple[int, ...], of_episode: jax.Array, before: World, shadow: World
) -> tuple:
    """A new episode: its first observation, its world, the plain task's world, what the reset touched, and
    the world in which the plain task itself would begin.

    What the plain task's channels keep of the episode before (`shadow`) is their own, as within an episode.
    """
    key = step_key(of_episode, 0)
    world = loop.start_after(varied, key, before)
    own = shadow = loop.start(plain, key, before.life, tuple(before.clocks[i] for i in kept), shadow.memory)
    touched = {"initial": differs(world.state, shadow.state)}
    seen, world = loop.look(varied, key, world)
    shadow = replace(shadow, state=world.state)
    shadow = replace(
        shadow, scene=loop.stage_pictures(plain, key, shadow)
    )  # the plain scene of the varied start
    expected, shadow = loop.look(plain, key, shadow)
    touched["observation"] = differs(seen, expected)
    return seen, world, shadow, touched, own


def still_felt(plain: Task, key: jax.Array, own: World, chosen: Any, out: Step) -> jax.Array:
    """Whether the first step of an episode leads elsewhere than from the plain task's own start."""
    own, sent = loop.act(plain, key, own, chosen)
    return differs(loop.fence(loop.move(plain, key, own, sent)), out.state.state)


def judge(
    plain: Task, key: jax.Array, shadow: World, chosen: Any, out: Step
) -> tuple[World, dict[str, jax.Array]]:
    """One step of the varied run as the plain task sees it: the plain world after, and what was touched."""
    after, ends = out.state.state, (out.terminated, out.truncated)
    before = shadow.state
    shadow, sent = loop.act(plain, key, shadow, chosen)
    shadow = replace(shadow, state=before)
    expected_after = loop.fence(loop.move(plain, key, shadow, out.executed))
    expected_ends = loop.finish(plain, shadow, after)
    expected_score = loop.fence(loop.score(plain, key, shadow, out.executed, after))
    shadow, paid = loop.pay(plain, key, shadow, out.executed, after, ends)
    clocks, scene = loop.tick_clocks(plain, key, shadow), shadow.scene
    shadow = World(after, shadow.memory, clocks, shadow.time + 1, shadow.life + 1)
    shadow = replace(shadow, scene=loop.stage_pictures(plain, key, shadow, scene))
    seen, shadow = loop.look(plain, key, shadow, ends)
    touched = {
        "initial": jnp.bool_(False),
        "action": differs(sent, out.executed),
        "transition": differs(expected_after, after),
        "terminal": differs(expected_ends, ends),
        "score": differs(expected_score, out.score),
        "reward": differs(paid, out.reward),
        "observation": differs(seen, out.observation),
    }
    return shadow, touched


@partial(jax.jit, static_argnames=("kept", "steps", "starts"))
def follow_all(
    plain: Task,
    levels: Task,
    kept: tuple[int, ...],
    words: Any,
    scripts: Any,
    steps: int,
    starts: bool = False,
) -> Trace:
    """`follow` for a stack of levels, each over the same lanes: arrays (levels, lanes, time, ...)."""
    count, lanes = jax.tree.leaves(levels)[0].shape[0], len(scripts)

    def of_lane(varied: Task, words: jax.Array, script: jax.Array) -> Trace:
        return follow(plain, varied, kept, words, script, steps, starts)

    # One axis for both, levels and lanes: a batch of batches takes two thirds longer to compile.
    tasks = jax.tree.map(lambda leaf: jnp.repeat(leaf, lanes, axis=0), levels)
    traces = jax.vmap(of_lane)(tasks, jnp.tile(words, (count, 1)), jnp.tile(scripts, count))
    return jax.tree.map(lambda leaf: leaf.reshape(count, lanes, *leaf.shape[1:]), traces)


def comparable(plain: Task, varied: Task, declared: tuple[str, ...] = ()) -> str:
    """ "" where the plain functions can judge the varied run, else why not.

    What matters is the env itself: a channel that widens an observation leaves the plain functions their
    domain, but an env built with other states or actions does not. What declares the observation alone
    claims that states and actions are the same, and is held to it whatever the observation has become.
    """
    before, after = (task.env.spaces(task.env.params) for task in (plain, varied))
    compared = ("action",) if declared == ("observation",) else ("action", "observation")
    changed = [name for name in compared if before[name] != after[name]]
    if changed:
        return f"it changes the {' and '.join(changed)} space"
    key = jax.random.key(0)
    shapes = [jax.eval_shape(loop.start, task, key).state for task in (plain, varied)]
    return "" if shapes[0] == shapes[1] else "it changes the shape of the state"
