"""Checkpoints of PyTorch in the published Atari formats, read with `weights_only=True`: no code in them runs.

`AtariNet` of Gogianu et al. 2022 (DQN, M-DQN and C51; a gzip whose "estimator_state" holds the weights) and
CleanRL's networks have the same layers under other names. So a network is known by the shapes of its layers,
wherever in the file they are; a file that holds anything more than these layers is refused, since what more
there is may be part of another network.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.axis import show_value
from assay.errors import NotApplicable
from assay.interop.checkpoints.array_pickle import read_array_pickle
from assay.interop.checkpoints.contract import Checkpoint
from assay.interop.checkpoints.msgpack import read_msgpack
from assay.interop.checkpoints.network import (
    ACTIONS,
    SHAPES,
    WIDTH,
    Layer,
    PixelAgent,
    expected_values,
    nature_values,
)
from assay.interop.checkpoints.reading import NotThis, checkpoint_of, content_of

DEEPEST = 4  # of dictionaries in dictionaries
KNOWN = "DQN, M-DQN and C51 in the form of Mnih et al. 2015, and CleanRL's PPO with the same layers"
# Names of target networks; an agent may be called after targets of another kind ("targeted_agent").
TARGET = re.compile(r"target(_.*)?|.*_target(_net(work)?)?")
MOST_NUMBERS = 2**26  # in one dictionary; a published network has 2 million
MOST_NAMED = 8
PICKLE = b"\x80"
SUPPORTS = ("support", "atoms")  # how names end under which C51's returns are kept
Tensors = dict[str, np.ndarray]


def load_torch(name: str, path: Path) -> Checkpoint:
    """The agent in a file of PyTorch; `name` is the agent's, for errors."""
    try:
        import torch  # noqa: F401 - whether it is installed
    except ImportError:
        raise NotApplicable(
            f"{name} needs PyTorch, which is not installed; pip install torch brings it in."
        ) from None
    content = content_of(name, path)
    agent = agent_in(name, path, value_in(name, path, content.data))
    return checkpoint_of(name, path, agent, content.digest)


def value_in(name: str, path: Path, data: bytes) -> Any:
    import torch

    try:
        return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as error:  # a stranger's bytes can make it fail in many ways
        if is_flax(data):
            raise NotApplicable(
                f"{name}: {path} looks like a file of flax and not of PyTorch; write flax:{path}."
            ) from error
        raise NotApplicable(f"{name}: {path} {why_not_read(error)}.") from error


def is_flax(data: bytes) -> bool:
    try:
        read = read_array_pickle if data.startswith(PICKLE) else read_msgpack
        return isinstance(read(data), Mapping)
    except ValueError:
        return False


def why_not_read(error: Exception) -> str:
    """Why `torch.load` did not read a file, after "the file ..."."""
    named = re.search(r"GLOBAL ([\w.]+)", str(error))
    if isinstance(error, pickle.UnpicklingError) and named:
        return (
            f"holds more than weights ({named[1]}), and loading that would run code; "
            "save model.state_dict() alone"
        )
    return "is no checkpoint of PyTorch, or is damaged; torch.save(model.state_dict(), FILE) writes one"


def agent_in(name: str, path: Path, content: Any) -> PixelAgent:
    """The one network among the dictionaries of a file; targets of training do not count."""
    import torch

    found: dict[str, PixelAgent] = {}
    reasons: list[tuple[int, str, str]] = []  # how much a dictionary holds, its place, why it is no network
    targets: list[str] = []
    for place, tensors in dictionaries(content, torch.Tensor):
        if is_target(place):
            targets.append(place)
            continue
        left = {key: value for key, value in tensors.items() if not is_target(key)}
        if not left:
            targets.append(place or next(iter(tensors)))
            continue
        try:
            found[place] = network_of(as_numbers(left))
        except NotThis as error:
            reasons.append((len(tensors), place, str(error)))
    if len(found) == 1:
        agent = next(iter(found.values()))
        return agent._replace(game=env_in(content))
    if found:
        raise NotApplicable(
            f"{name}: {path} holds several networks ({', '.join(map(show_value, sorted(found)))}); "
            "save the one that acts alone."
        )
    if targets and not reasons:
        named = ", ".join(map(show_value, targets[:MOST_NAMED]))
        raise NotApplicable(
            f"{name}: {path} holds only target networks ({named}), which do not act; "
            "save the network that acts."
        )
    if not reasons:
        raise NotApplicable(f"{name}: {path} holds no dictionary of weights; save model.state_dict().")
    _, place, why = max(reasons)
    where = f" under {show_value(place)}" if place else ""
    raise NotApplicable(f"{name}: the network{where} {why}; assay knows {KNOWN}.")


def dictionaries(
    content: Any, tensor: type, place: str = "", depth: int = 0
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every dictionary that holds tensors, with its place in the file."""
    if not isinstance(content, Mapping) or depth > DEEPEST:
        return
    own = {str(key): value for key, value in content.items() if isinstance(value, tensor)}
    if own:
        yield place, own
    for key, value in content.items():
        yield from dictionaries(value, tensor, f"{place}.{key}" if place else str(key), depth + 1)


def is_target(place: str) -> bool:
    """Whether a part of a place or of a name says that a network is a target of training."""
    return any(TARGET.fullmatch(part) for part in place.split("."))


def as_numbers(tensors: Mapping[str, Any]) -> Tensors:
    """The tensors of a dictionary as arrays; NotThis where one is no plain array of numbers."""
    if sum(tensor.numel() for tensor in tensors.values() if not tensor.is_nested) > MOST_NUMBERS:
        raise NotThis(f"has more than {MOST_NUMBERS:,} numbers")
    return {key: as_array(key, tensor) for key, tensor in tensors.items()}


def as_array(key: str, tensor: Any) -> np.ndarray:
    try:
        # A file of a few bytes can hold one number that counts as billions, which must not be written out.
        if tensor.numel() * tensor.element_size() <= tensor.untyped_storage().nbytes():
            plain = tensor.detach()
            return plain.float().numpy() if plain.is_floating_point() else plain.numpy()
    except Exception as error:  # sparse, quantised, without content: each fails in its own way
        raise NotThis(f"holds {show_value(key)}, which is no plain array of numbers") from error
    raise NotThis(f"holds {show_value(key)}, which has more numbers than the file gives for it")


def env_in(content: Any) -> str:
    """The env that CleanRL's settings name, or the file itself beside its weights."""
    top = content if isinstance(content, Mapping) else {}
    settings = top.get("args")
    for names in (settings, top):
        env = names.get("env_id") if isinstance(names, Mapping) else None
        if isinstance(env, str) and env:
            return env
    return ""


def network_of(tensors: Tensors) -> PixelAgent:
    """The network that a dictionary of tensors holds; NotThis where it is none of the known ones."""
    left = dict(tensors)
    kernels = [take_only(left, (out, inner, high, wide)) for high, wide, inner, out in SHAPES]
    full = take_only(left, (WIDTH, 3136))
    atoms = take_atoms(left)
    lasts = {key: value for key, value in left.items() if value.shape[1:] == (WIDTH,)}
    layers = {key: take_layer(left, key) for key in lasts}
    if left:
        raise NotThis(f"also holds {show_value(next(iter(left)))}, so it is another network")
    params: dict[str, Any] = {"convolutions": [as_convolution(*layer) for layer in kernels],
                              "full": after_convolutions(*full)}  # fmt: skip
    if len(layers) == 2 and atoms is None:
        return actor_critic(params, layers)
    if len(layers) != 1:
        raise NotThis(f"has {len(layers)} layers after the one of {WIDTH}")
    weight, bias = next(iter(layers.values()))
    params["last"] = {"kernel": weight.T, "bias": bias}
    if atoms is None:
        return PixelAgent("DQN or M-DQN", len(bias), params, nature_values)
    if len(bias) % len(atoms):
        raise NotThis(f"has {len(bias)} outputs, which is no multiple of its {len(atoms)} atoms")
    return PixelAgent("C51", len(bias) // len(atoms), params | {"atoms": atoms}, expected_values)


def actor_critic(params: dict[str, Any], layers: dict[str, tuple[np.ndarray, np.ndarray]]) -> PixelAgent:
    named = {key.removesuffix(".weight").rpartition(".")[2]: layer for key, layer in layers.items()}
    if set(named) != {"actor", "critic"}:
        raise NotThis(f"has two layers after the one of {WIDTH}, and they are not called actor and critic")
    weight, bias = named["actor"]
    if len(named["critic"][1]) != 1:
        raise NotThis(f"has a critic of {len(named['critic'][1])} outputs, and one has 1")
    last = {"kernel": weight.T, "bias": bias}
    return PixelAgent("actor-critic", len(bias), params | {"last": last}, nature_values, ACTIONS)


def take_only(left: Tensors, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The weight of this shape and its bias, taken out of what is left."""
    keys = [key for key, value in left.items() if value.shape == shape]
    if len(keys) != 1:
        raise NotThis(f"has {len(keys) or 'no'} layers of the shape {shape}")
    return take_layer(left, keys[0])


def take_layer(left: Tensors, key: str) -> tuple[np.ndarray, np.ndarray]:
    weight, bias = left.pop(key), left.pop(f"{key.removesuffix('weight')}bias", None)
    if not key.endswith("weight") or bias is None or bias.shape != weight.shape[:1]:
        raise NotThis(f"has a layer {show_value(key)} without a bias of its size")
    if not (weight.dtype.kind == bias.dtype.kind == "f"):
        raise NotThis(f"has a layer {show_value(key)} of {weight.dtype} and {bias.dtype}, not of fractions")
    if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
        raise NotThis(f"has numbers in {show_value(key)} that are not finite")
    return weight, bias


def take_atoms(left: Tensors) -> np.ndarray | None:
    """The returns that C51's distributions are over, taken out of what is left; None where there are none."""
    keys = [key for key, value in left.items() if value.ndim == 1 and key.endswith(SUPPORTS)]
    if len(keys) > 1:
        raise NotThis(f"has several supports ({', '.join(map(show_value, keys))})")
    if not keys:
        return None
    atoms = left.pop(keys[0])
    if atoms.dtype.kind not in "iuf":
        raise NotThis(f"has a support of {atoms.dtype} instead of numbers")
    if not np.isfinite(atoms).all():
        raise NotThis("has a support with atoms that are not finite")
    # The difference of whole numbers without a sign is never below zero.
    if not (len(atoms) > 1 and (np.diff(atoms.astype(np.float64)) > 0).all()):
        raise NotThis("has a support whose atoms do not increase")
    return atoms.astype(np.float32)


def as_convolution(weight: np.ndarray, bias: np.ndarray) -> Layer:
    """PyTorch's kernel, out x in x height x width, in flax's form."""
    return {"kernel": weight.transpose(2, 3, 1, 0), "bias": bias}


def after_convolutions(weight: np.ndarray, bias: np.ndarray) -> Layer:
    """The layer after the convolutions, whose inputs PyTorch counts by channels first."""
    cells = weight.reshape(len(weight), SHAPES[-1][-1], 7, 7)
    return {"kernel": cells.transpose(2, 3, 1, 0).reshape(-1, len(weight)), "bias": bias}
