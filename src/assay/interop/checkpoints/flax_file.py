"""Checkpoints of flax in the published Atari formats, read without flax.

- i-DQN (Vincent et al. 2025): a pickle of frozen dictionaries of arrays, with the layers of DQN. All have a
  first axis: in the shared form two bodies ("torso_params") and K + 1 heads ("head_params"), else K + 1 of
  each.
- IMPALA of Cleanba and CleanRL's PPO in JAX: msgpack of settings and of three networks, a body (residual, or
  that of DQN), an actor and a critic.
- DQN in JAX of either: the layers of DQN alone.

Anything else is refused, with what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    HEADS,
    PADDINGS,
    SHAPES,
    WIDTH,
    Layer,
    PixelAgent,
    nature_values,
    residual_logits,
    values_of_head,
)
from assay.interop.checkpoints.reading import OLD_TORCH, ZIP, NotThis, checkpoint_of, content_of

PICKLE = b"\x80"  # how pickles begin; of msgpack only an empty map does
MOST_NAMED = 8  # parts of a tree
HIDDEN = 256  # of IMPALA's full layer
SIDE = 11  # of its last pictures
BLOCKS = ("ResidualBlock_0", "ResidualBlock_1")
KNOWN = "i-DQN's, Cleanba's and CleanRL's networks for Atari"
MAKERS = {"torch": "PyTorch", "sb3": "Stable-Baselines3"}
Tree = Mapping[str, Any]
SHARED = ("torso_params", "head_params")


def load_flax(name: str, path: Path) -> Checkpoint:
    """The agent in a file of flax; `name` is the agent's, for errors."""
    data, digest = content_of(name, path)
    if data.startswith((ZIP, OLD_TORCH)):
        saved = "sb3" if b"policy.pth" in data else "torch"
        raise NotApplicable(
            f"{name}: {path} looks like a file of {MAKERS[saved]} and not of flax; write {saved}:{path}."
        )
    try:
        tree = read_array_pickle(data) if data.startswith(PICKLE) else read_msgpack(data)
    except ValueError as error:
        raise NotApplicable(
            f"{name}: {path} is no checkpoint of flax that assay reads: {str(error).rstrip('.')}; "
            "flax.serialization.to_bytes writes one."
        ) from error
    try:
        agent = network_of(tree)
    except NotThis as error:
        raise NotApplicable(f"{name}: the network in {path} {error}; assay knows {KNOWN}.") from None
    return checkpoint_of(name, path, agent, digest)


def network_of(tree: Any) -> PixelAgent:
    if not isinstance(tree, Mapping) or not tree:
        raise NotThis("is no dictionary of layers")
    if set(tree) == {"0", "1"}:  # flax counts the parts of a list
        return actor_critic(tree["0"], tree["1"])
    if set(tree) == set(SHARED):
        body, head = (branch(tree, part, ("params",))["params"] for part in SHARED)
        return with_heads(body, head)
    layers = branch(tree, "", ("params",))["params"]
    if isinstance(layers, Mapping) and set(layers) == {"torso", "head"}:
        return with_heads(layers["torso"], layers["head"])
    if isinstance(layers, Mapping) and "Conv_0" in layers:
        body = {key: value for key, value in layers.items() if key.startswith("Conv_")}
        head = {key: value for key, value in layers.items() if not key.startswith("Conv_")}
        return with_heads(body, head)
    raise NotThis(f"holds {parts(layers)}")


def actor_critic(settings: Any, networks: Any) -> PixelAgent:
    networks = named(networks, "", ("0", "1", "2"))
    body, actor = (branch(networks, part, ("params",))["params"] for part in ("0", "1"))
    game = str(settings.get("env_id", "")) if isinstance(settings, Mapping) else ""
    if isinstance(body, Mapping) and "ConvSequence_0" in body:
        names = ("ConvSequence_0", "ConvSequence_1", "ConvSequence_2", "Dense_0")
        body = named(body, "the body", names)
        stages: list[dict[str, Any]] = []
        channels = SHAPES[0][2]
        for each in names[:3]:
            stages.append(stage_of(body, each, channels))
            channels = len(stages[-1]["first"]["bias"])
        full = layer_of(body, "Dense_0", (SIDE * SIDE * channels, HIDDEN))
        params: dict[str, Any] = {"stages": stages, "full": full}
        kind, values = "IMPALA", residual_logits
    else:
        body = named(body, "the body", ("Conv_0", "Conv_1", "Conv_2", "Dense_0"))
        params = {"convolutions": convolutions_of(body, ()), "full": full_of(body, "Dense_0", ())}
        kind, values = "actor-critic", nature_values
    width = params["full"]["kernel"].shape[-1]
    params["last"] = last_of(named(actor, "the actor", ("Dense_0",)), "Dense_0", (), width)
    critic = named(branch(networks, "2", ("params",))["params"], "the critic", ("Dense_0",))
    outputs = last_of(critic, "Dense_0", (), width)["bias"]
    if len(outputs) != 1:  # of several values none is that of the picture, so it is another network
        raise NotThis(f"has a critic of {len(outputs)} outputs, and one has 1")
    return PixelAgent(kind, params["last"]["kernel"].shape[-1], params, values, ACTIONS, game)


def with_heads(body: Any, head: Any) -> PixelAgent:
    """A network of values: one, or several whose arrays have a first axis."""
    body = named(body, "the body", ("Conv_0", "Conv_1", "Conv_2"))
    head = named(head, "the head", ("Dense_0", "Dense_1"))
    bodies, heads = (first_axis(part, key) for part, key in ((body, "Conv_0"), (head, "Dense_1")))
    if bool(bodies) != bool(heads) or (bodies and bodies[0] not in (2, heads[0])) or heads == (1,):
        raise NotThis(f"has {bodies or 'one'} bodies and {heads or 'one'} heads")
    params: dict[str, Any] = {
        "convolutions": convolutions_of(body, bodies),
        "full": full_of(head, "Dense_0", heads),
        "last": last_of(head, "Dense_1", heads, WIDTH),
    }
    actions = params["last"]["kernel"].shape[-1]
    if not heads:
        return PixelAgent("DQN", actions, params, nature_values)
    return PixelAgent("i-DQN", actions, params, values_of_head, HEADS)


def first_axis(part: Tree, key: str) -> tuple[int, ...]:
    """The sizes of axes before those of the layer: none, or the number of networks."""
    bias = part[key].get("bias") if isinstance(part[key], Mapping) else None
    if not isinstance(bias, np.ndarray) or bias.ndim not in (1, 2):
        raise NotThis(f"has a layer {key} without a bias")
    return bias.shape[:-1]


def stage_of(body: Tree, name: str, channels: int) -> dict[str, Any]:
    """One of IMPALA's three: a convolution, and two blocks of two."""
    stage = named(body[name], name, ("Conv_0", *BLOCKS))
    first = layer_of(stage, "Conv_0", (3, 3, channels, None))
    out = len(first["bias"])
    blocks = [
        [layer_of(named(stage[block], block, ("Conv_0", "Conv_1")), key, (3, 3, out, out))
         for key in ("Conv_0", "Conv_1")]
        for block in BLOCKS
    ]  # fmt: skip
    return {"first": first, "blocks": blocks}


def convolutions_of(body: Tree, lead: tuple[int, ...]) -> list[Layer]:
    return [layer_of(body, f"Conv_{place}", (*lead, *shape), lead) for place, shape in enumerate(SHAPES)]


def full_of(part: Tree, key: str, lead: tuple[int, ...]) -> Layer:
    full = layer_of(part, key, (*lead, None, WIDTH), lead)
    inputs = full["kernel"].shape[-2]
    if inputs not in PADDINGS or (lead and PADDINGS[inputs] != "SAME"):
        raise NotThis(f"has a full layer of {inputs} inputs")
    return full


def last_of(part: Tree, key: str, lead: tuple[int, ...], width: int) -> Layer:
    return layer_of(part, key, (*lead, width, None), lead)


def layer_of(part: Tree, key: str, shape: tuple[int | None, ...], lead: tuple[int, ...] = ()) -> Layer:
    """A layer whose kernel has this shape; None stands for any size."""
    layer = named(part[key], key, ("kernel", "bias"))
    kernel, bias = layer["kernel"], layer["bias"]
    if not all(isinstance(each, np.ndarray) and each.dtype.kind == "f" for each in (kernel, bias)):
        raise NotThis(f"has a layer {key} that is no array of fractions")
    same = len(kernel.shape) == len(shape) and all(w in (None, n) for w, n in zip(shape, kernel.shape))
    if not same or bias.shape != (*lead, kernel.shape[-1]):
        raise NotThis(f"has a layer {key} of the shape {kernel.shape}")
    with np.errstate(over="ignore"):  # a larger number becomes an infinite one, and is told below
        made = {"kernel": kernel.astype(np.float32), "bias": bias.astype(np.float32)}
    if not all(np.isfinite(each).all() for each in made.values()):
        raise NotThis(f"has numbers in {key} that are not finite as float32")
    return made


def branch(tree: Tree, part: str, keys: tuple[str, ...]) -> Tree:
    return named(tree[part] if part else tree, part, keys)


def named(tree: Any, part: str, keys: tuple[str, ...]) -> Tree:
    """A part that holds exactly these names."""
    if not isinstance(tree, Mapping) or set(tree) != set(keys):
        raise NotThis(f"holds {parts(tree)}" + (f" in {part}" if part else ""))
    return tree


def parts(tree: Any) -> str:
    """What a part holds, in a few words."""
    if not isinstance(tree, Mapping):
        return f"a {type(tree).__name__}"
    return ", ".join(map(show_value, sorted(map(str, tree))[:MOST_NAMED])) or "nothing"
