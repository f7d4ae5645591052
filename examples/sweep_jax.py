"""A dose curve in one program: nine delays of the reward, 256 episodes each, under one vmap.

A level is data, not code, so `env.at("delay", level)` takes a traced level and nothing compiles anew for it.
"""

from functools import partial

import jax
import jax.numpy as jnp

import assay

TASK = "toy/discrete+terminal_state_density=0.0+horizon=50"
DELAYS = jnp.arange(9)
EPISODES = 256


def episode(env, key):
    """The return of one episode of random play."""

    def one_step(carry, t):
        world, alive = carry
        action_key, step_key = jax.random.split(jax.random.fold_in(key, t))
        action = jax.random.randint(action_key, (), 0, env.spaces["action"].n)
        out = env.step(step_key, world, action)
        paid = jnp.where(alive, out.reward, 0.0)
        return (out.state, alive & ~(out.terminated | out.truncated)), paid

    _, world = env.reset(jax.random.fold_in(key, 0))
    _, paid = jax.lax.scan(one_step, (world, True), jnp.arange(1, 51))
    return paid.sum()


@jax.jit
def mean_return(delay, keys):
    return jax.vmap(partial(episode, assay.make_jax(TASK).at("delay", delay)))(keys).mean()


def main() -> None:
    keys = jax.random.split(jax.random.key(0), EPISODES)
    returns = jax.vmap(mean_return, (0, None))(DELAYS, keys)
    print(f"{TASK}, random play, {EPISODES} episodes a level")
    for delay, mean in zip(DELAYS.tolist(), returns.tolist()):
        print(f"  delay={delay}  {mean:6.2f}  {'█' * round(3 * mean)}")


if __name__ == "__main__":
    main()
