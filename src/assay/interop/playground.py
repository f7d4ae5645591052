"""MDP Playground's configs as tasks: `from_playground` translates a config and lists the keys it drops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.catalogue import axis_of, env_entry, load
from assay.core.axis import show_value
from assay.errors import AssayError, NotApplicable, UnknownName, WrongLevel
from assay.interop.checks import seed_of
from assay.interop.playground_host import host_task
from assay.interop.playground_wrappers import TOY, is_whole, split_config, wrapped_task
from assay.task_text import TaskText, suggest
from assay.tasks import task, to_plain

ENVS = {"discrete": "toy/discrete", "continuous": "toy/continuous", "grid": "toy/grid"}

# Keys that MDP Playground itself ignores, or that do not concern the MDP.
WITHOUT_EFFECT = (
    "action_space_type", "generate_random_mdp", "completely_connected", "log_level", "log_filename",
    "dtype_s", "dtype_o", "render_mode",
)  # fmt: skip
IMAGES = (
    "image_representations", "image_transforms", "image_sh_quant", "image_ro_quant", "image_scale_range",
    "image_width", "image_height",
)  # fmt: skip
# Read only with use_custom_mdp, and only without it.
TABLES = ("transition_function", "reward_function", "init_state_dist", "terminal_states")
GENERATED = (
    "diameter", "maximally_connected", "reward_density", "reward_dist", "repeats_in_sequences", "make_denser",
)  # fmt: skip
SAME_NAME = (
    "action_space_size", "terminal_state_density", "sequence_length", "irrelevant_features", "delay",
    "transition_noise", "reward_noise", "reward_scale", "reward_shift", "term_state_reward",
    *GENERATED, *TABLES,
)  # fmt: skip
# The axis that takes a function in place of a number or a table.
FUNCTIONS = {
    "reward_dist": "reward_dist", "transition_function": "transition_function",
    "reward_function": "reward_function", "terminal_states": "terminal_states",
    "reward_noise": "reward_noise_function", "transition_noise": "transition_noise_function",
}  # fmt: skip
# With functions of the user's own, a continuous env has neither a target nor dynamics.
OF_OUR_MOTION = (
    "transition_dynamics_order", "inertia", "time_unit", "make_denser", "target_point", "target_radius",
)  # fmt: skip
OF_LONG_SEQUENCES = ("repeats_in_sequences", "make_denser")  # these do not concern sequences of one state
TRANSLATED = ("state_space_type", "seed", "reward_every_n_steps", "use_custom_mdp", "state_space_size")
COMMON = (
    "delay", "transition_noise", "reward_noise", "reward_scale", "reward_shift", "term_state_reward",
    "make_denser", "reward_every_n_steps", "irrelevant_features", "terminal_states", "reward_function",
    "target_point", "state_space_type", "seed", "image_representations", "image_width", "image_height",
)  # fmt: skip
KNOWN = {
    "discrete": (*WITHOUT_EFFECT, *IMAGES, *SAME_NAME, *TRANSLATED),
    "continuous": (
        *WITHOUT_EFFECT, *COMMON, "sequence_length", "state_space_dim", "action_space_dim",
        "relevant_indices", "state_space_max", "action_space_max", "transition_dynamics_order", "inertia",
        "time_unit", "target_radius", "action_loss_weight", "term_state_edge", "use_custom_mdp",
        "transition_function",
    ),
    "grid": (*WITHOUT_EFFECT, *COMMON, "grid_shape"),
}  # fmt: skip
# Names that the original's published experiment files still use.
OLD_NAMES = {"state_space_relevant_indices": "relevant_indices"}
SEEDS = (
    "env", "state_space", "action_space", "relevant_state_space", "relevant_action_space",
    "irrelevant_state_space", "irrelevant_action_space", "image_representations",
)  # fmt: skip


def from_playground(config: Mapping[str, Any], env: str | None = None) -> tuple[TaskText, list[str]]:
    """The task of an MDP Playground config, and the keys dropped because they change nothing.

    With `env`, the task is that hosted env, varied as the config says. A config that holds an `env_config`
    may name one of the original's wrappers by `env`, with a `horizon` beside it. Keys at their plain value
    are left out of the task: configs that mean the same give the same task.
    """
    if not isinstance(config, Mapping):
        raise AssayError(f"a config is a dict of MDP Playground's keys, not {show_value(config)}.")
    if env is not None:
        return host_task(config, env)
    if is_whole(config):
        return whole_task(config)
    config = with_new_names(config)
    kind = kind_of(config)
    refuse_unknown(config, kind)
    settings, dropped = read_discrete(config) if kind == "discrete" else read_box(config, kind)
    return task(ENVS[kind], settings), dropped


def whole_task(config: Mapping[str, Any]) -> tuple[TaskText, list[str]]:
    """The task of an env's name, its config and a horizon; a seed in it fixes the MDP, in every run."""
    name, own, horizon = split_config(config)
    if name != TOY:
        return wrapped_task(name, own, horizon)
    text, dropped = from_playground({"state_space_type": "discrete", **own})
    settings = {setting.name: setting.value for setting in text.settings}
    if text.env == ENVS["discrete"] and own.get("seed") is not None:
        settings = {
            "mdp_seed": mdp_seed(own["seed"])
        } | settings  # without it every seed has an MDP of its own
    if horizon is not None and not is_plain(text.env, "horizon", horizon):
        settings["horizon"] = horizon
    return task(text.env, settings), dropped


def read_discrete(config: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The settings of toy/discrete, and the keys dropped."""
    env, custom = ENVS["discrete"], bool(config.get("use_custom_mdp", False))
    settings, dropped = {}, []
    for key, value in config.items():
        if key == "state_space_type":
            continue
        if key == "state_space_size" and custom and callable(config.get("transition_function")):
            settings[key] = value
        elif value is None or is_dropped(key, value, custom) or is_unused_image_key(key, config):
            dropped.append(key)
        elif key == "seed":
            settings["mdp_seed"] = mdp_seed(value)
        elif key == "reward_every_n_steps":
            settings[key] = 1 if to_plain(value) is False else value
        elif key == "terminal_states" and not callable(value) and not len(value):
            settings["terminal_state_density"] = 0.0  # an empty list would leave the density to say which
        else:
            settings |= as_text(env, key, value)
    if custom:
        require_both(config)
        check_tables(config)
        settings |= history_settings(config, env)
    settings = {key: value for key, value in settings.items() if not is_plain(env, key, value)}
    if "sequence_length" not in settings:
        dropped += [key for key in OF_LONG_SEQUENCES if settings.pop(key, None)]
    return settings, dropped


def read_box(config: Mapping[str, Any], kind: str) -> tuple[dict[str, Any], list[str]]:
    """The settings of toy/continuous or toy/grid, and the keys dropped."""
    env, custom = ENVS[kind], kind == "continuous" and bool(config.get("use_custom_mdp", False))
    settings, dropped = {}, []
    for key, value in config.items():
        if key == "state_space_type":
            continue
        if key == "seed" and value is not None:
            mdp_seed(value)  # nothing is generated here, so it seeds episodes: reset(seed=) takes it
        if value is None or is_ignored(key, value, kind, custom) or is_unused_image_key(key, config):
            dropped.append(key)
        elif key == "sequence_length" and custom:
            continue  # it comes with the delay
        elif key == "sequence_length" and config.get("reward_function") != "move_along_a_line":
            if to_plain(value) != 1:
                raise NotApplicable(f"sequence_length={show_value(value)} is for move_along_a_line; drop it.")
            dropped.append(key)
        elif key == "reward_every_n_steps":
            settings[key] = 1 if isinstance(to_plain(value), bool) else value
        else:
            settings |= as_text(env, key, value)
    if custom:
        require_both(config)
        settings |= history_settings(config, env)
    elif callable(config.get("reward_function")):
        raise NotApplicable("reward_function is a function, which use_custom_mdp=True reads; set that too.")
    settings = {key: value for key, value in settings.items() if not is_plain(env, key, value)}
    if kind == "continuous" and not any(map(any, as_points(settings.get("target_point", ())))):
        settings.pop("target_point", None)  # the origin, which is plain
    if kind == "grid":
        settings["action_form"] = "vector"  # the original's only form
    return settings, dropped


def as_points(value: Any) -> list:
    points = to_plain(value)
    return list(points) if points and isinstance(points[0], tuple) else [points]


def is_ignored(key: str, value: Any, kind: str, custom: bool) -> bool:
    """Whether MDP Playground itself would ignore this key of a continuous or grid config."""
    if key in (*WITHOUT_EFFECT, "seed", "action_space_dim", "use_custom_mdp"):
        return True
    if key in OF_OUR_MOTION if custom else key == "transition_function":
        return kind == "continuous"
    if key == "terminal_states" and not callable(value):
        return not len(value)
    if key == "reward_function":
        return kind == "grid" and value == "move_to_a_point"
    # In a continuous env the dimensions that are not among relevant_indices are the irrelevant ones.
    return key == "irrelevant_features" and kind == "continuous"


def with_new_names(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with its old names replaced; both names of one thing are refused."""
    for old, new in OLD_NAMES.items():
        if old in config and new in config:
            raise AssayError(f"{old} is the old name of {new}, and the config has both; leave one out.")
    relevant = config.get("state_space_relevant_indices")
    if config.get("action_space_relevant_indices", relevant) != relevant:
        raise NotApplicable(
            f"action_space_relevant_indices={show_value(config['action_space_relevant_indices'])} are not "
            f"those of the states, {show_value(relevant)}; states and actions have the same dimensions."
        )
    kept = {key: value for key, value in config.items() if key != "action_space_relevant_indices"}
    if str(config.get("state_space_type")).lower() == "discrete" and relevant is not None:
        return with_relevant_first(kept, to_plain(relevant))
    return {OLD_NAMES.get(key, key): value for key, value in kept.items()}


def with_relevant_first(config: dict[str, Any], relevant: Any) -> dict[str, Any]:
    """A discrete config whose old form names the sub-space that matters; in the new one it is the first."""
    sizes = to_plain(config.get("action_space_size"))
    if not isinstance(sizes, tuple) or len(sizes) != 2 or relevant not in ((0,), (1,)):
        raise NotApplicable(
            f"state_space_relevant_indices={show_value(relevant)} of a discrete config names one of two "
            "sub-spaces, [0] or [1], and action_space_size lists the sizes of both."
        )
    del config["state_space_relevant_indices"]
    sizes = (sizes[relevant[0]], sizes[1 - relevant[0]])
    return config | {"irrelevant_features": True, "action_space_size": sizes}


def is_unused_image_key(key: str, config: Mapping[str, Any]) -> bool:
    """Whether it says of pictures what these have no use for: published files give ranges without a scale."""
    if key not in IMAGES:
        return False
    transforms = str(config.get("image_transforms") or "")
    return not config.get("image_representations") or (
        key == "image_scale_range" and "scale" not in transforms
    )


def kind_of(config: Mapping[str, Any]) -> str:
    kind = config.get("state_space_type")
    if not isinstance(kind, str) or kind.lower() not in ENVS:
        raise NotApplicable(f"state_space_type is one of {', '.join(ENVS)}, not {show_value(kind)}.")
    return kind.lower()


def refuse_unknown(config: Mapping[str, Any], kind: str) -> None:
    for key in config:
        if key not in KNOWN[kind]:
            near = suggest(str(key), KNOWN[kind])
            hint = f"did you mean {near}?" if near else "drop it."
            raise UnknownName(f"no key of a {kind} MDP Playground config is called {key!r}; {hint}")


def is_dropped(key: str, value: Any, custom: bool) -> bool:
    """Whether MDP Playground itself would ignore this key, given the rest of the config."""
    if key in WITHOUT_EFFECT or key in ("use_custom_mdp", "state_space_size"):
        return True
    if key == "reward_every_n_steps":
        return to_plain(value) is True  # as often as sequence_length, which is the plain value
    return key in (GENERATED if custom else TABLES)


def mdp_seed(seed: Any) -> int:
    if not isinstance(seed, Mapping):
        return seed_of(seed)
    seeds = {seed_of(each) for each in seed.values()}
    if "env" not in seed or not set(seed) <= set(SEEDS) or len(seeds) != 1:
        raise WrongLevel(
            f"seed={show_value(dict(seed))} seeds the parts of an MDP separately, which mdp_seed cannot; "
            "give one number, or {'env': number}."
        )
    return seeds.pop()


def as_text(env: str, key: str, value: Any) -> dict[str, Any]:
    """A setting as a task's text can hold it; a function must be one that can be imported."""
    if not callable(value):
        return {key: value}
    own = {axis.name for axis in env_entry(env).axes if axis.kind == "structure"}
    if FUNCTIONS.get(key) in own:
        return {FUNCTIONS[key]: importable_name(key, value)}
    takes = axis_of(env, key).takes()
    raise NotApplicable(f"{key} is a function, which a task's text cannot hold; give {takes}.")


def importable_name(key: str, function: Callable) -> str:
    text = f"{function.__module__}:{function.__qualname__}"
    try:
        same = load(text) is function
    except AssayError:
        same = False
    if not same:
        raise NotApplicable(f"{key}={text} cannot be imported by that name; put it into a module.")
    return text


def history_settings(config: Mapping[str, Any], env: str) -> dict[str, Any]:
    """Settings that show a reward function as many states as the original does: n + delay + 1.

    Ours sees sequence_length + 1 of them.
    """
    if not callable(config.get("reward_function")):
        return {}
    length, delay = (
        axis_of(env, key).to_level(to_plain(config.get(key) or plain_value))
        for key, plain_value in (("sequence_length", 1), ("delay", 0))
    )
    settings, every = {"sequence_length": length + delay}, config.get("reward_every_n_steps")
    if env == ENVS["discrete"] and delay and (every is None or to_plain(every) is True):
        settings["reward_every_n_steps"] = length  # which would be the longer sequence_length
    return settings


def require_both(config: Mapping[str, Any]) -> None:
    missing = [name for name in ("transition_function", "reward_function") if config.get(name) is None]
    if missing:
        raise NotApplicable(
            f"use_custom_mdp=True needs {' and '.join(missing)}; give tables or functions, or drop it."
        )


def check_tables(config: Mapping[str, Any]) -> None:
    if callable(config["transition_function"]):
        return
    states, rows = config.get("state_space_size"), len(config["transition_function"])
    if states not in (None, rows):
        raise NotApplicable(f"state_space_size is {states}, but transition_function has {rows} rows.")


def is_plain(env: str, key: str, value: Any) -> bool:
    axis = axis_of(env, key)
    return to_plain(axis.to_level(to_plain(value))) == axis.neutral
