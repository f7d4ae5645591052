"""Synthetic checkpoints in the published forms, and the same networks written out in PyTorch to compare with.

The second half knows nothing of assay: padding is worked out by hand for pictures of 84 x 84.
"""

import gzip
import pickle
import struct
import sys
import types

import numpy as np

PADDED = [(2, 2), (1, 2), (1, 1)]  # before and after, of the convolutions of 8/4, 4/2 and 3/1 with "SAME"
POOLED = [(0, 1), (0, 1), (1, 1)]  # of pooling 3/2 on 84, 42 and 21


def pictures(count=5, seed=0):
    """As the task shows them: frames last."""
    return np.random.default_rng(seed).integers(0, 256, (count, 84, 84, 4), np.uint8)


def nature_network(outputs, seed=0, support=None):
    """A DQN as AtariNet names its layers; with a support the C51 that goes with it."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    layers = {
        "_AtariNet__features.0": nn.Conv2d(4, 32, 8, 4),
        "_AtariNet__features.2": nn.Conv2d(32, 64, 4, 2),
        "_AtariNet__features.4": nn.Conv2d(64, 64, 3, 1),
        "_AtariNet__head.0": nn.Linear(3136, 512),
        "_AtariNet__head.2": nn.Linear(512, outputs),
    }
    state = {
        f"{name}.{key}": value for name, layer in layers.items() for key, value in layer.state_dict().items()
    }
    return state if support is None else {"_AtariNet__support": torch.tensor(support), **state}


def saved(path, content):
    """A gzip, as the published files are."""
    import torch

    with gzip.open(path, "wb") as file:
        torch.save(content, file)
    return path


def torch_outputs(state, seen):
    """The outputs of the network above, computed by PyTorch."""
    import torch
    from torch.nn import functional as F

    layers = [value for name, value in state.items() if not name.endswith("support")]
    out = torch.as_tensor(seen).permute(0, 3, 1, 2).float() / 255
    for place, stride in enumerate((4, 2, 1)):
        out = F.relu(F.conv2d(out, layers[2 * place], layers[2 * place + 1], stride))
    out = F.relu(F.linear(out.flatten(1), *layers[6:8]))
    return F.linear(out, *layers[8:10]).numpy()


def flax_layer(rng, *shape):
    """A layer in flax's form, whose kernel has this shape."""
    size = np.sqrt(np.prod(shape[:-1]))
    return {"kernel": (rng.standard_normal(shape) / size).astype("float32"),
            "bias": rng.standard_normal(shape[-1]).astype("float32") / 10}  # fmt: skip


def nature_body(rng):
    return {"Conv_0": flax_layer(rng, 8, 8, 4, 32), "Conv_1": flax_layer(rng, 4, 4, 32, 64),
            "Conv_2": flax_layer(rng, 3, 3, 64, 64)}  # fmt: skip


def value_head(rng, actions):
    return {"Dense_0": flax_layer(rng, 7744, 512), "Dense_1": flax_layer(rng, 512, actions)}


def residual_body(rng, channels=(16, 32, 32)):
    body, inner = {}, 4
    for place, out in enumerate(channels):
        blocks = {
            f"ResidualBlock_{block}": {f"Conv_{each}": flax_layer(rng, 3, 3, out, out) for each in (0, 1)}
            for block in (0, 1)
        }
        body[f"ConvSequence_{place}"] = {"Conv_0": flax_layer(rng, 3, 3, inner, out), **blocks}
        inner = out
    return body | {"Dense_0": flax_layer(rng, 11 * 11 * inner, 256)}


def impala(actions=18, env="Pong-v5", seed=0):
    """What Cleanba saves: a list of settings and three networks, which flax counts as keys of a map."""
    rng = np.random.default_rng(seed)
    networks = (
        residual_body(rng),
        {"Dense_0": flax_layer(rng, 256, actions)},
        {"Dense_0": flax_layer(rng, 256, 1)},
    )
    settings = {"env_id": env, "seed": 1, "learning_rate": 2.5e-4, "track": False, "none": None,
                "actor_device_ids": {"0": 0, "1": -3}}  # fmt: skip
    return {"0": settings, "1": {str(place): {"params": each} for place, each in enumerate(networks)}}


def stacked(trees):
    """Networks of one form as one whose arrays have a first axis."""
    if isinstance(trees[0], dict):
        return {key: stacked([tree[key] for tree in trees]) for key in trees[0]}
    return np.stack(trees)


def shared_idqn(actions=6, heads=4, seed=0):
    rng = np.random.default_rng(seed)
    return {"torso_params": {"params": stacked([nature_body(rng) for _ in range(2)])},
            "head_params": {"params": stacked([value_head(rng, actions) for _ in range(heads)])}}  # fmt: skip


def pickled(tree):
    """A pickle in which every dictionary is flax's frozen one, as i-DQN's are."""

    class FrozenDict(dict):
        def __reduce__(self):
            return FrozenDict, (dict(self),)

    def freeze(value):
        return FrozenDict({k: freeze(v) for k, v in value.items()}) if isinstance(value, dict) else value

    FrozenDict.__module__, FrozenDict.__qualname__ = "flax.core.frozen_dict", "FrozenDict"
    modules = ["flax", "flax.core", "flax.core.frozen_dict"]
    kept = {name: sys.modules.get(name) for name in modules}
    sys.modules.update({name: types.ModuleType(name) for name in modules})
    sys.modules["flax.core.frozen_dict"].FrozenDict = FrozenDict
    try:
        return pickle.dumps(freeze(tree))
    finally:
        for name, module in kept.items():
            sys.modules.pop(name) if module is None else sys.modules.update({name: module})


def packed(value):
    """msgpack in which arrays are flax's extension: only what the checkpoints above need."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return struct.pack(">bb" if -128 <= value < 128 else ">bq", -48 if abs(value) < 128 else -45, value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        return b"\xd9" + struct.pack(">B", len(value.encode())) + value.encode()
    if isinstance(value, bytes):
        return b"\xc6" + struct.pack(">I", len(value)) + value
    if isinstance(value, (list, tuple)):
        return b"\xdc" + struct.pack(">H", len(value)) + b"".join(map(packed, value))
    if isinstance(value, dict):
        pairs = (packed(key) + packed(each) for key, each in value.items())
        return b"\xde" + struct.pack(">H", len(value)) + b"".join(pairs)
    content = packed([list(value.shape), value.dtype.name, value.tobytes()])
    return b"\xc9" + struct.pack(">Ib", len(content), 1) + content


def convolved(out, layer, stride, edges):
    import torch
    from torch.nn import functional as F

    weight = torch.as_tensor(layer["kernel"]).permute(3, 2, 0, 1)
    return F.conv2d(F.pad(out, (*edges, *edges)), weight, torch.as_tensor(layer["bias"]), stride)


def connected(out, layer):
    import torch

    return out @ torch.as_tensor(layer["kernel"]) + torch.as_tensor(layer["bias"])


def head_outputs(body, head, seen):
    """One i-DQN head on its body, computed by PyTorch."""
    import torch

    out = torch.as_tensor(seen).permute(0, 3, 1, 2).float() / 255
    for place, stride in enumerate((4, 2, 1)):
        out = torch.relu(convolved(out, body[f"Conv_{place}"], stride, PADDED[place]))
    out = out.permute(0, 2, 3, 1).flatten(1)  # flax counts a picture's channels last
    return connected(torch.relu(connected(out, head["Dense_0"])), head["Dense_1"]).numpy()


def impala_outputs(tree, seen):
    import torch
    from torch.nn import functional as F

    body, actor = (tree["1"][part]["params"] for part in "01")
    out = torch.as_tensor(seen).permute(0, 3, 1, 2).float() / 255
    for place, edges in enumerate(POOLED):
        stage = body[f"ConvSequence_{place}"]
        out = convolved(out, stage["Conv_0"], 1, (1, 1))
        out = F.max_pool2d(F.pad(out, (*edges, *edges), value=-torch.inf), 3, 2)
        for block in ("ResidualBlock_0", "ResidualBlock_1"):
            inner = convolved(torch.relu(out), stage[block]["Conv_0"], 1, (1, 1))
            out = out + convolved(torch.relu(inner), stage[block]["Conv_1"], 1, (1, 1))
    out = torch.relu(out).permute(0, 2, 3, 1).flatten(1)
    return connected(torch.relu(connected(out, body["Dense_0"])), actor["Dense_0"]).numpy()


def picked(tree, place):
    return (
        {key: picked(value, place) for key, value in tree.items()} if isinstance(tree, dict) else tree[place]
    )
