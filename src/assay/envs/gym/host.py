"""gym/<id>: any registered Gymnasium env as a host."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

from assay.core.host import Host, Powers
from assay.core.space import Box, Discrete, Opaque, Space
from assay.core.streams import Renewable
from assay.envs.gym.entry import AXES, CHANCES, MAKE
from assay.errors import NotApplicable, UnknownName
from assay.task_text import suggest

# The wrappers that `gymnasium.make` puts around every env. Our own env checks the order of calls, and our
# loop counts the time limit, both at a fraction of a wrapper's cost.
REPLACED_WRAPPERS = (TimeLimit, OrderEnforcing, PassiveEnvChecker)
# These envs draw only from `np_random` and return new observations and infos; a test tries each of them.
KNOWN_WELL = tuple(f"gymnasium.envs.{name}." for name in ("classic_control", "toy_text", "mujoco"))
SHARES_ITS_STATE = ("gymnasium.envs.classic_control.continuous_mountain_car",)
PLAIN = {axis.name: axis.neutral for axis in AXES}


class Quick(spaces.Discrete):
    """A Discrete space with a fast check of our actions: the usual check is a fifth of a CartPole step."""

    def contains(self, x: Any) -> Any:  # a bool of numpy's costs less than one of Python's
        return (type(x) is np.int64 and 0 <= x - self.start < self.n) or super().contains(x)


class GymHost:
    """A Gymnasium env as a `Host`."""

    powers = Powers()

    def __init__(self, env: gymnasium.Env):
        self.env, self.limit = peel(env)
        self.ends_itself = has_inner_time_limit(self.env)
        self.spaces = {
            "action": space_of(env.action_space),
            "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": space_of(env.observation_space),
        }
        # Kept as they are, before `quick_space` replaces the env's own.
        self.action_space, self.observation_space = env.action_space, env.observation_space
        self.step = cast(Any, self.env).step
        module = type(self.env).__module__
        known = self.env is env.unwrapped and module.startswith(KNOWN_WELL)
        self.fresh = known and module not in SHARES_ITS_STATE
        self._stream = Renewable() if known else None
        if self._stream:
            self.env.np_random = self._stream.rng
            self.env.action_space = quick_space(self.env.action_space)

    def reset(self, seed: int) -> tuple[Any, dict]:
        """Reseeds with `reset(seed=)`, or renews the generator of an env that draws from nothing else."""
        if self._stream is None:
            return self.env.reset(seed=seed % 2**31)  # every env accepts 31 bits
        self._stream.renew(seed)
        return self.env.reset()

    def latent(self) -> np.ndarray | None:
        """MuJoCo's positions and velocities, or the state of classic control and toy text envs."""
        inner: Any = self.env.unwrapped
        if hasattr(inner, "data") and hasattr(inner.data, "qpos"):
            return np.concatenate([inner.data.qpos, inner.data.qvel])
        if isinstance(getattr(inner, "state", None), (np.ndarray, tuple, list)):
            return np.asarray(inner.state, "float64")
        if isinstance(getattr(inner, "s", None), (int, np.integer)):
            return np.asarray(inner.s)
        return None

    def sample(self, rng: np.random.Generator) -> Any:
        """A random action from a space of any kind."""
        self.env.action_space.seed(int(rng.integers(2**31)))
        return self.env.action_space.sample()

    def close(self) -> None:
        self.env.close()


def peel(env: gymnasium.Env) -> tuple[gymnasium.Env, float]:
    """The env without the outer wrappers that we replace, and its time limit."""
    limit: Any = math.inf
    inner: Any = env
    while (kind := type(inner)) in REPLACED_WRAPPERS:
        limit = inner.spec.max_episode_steps if issubclass(kind, TimeLimit) else limit
        inner = inner.env
    return inner, limit


def has_inner_time_limit(env: gymnasium.Env) -> bool:
    """Whether an inner wrapper sets a time limit, or the env was registered with one."""
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, TimeLimit):
            return True
        env = env.env
    return env.spec is not None and env.spec.max_episode_steps is not None


def quick_space(space: spaces.Space) -> spaces.Space:
    """A Discrete space as a `Quick` one; other spaces as they are."""
    if type(space) is not spaces.Discrete:
        return space
    return Quick(space.n, start=space.start, dtype=space.dtype.type)


def space_of(space: spaces.Space) -> Space:
    """A Gymnasium space as one of ours."""
    if isinstance(space, spaces.Discrete):
        return Discrete(int(space.n), int(space.start))
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1 and not np.any(space.start):
        return Discrete(tuple(int(n) for n in space.nvec))
    if isinstance(space, spaces.Box):
        return Box(space.low, space.high, space.shape, str(space.dtype))
    return Opaque(type(space).__name__)


def redirect_mujoco_warnings(id: str) -> None:
    """Turns MuJoCo's warnings, which it writes to a file in the working directory, into Python warnings."""
    spec = gymnasium.registry.get(id)
    if spec is None or not str(spec.entry_point).startswith("gymnasium.envs.mujoco"):
        return
    try:
        import mujoco
    except ImportError:
        return  # gymnasium's own error names what to install
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(warn_of_physics)


def warn_of_physics(text: str) -> None:
    # Users cannot change the deprecated form of Gymnasium's model files.
    if "is deprecated" not in text:
        warnings.warn(f"MuJoCo: {text}", RuntimeWarning, stacklevel=2)


def as_lists(value: Any) -> Any:
    """Tuples, the lists of a task's text, as lists, which Gymnasium's envs expect."""
    return [as_lists(each) for each in value] if isinstance(value, tuple) else value


def build(name: str, settings: Mapping[str, Any], render_mode: str | None = None) -> Host:
    """The host of `gym/<id>`, with the task's settings of the env itself."""
    id = name.removeprefix("gym/")
    # Not every env takes the argument, so it is passed only when asked for.
    render: dict[str, Any] = {} if render_mode is None else {"render_mode": render_mode}
    arguments = {
        name.removeprefix(MAKE): as_lists(settings[name]) for name in settings if name.startswith(MAKE)
    }
    redirect_mujoco_warnings(id)
    try:
        env = gymnasium.make(id, **render, **arguments)
    except (gymnasium.error.UnregisteredEnv, gymnasium.error.DeprecatedEnv) as error:
        near = suggest(id, list(gymnasium.registry))
        hint = f"did you mean {near}? " if near else ""
        raise UnknownName(
            f"Gymnasium has no env called {id!r}; {hint}gymnasium.registry lists all envs."
        ) from error
    except (gymnasium.error.Error, ModuleNotFoundError) as error:
        raise UnknownName(f"Gymnasium cannot make {id!r}: {' '.join(str(error).split())}") from error
    except Exception as error:  # the env's own __init__ refuses its arguments with any kind of error
        if not arguments:
            raise
        reason = " ".join(str(error).split())
        raise NotApplicable(f"{name} cannot be made with {', '.join(arguments)}: {reason}.") from error
    modes = env.metadata.get("render_modes", [])
    if render_mode is not None and render_mode not in modes:
        env.close()
        raise NotApplicable(f"{name} renders as {', '.join(modes) or 'nothing'}, not as {render_mode!r}.")
    varied = {n: value for n, value in settings.items() if not n.startswith(MAKE) and value != PLAIN[n]}
    irrelevant = varied.pop("irrelevant_dims", 0)
    chances = {event: varied.pop(event) for event in CHANCES if event in varied}
    # Imported here, because these modules import this one.
    from assay.envs.gym.chance_events import HostWithChance
    from assay.envs.gym.irrelevant_dims import HostWithIrrelevantDims
    from assay.envs.gym.mujoco import MujocoHost
    from assay.envs.gym.saving import saving_powers

    host: Any = MujocoHost(env, name, varied) if varied else GymHost(env)
    if irrelevant:
        host = HostWithIrrelevantDims(host, irrelevant, name)
    elif "jump_back" in chances:
        host.powers = saving_powers(host.env)
    return HostWithChance(host, name, chances) if chances else cast(Host, host)
