"""Checkpoints of Stable-Baselines3, read without running anything that is in them.

The zip's `data` is JSON in which most values are pickles, and a pickle can run any code when it is loaded.
But beside each pickle SB3 writes the attributes of the value as plain text, which is enough to build its own
policies again: the class, its settings and the kinds of the spaces. The weights are tensors alone. A policy
that these texts do not describe is refused, unless the user trusts the file.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from assay.core.axis import show_value
from assay.digests.own_code import digest_of_content
from assay.errors import AssayError, NotApplicable, UnknownName
from assay.interop.checkpoints.contract import Build, Checkpoint, Interface, interface_of
from assay.interop.checkpoints.env_names import is_atari, require_game, setting_for
from assay.interop.policy import Policy

# The setting in `data` that identifies the algorithm: the first one present; DDPG is TD3 with other settings.
ALGORITHMS = (
    ("clip_range", "PPO"),
    ("gae_lambda", "A2C"),
    ("exploration_rate", "DQN"),
    ("target_entropy", "SAC"),
    ("target_policy_noise", "TD3"),
)
KNOWN = "DQN, PPO, A2C, SAC, TD3 and DDPG"
POLICIES = {
    "stable_baselines3.common.policies": ("ActorCriticPolicy", "ActorCriticCnnPolicy"),
    "stable_baselines3.dqn.policies": ("DQNPolicy", "CnnPolicy"),
    "stable_baselines3.sac.policies": ("SACPolicy", "CnnPolicy"),
    "stable_baselines3.td3.policies": ("TD3Policy", "CnnPolicy"),
}
# Classes whose names may stand in the settings, none of which needs arguments.
CLASSES = {
    "activation_fn": (
        "torch.nn.modules.activation",
        ("ReLU", "Tanh", "ELU", "LeakyReLU", "SiLU", "GELU", "Sigmoid", "SELU", "CELU", "Softplus", "Mish",
         "ReLU6", "Hardtanh", "Hardswish", "Softsign"),
    ),
    "features_extractor_class": ("stable_baselines3.common.torch_layers", ("FlattenExtractor", "NatureCNN")),
}  # fmt: skip
NUMBERS = (
    "use_sde", "log_std_init", "full_std", "use_expln", "squash_output", "clip_mean", "n_critics",
    "share_features_extractor", "normalize_images",
)  # fmt: skip
# How the weights were initialised and trained; neither matters to a finished policy.
OF_TRAINING = ("ortho_init", "optimizer_class", "optimizer_kwargs", "device")


def load_checkpoint(name: str, path: Path, trust: bool = False) -> Checkpoint:
    """The checkpoint in a file, which plays deterministically; `name` is the agent's, for errors."""
    try:
        import stable_baselines3  # noqa: F401 - whether it is installed
        import torch  # noqa: F401
    except ImportError:
        raise NotApplicable(
            f"{name} needs PyTorch and Stable-Baselines3, which are not installed; "
            'pip install "rl-assay[sb3]".'
        ) from None
    content = content_of(name, path)  # once: the file may be exchanged at any time
    data = settings_in(name, path, content)
    refuse_statistics(name, path)
    make = load_trusted(name, content, data) if trust else rebuild(name, content, data)

    def require_fit(task: Interface) -> None:
        require_game(name, path, "", task.task)
        refuse_other_spaces(name, data, task)

    def build(env: gymnasium.Env) -> Policy:
        require_fit(interface_of(env))
        return make(env)

    return Checkpoint(build, require_fit, digest_of_content(content))


def content_of(name: str, path: Path) -> bytes:
    if not path.is_file():
        hint = f"did you mean {name}.zip?" if Path(f"{path}.zip").is_file() else "give the path from here."
        raise UnknownName(f"{name}: there is no file {path}; {hint}")
    return path.read_bytes()


def settings_in(name: str, path: Path, content: bytes) -> dict[str, Any]:
    """The JSON in `data`; its pickles stay text."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            data = json.loads(archive.read("data"))
            archive.getinfo("policy.pth")
    except Exception:  # a stranger's bytes can make zip and json fail in many ways
        data = None
    if not isinstance(data, dict) or not all(
        isinstance(data.get(part), dict) for part in ("policy_class", "observation_space", "action_space")
    ):
        raise NotApplicable(f"{name}: {path} is no checkpoint of Stable-Baselines3; model.save() writes one.")
    return data


def refuse_statistics(name: str, path: Path) -> None:
    """VecNormalize leaves no trace in the zip, but its statistics are usually saved beside it."""
    beside = (path.parent, path.with_suffix(""))  # the second as RL Zoo does
    files = [
        file for folder in beside for file in sorted(folder.glob("*.pkl")) if "normalize" in file.name.lower()
    ]
    if files:
        raise NotApplicable(
            f"{name} seems to expect observations scaled by VecNormalize, because {files[0]} lies beside it; "
            "assay does not scale them, so write an act(observation) that does, or move that file if it "
            "belongs to another agent."
        )


def rebuild(name: str, content: bytes, data: dict[str, Any]) -> Build:
    """The policy built anew from the texts in `data`, with the weights of policy.pth."""
    policy_class, settings = class_of(name, data), policy_settings(name, data)
    weights = weights_in(name, content)

    def build(env: gymnasium.Env) -> Policy:
        import torch

        # Copies, because a network may draw a sample from its space.
        observations, actions = deepcopy((env.observation_space, env.action_space))
        if isinstance(observations, Box) and list(observations.shape) != data["observation_space"].get(
            "_shape"
        ):
            observations = channels_first(observations)
        try:
            with torch.random.fork_rng(devices=[]):  # the first weights are drawn, and thrown away
                policy = policy_class(observations, actions, lambda progress: 0.0, **settings)
            policy.load_state_dict(weights, strict=True)
        except Exception as error:  # SB3 and torch may raise anything on a stranger's settings
            why = f"has weights that do not fit its settings as text ({one_line(error)})"
            raise needs_trust(name, why) from error
        policy.set_training_mode(False)
        return deterministic_policy(policy)

    return build


def load_trusted(name: str, content: bytes, data: dict[str, Any]) -> Build:
    """The model as SB3's own loader gives it; that runs the code in the file."""
    import stable_baselines3

    algorithm = next((algorithm for setting, algorithm in ALGORITHMS if setting in data), None)
    if algorithm is None or module_of(data).startswith("sb3_contrib."):
        raise NotApplicable(
            f"{name} is of none of {KNOWN}; load it in a module of your own, with act(observation)."
        )
    try:
        model = getattr(stable_baselines3, algorithm).load(io.BytesIO(content), device="cpu")
    except Exception as error:  # the loader raises what the pickled code raises
        message = f"{type(error).__name__}: {one_line(error)}"
        raise AssayError(
            f"{name} does not load: {algorithm}.load of Stable-Baselines3 raised {message}."
        ) from error

    return lambda env: deterministic_policy(model)


def deterministic_policy(model: Any) -> Policy:
    def act(observation: Any) -> Any:
        return model.predict(observation, deterministic=True)[0]

    return Policy(act, act_batch=act)  # SB3 tells a batch from a single observation by its shape


def needs_trust(name: str, why: str) -> NotApplicable:
    return NotApplicable(
        f"{name} {why}; --trust loads it by Stable-Baselines3's own loader, which runs code in the file."
    )


def module_of(data: dict[str, Any]) -> str:
    return str(data["policy_class"].get("__module__", ""))


def class_of(name: str, data: dict[str, Any]) -> type:
    """The policy's class, where it is SB3's own; its name stands in the text of its __init__."""
    module = module_of(data)
    written = re.match(r"<function (\w+)\.__init__ at", str(data["policy_class"].get("__init__", "")))
    policy = written[1] if written else ""
    if policy not in POLICIES.get(module, ()):
        owner = " ".join(part for part in (policy, f"of the module {module!r}") if part)
        raise needs_trust(name, f"has a policy class ({owner}) that assay cannot build from text")
    return of_module(module, policy)


def of_module(module: str, attribute: str) -> Any:
    return getattr(import_module(module), attribute)


def policy_settings(name: str, data: dict[str, Any]) -> dict[str, Any]:
    """The settings of the policy that shape its network, each of a kind that text can hold."""
    written = data.get("policy_kwargs", {})
    if not isinstance(written, dict):
        raise needs_trust(name, "has policy_kwargs that are no dictionary")
    settings: dict[str, Any] = {}
    if module_of(data) == "stable_baselines3.common.policies":
        settings["use_sde"] = data.get("use_sde") is True  # the others keep it in policy_kwargs
    for key, value in written.items():
        if key in (":type:", ":serialized:") or key in OF_TRAINING:
            continue
        settings[key] = setting(name, key, value)
    return settings


def setting(name: str, key: str, value: Any) -> Any:
    if key in NUMBERS and isinstance(value, (bool, int, float)):
        return value
    if key in CLASSES:
        module, admitted = CLASSES[key]
        written = re.fullmatch(re.escape(f"<class '{module}.") + r"(\w+)'>", str(value))
        if written and written[1] in admitted:
            return of_module(module, written[1])
    if key == "net_arch":
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            value = value[0]  # as it was written before SB3 1.8
        layers = list(value.values()) if isinstance(value, dict) else [value]
        if all(isinstance(sizes, list) and all(type(size) is int for size in sizes) for sizes in layers):
            return value
    if key == "features_extractor_kwargs" and isinstance(value, dict):
        known = set(value) <= {"features_dim", "normalized_image"}
        if known and all(isinstance(number, int) for number in value.values()):
            return value
    raise needs_trust(
        name, f"has a setting that cannot be read from its text (policy_kwargs: {key!r}, {show_value(value)})"
    )


def weights_in(name: str, content: bytes) -> dict[str, Any]:
    import torch

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open("policy.pth") as file:
            weights = torch.load(file, map_location="cpu", weights_only=True)
    except Exception:  # as above, for torch
        weights = None
    if not isinstance(weights, dict) or not all(isinstance(each, torch.Tensor) for each in weights.values()):
        raise NotApplicable(
            f"{name}: policy.pth in it holds something other than weights, or is damaged; it is not loaded."
        )
    return weights


def refuse_other_spaces(name: str, data: dict[str, Any], task: Interface) -> None:
    for what, space in (("observation", task.observation), ("action", task.action)):
        stored = data[f"{what}_space"]
        if not fits(stored, space, bounds=what == "action"):
            known = setting_for(stored, space) if is_atari(task.task) else ""
            cure = f"write {known} (for a suite: --with {known})" if known else "take a task with its spaces"
            raise NotApplicable(
                f"{name} was trained for {what}s of {as_text(stored)}, and those of "
                f"{task.task} are of {space}; {cure}."
            )


def fits(stored: dict[str, Any], space: gymnasium.Space, bounds: bool) -> bool:
    """Whether a space is the one in `data`, as far as it matters to a network.

    SB3 scales and clips actions by their bounds; observations it divides by theirs for pixels alone.
    """
    if kind_of(stored) != type(space).__name__:
        return False
    if isinstance(space, Box):
        shapes = [list(space.shape)]
        if space.dtype == np.uint8 and len(space.shape) == 3:
            shapes.append(list(channels_first(space).shape))  # SB3 turns pictures around as it trains
        dtypes = {str(stored.get("dtype")), str(space.dtype)}
        same = stored.get("_shape") in shapes and (len(dtypes) == 1 or dtypes == {"float32", "float64"})
        return same and (not bounds or all(is_same(stored, space, edge) for edge in ("low", "high")))
    return all(is_same(stored, space, size) for size in ("n", "nvec", "start") if size in stored)


def is_same(stored: dict[str, Any], space: gymnasium.Space, attribute: str) -> bool:
    return words(stored.get(attribute)) == words(getattr(space, attribute, None))


def channels_first(space: Box) -> Box:
    low, high = (np.moveaxis(edge, -1, 0) for edge in (space.low, space.high))
    return Box(low, high, dtype=space.dtype.type)


def words(value: Any) -> str:
    """A number or an array as `data` has it, whatever its line breaks."""
    return " ".join(str(value).split())


def one_line(value: Any) -> str:
    """Text from a stranger's file for an error message: short, and nothing in it moves the cursor."""
    return "".join(character for character in words(value) if character.isprintable())[:200].rstrip(".")


def kind_of(stored: dict[str, Any]) -> str:
    return str(stored.get(":type:", "")).rstrip("'>").rpartition(".")[2]


def as_text(stored: dict[str, Any]) -> str:
    """A space in `data` much as Gymnasium would print it."""
    if isinstance(stored.get("_shape"), list) and "low" in stored:
        edges = [words(stored.get(edge)) for edge in ("low", "high")]
        parts = [edge for edge in edges if len(edge) <= 80]  # pictures have too many
        parts += [str(tuple(stored["_shape"])), words(stored.get("dtype"))]
    else:
        parts = [words(stored[size]) for size in ("n", "nvec") if size in stored]
        parts += [f"start={words(stored['start'])}"] if words(stored.get("start", 0)).strip("[0 ]") else []
    return one_line(f"{kind_of(stored)}({', '.join(parts)})")
