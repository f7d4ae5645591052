"""The contract of an agent from outside: what acts, and what it declares about itself. No torch, no jax.

def act(observation): ...                                      a plain function is a policy with defaults
AGENT = assay.Policy(act, act_batch=act_batch, files=("weights.npy",))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import NotApplicable

Act = Callable[..., Any]  # observation -> action; with `uses_info`, observation, info -> action


@dataclass(frozen=True)
class Policy:
    """An agent that acts. Everything beside `act` is a power that it declares.

    `reset(seed=...)` is called before each episode: an agent that keeps something forgets it there, and one
    that draws at random seeds its generator, so that the episode can be played again bit for bit.
    `act_batch` takes observations stacked along a first axis of constant length and returns as many actions;
    a row's action depends on that row alone. An agent with `reset` keeps something, so its episodes are
    played one after another and `act_batch` is not called.
    `uses_info`: `act` takes (observation, info), and `act_batch` (observations, list of infos).
    `finish(observation, terminated)` is called after each episode with its last observation, which `act`
    never sees; `terminated` is false where a limit of steps cut the episode. With it, too, episodes are
    played one after another.
    `files`: what else decides how it acts, such as weights; a result is reused only while they are unchanged.
    """

    act: Act
    reset: Callable[..., Any] | None = None
    act_batch: Callable[..., Any] | None = None
    uses_info: bool = False
    files: tuple[str | Path, ...] = ()
    finish: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        for name in ("act", "reset", "act_batch", "finish"):
            function = getattr(self, name)
            if not callable(function) and not (function is None and name != "act"):
                raise NotApplicable(f"the {name} of a Policy is a function, not {function!r}.")
        files = (self.files,) if isinstance(self.files, (str, Path)) else self.files
        if not isinstance(files, (list, tuple)) or not all(isinstance(f, (str, Path)) for f in files):
            raise NotApplicable(f"the files of a Policy are paths, such as ('weights.npy',), not {files!r}.")
        object.__setattr__(self, "files", tuple(files))

    def __call__(self, observation: Any, *info: Any) -> Any:
        return self.act(observation, *info)

    @property
    def batches(self) -> bool:
        """Whether its episodes may be played side by side."""
        return self.act_batch is not None and self.reset is None and self.finish is None

    def begin(self, seed: int) -> None:
        """Calls `reset` before an episode, without a seed if it takes none, as a plain function's may."""
        if self.reset is not None:
            self.reset(**({"seed": seed} if takes_seed(self.reset) else {}))


def as_policy(value: Any) -> Policy:
    """A plain function, or the method of an object, as a policy, with its `reset` if there is one."""
    if isinstance(value, Policy):
        return value
    owner = value.__self__ if inspect.ismethod(value) else value
    reset = getattr(owner, "reset", None) or getattr(value, "reset", None)
    return Policy(value, reset if callable(reset) else None)


def takes_seed(reset: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(reset).parameters
    except (TypeError, ValueError):  # a function in C without a signature
        return False
    return "seed" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
