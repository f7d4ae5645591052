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
from assay.envs.gym.entry import AXES, MAKE
from assay.errors import NotApplicable, UnknownName
from assay.names import suggest

# The wrappers that `gymnasium.make` puts around every env. Our own env checks the order of calls, and our
# loop counts the time limit, both at a fraction of a wrapper's cost.
STOOD_IN_FOR = (TimeLimit, OrderEnforcing, PassiveEnvChecker)
# These envs draw from `np_random` alone, and their observations and infos are new ones; a test tries each.
KNOWN_WELL = tuple(f"gymnasium.envs.{name}." for name in ("classic_control", "toy_text", "mujoco"))
SHARES_ITS_STATE = ("gymnasium.envs.classic_control.continuous_mountain_car",)
PLAIN = {axis.name: axis.neutral for axis in AXES}


class Quick(spaces.Discrete):
    """A Discrete space that sees at a glance what we send: its own look is a fifth of a CartPole step."""

    def contains(self, x: Any) -> Any:  # one of numpy's, which costs less than Python's
        return (type(x) is np.int64 and 0 <= x - self.start < self.n) or super().contains(x)


class GymHost:
    """A Gymnasium env behind the host's five methods."""

    powers = Powers()

    def __init__(self, env: gymnasium.Env):
        self.env, self.limit = peel(env)
        self.ends_itself = has_inner_time_limit(self.env)
        self.spaces = {
            "action": space_of(env.action_space),
            "reward": Box(-np.inf, np.inf, (), "float64"),
            "observation": space_of(env.observation_space),
        }
        # Before ours stands in for one of them.
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
        """Reseeds by `reset(seed=)`, or sets the generator of an env that draws from nothing else."""
        if self._stream is None:
            return self.env.reset(seed=seed % 2**31)  # 31 bits, which every env takes
        self._stream.renew(seed)
        return self.env.reset()

    def latent(self) -> np.ndarray | None:
        """MuJoCo's positions and velocities, else the state that classic control and toy text envs carry."""
        inner: Any = self.env.unwrapped
        if hasattr(inner, "data") and hasattr(inner.data, "qpos"):
            return np.concatenate([inner.data.qpos, inner.data.qvel])
        if isinstance(getattr(inner, "state", None), (np.ndarray, tuple, list)):
            return np.asarray(inner.state, "float64")
        if isinstance(getattr(inner, "s", None), (int, np.integer)):
            return np.asarray(inner.s)
        return None

    def sample(self, rng: np.random.Generator) -> Any:
        """A random action, whatever the space is."""
        self.env.action_space.seed(int(rng.integers(2**31)))
        return self.env.action_space.sample()

    def close(self) -> None:
        self.env.close()


def peel(env: gymnasium.Env) -> tuple[gymnasium.Env, float]:
    """The env without the outer wrappers that we stand in for, and its time limit."""
    limit: Any = math.inf
    inner: Any = env
    while (kind := type(inner)) in STOOD_IN_FOR:
        limit = inner.spec.max_episode_steps if issubclass(kind, TimeLimit) else limit
        inner = inner.env
    return inner, limit


def has_inner_time_limit(env: gymnasium.Env) -> bool:
    """Whether a time limit stands further inside, or the env was registered with one."""
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, TimeLimit):
            return True
        env = env.env
    return env.spec is not None and env.spec.max_episode_steps is not None


def quick_space(space: spaces.Space) -> spaces.Space:
    if type(space) is not spaces.Discrete:
        return space
    return Quick(space.n, start=space.start, dtype=space.dtype.type)


def space_of(space: spaces.Space) -> Space:
    """A Gymnasium space as ours."""
    if isinstance(space, spaces.Discrete):
        return Discrete(int(space.n), int(space.start))
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1 and not np.any(space.start):
        return Discrete(tuple(int(n) for n in space.nvec))
    if isinstance(space, spaces.Box):
        return Box(space.low, space.high, space.shape, str(space.dtype))
    return Opaque(type(space).__name__)


def keep_mujoco_quiet(id: str) -> None:
    """MuJoCo writes warnings into a file where the user stands; as Python's they can be seen and filtered."""
    spec = gymnasium.registry.get(id)
    if spec is None or not str(spec.entry_point).startswith("gymnasium.envs.mujoco"):
        return
    try:
        import mujoco
    except ImportError:
        return  # gymnasium says what to install
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(warn_of_physics)


def warn_of_physics(text: str) -> None:
    # That Gymnasium's model files are written in an older form is nothing a user can change.
    if "is deprecated" not in text:
        warnings.warn(f"MuJoCo: {text}", RuntimeWarning, stacklevel=2)


def as_lists(value: Any) -> Any:
    """A list of a task's text as Gymnasium's envs expect it; ours are tuples."""
    return [as_lists(each) for each in value] if isinstance(value, tuple) else value


def build(name: str, settings: Mapping[str, Any], render_mode: str | None = None) -> Host:
    """The host of `gym/<id>`, with what the task sets from inside."""
    id = name.removeprefix("gym/")
    # Not every env takes the argument, so it is passed only when asked for.
    wanted: dict[str, Any] = {} if render_mode is None else {"render_mode": render_mode}
    given = {name.removeprefix(MAKE): as_lists(settings[name]) for name in settings if name.startswith(MAKE)}
    keep_mujoco_quiet(id)
    try:
        env = gymnasium.make(id, **wanted, **given)
    except (gymnasium.error.UnregisteredEnv, gymnasium.error.DeprecatedEnv) as error:
        near = suggest(id, list(gymnasium.registry))
        hint = f"did you mean {near}? " if near else ""
        raise UnknownName(
            f"Gymnasium has no env called {id!r}; {hint}gymnasium.registry lists all."
        ) from error
    except (gymnasium.error.Error, ModuleNotFoundError) as error:
        raise UnknownName(f"Gymnasium cannot make {id!r}: {' '.join(str(error).split())}") from error
    except Exception as error:  # the env's own __init__: whatever it finds wrong with its settings
        if not given:
            raise
        says = " ".join(str(error).split())
        raise NotApplicable(f"{name} cannot be made with {', '.join(given)}: {says}.") from error
    modes = env.metadata.get("render_modes", [])
    if render_mode is not None and render_mode not in modes:
        env.close()
        raise NotApplicable(f"{name} renders as {', '.join(modes) or 'nothing'}, not as {render_mode!r}.")
    moved = {n: value for n, value in settings.items() if not n.startswith(MAKE) and value != PLAIN[n]}
    beside = moved.pop("irrelevant_dims", 0)
    # These stand on this file.
    from assay.envs.gym.irrelevant_dims import HostWithIrrelevantDims
    from assay.envs.gym.mujoco import MujocoHost

    host = MujocoHost(env, name, moved) if moved else GymHost(env)
    return HostWithIrrelevantDims(host, beside, name) if beside else host
