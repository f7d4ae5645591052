"""The agent's part of an experiment file as settings of our agents, and what of it has no counterpart.

One function for each of RLlib's algorithms. `Keys` holds the file's keys over the library's defaults, so that
every key is either read into a setting or left out with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any, NamedTuple

from assay.core.axis import as_plain_number, show_value
from assay.errors import NotApplicable
from assay.interop.experiments import library_defaults as library
from assay.interop.experiments.plain_values import NormalNoise, Unknown

MACHINE = "about the machine, not about what is learned"
NO_COUNTERPART = "no counterpart here"
NO_EFFECT = "no effect"
OF_THE_MACHINE = (
    "num_workers", "num_gpus", "num_gpus_per_worker", "num_cpus_per_worker", "num_cpus_for_driver",
    "tf_session_args", "local_tf_session_args", "min_iter_time_s", "use_pytorch", "framework", "eager",
    "sample_async", "optimizer", "log_level", "monitor", "compress_observations", "callbacks", "gpu",
    "metrics_smoothing_episodes", "multiagent", "ignore_worker_failures",
)  # fmt: skip
# Where RLlib's own value of a key is what our agents do, that value changes nothing.
SAME_HERE: dict[str, tuple] = {
    "use_state_preprocessor": (False,), "grad_norm_clipping": (None,), "lr_schedule": (None,),
    "entropy_coeff_schedule": (None,), "no_done_at_end": (True,), "clip_actions": (False, True),
    "normalize_actions": (True,), "target_entropy": ("auto", None), "model.custom_options": ({},),
    "model.custom_preprocessor": ("ohe", None), "model.use_lstm": (False,), "prioritized_replay": (False,),
    "target_network_update_freq": (0, 1), "final_prioritized_replay_beta": (1.0,),
    "parameter_noise": (False,), "beta_annealing_fraction": (1.0,), "use_gae": (True,),
    "use_critic": (True,), "epsilon_decay": ("linear",), "clip_rewards": (False, None),
    "softmax_temp": (1.0,), "model.conv_activation": ("relu",),
    "model.fcnet_activation": ("tanh",), "model.vf_share_layers": (True,),
}  # fmt: skip
AS_HERE = f"{NO_EFFECT}: it is so here anyway"
WITHOUT_PRIORITIES = "no effect without prioritized_replay"
OF_PRIORITIES = (
    "prioritized_replay_alpha", "prioritized_replay_beta", "prioritized_replay_eps",
    "final_prioritized_replay_beta", "beta_annealing_fraction", "prioritized_replay_beta_annealing_timesteps",
)  # fmt: skip
OF_LSTM = ("model.max_seq_len", "model.lstm_cell_size", "model.lstm_use_prev_action_reward")
NEW_NAMES = {"rollout_fragment_length": "sample_batch_size"}
GROUPS = ("model", "optimization", "Q_model", "policy_model", "exploration_config")


@dataclass
class Keys:
    """The keys of an agent's config as they are read, the settings made of them, and what is left out."""

    algorithm: str
    given: dict[str, Any]
    steps: int
    pictures: bool
    settings: dict[str, Any] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)

    def take(self, key: str) -> Any:
        """The value of a key, or the library's own where the file has none."""
        self.read.add(key)
        value = self.given[key] if key in self.given else self.defaults.get(key)
        if isinstance(value, (Unknown, NormalNoise)):
            raise NotApplicable(f"{key} is {value}; write a value.")
        return value

    def same(self, ours_by_theirs: Mapping[str, str]) -> None:
        """Keys that are settings here under another name."""
        for theirs, ours in ours_by_theirs.items():
            if (value := self.take(theirs)) is not None:
                self.settings[ours] = value

    def drop(self, reason: str, *keys: str) -> None:
        for key in keys:
            if key in self.given and key not in self.read:
                self.read.add(key)
                self.dropped[key] = reason

    def report(self, every: int, of: int) -> None:
        """Reports every so many steps, as a multiple of what is one round here, and steps that end at one."""
        self.settings["report_every"] = up(every, of)
        self.settings["steps"] = up(self.steps, self.settings["report_every"])

    def drop_rest(self) -> None:
        for key, value in self.given.items():
            if key in self.read:
                continue
            if key.partition(".")[0] in OF_THE_MACHINE:
                self.dropped[key] = MACHINE
            elif key in SAME_HERE and value in SAME_HERE[key]:
                self.dropped[key] = AS_HERE
            else:
                self.dropped[key] = NO_COUNTERPART


def up(number: Any, of: int) -> int:
    """The number, or the next multiple."""
    count = as_plain_number(number)
    if count is None:
        raise NotApplicable(f"a number of steps is expected, not {show_value(number)}.")
    return max(1, ceil(count / of)) * of


def flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a config; those inside the groups with the group's name before them."""
    keys: dict[str, Any] = {}
    for key, value in config.items():
        if key in GROUPS and isinstance(value, Mapping):
            keys |= {f"{key}.{inner}": each for inner, each in value.items()}
        else:
            keys[NEW_NAMES.get(key, key)] = value
    return keys


class AgentPart(NamedTuple):
    name: str  # of our agent
    settings: Mapping[str, Any]
    dropped: Mapping[str, str]  # key -> why nothing here stands for it


def read_agent(algorithm: str, config: Mapping[str, Any], steps: int, pictures: bool) -> AgentPart:
    """Our agent for one of RLlib's algorithms and its settings."""
    name = agent_of(algorithm)
    keys = Keys(algorithm, flat(config), steps, pictures, defaults=DEFAULTS.get(name, {}))
    READERS[name](keys)
    keys.drop_rest()
    return AgentPart(name, keys.settings, keys.dropped)


def agent_of(algorithm: Any) -> str:
    """Our agent; the tabular ones are named by the file that they are of, such as sarsa_tabular_seq."""
    if algorithm in AGENTS:
        return AGENTS[algorithm]
    for beginning, agent in TABULAR.items():
        if isinstance(algorithm, str) and algorithm.startswith(beginning):
            return agent
    raise NotApplicable(
        f"algorithm={show_value(algorithm)} is none of {', '.join(AGENTS)} and the tabular ones "
        f"({', '.join(TABULAR)}...); no agent here stands for it."
    )


def read_dqn(keys: Keys) -> None:
    keys.same({
        "lr": "learning_rate", "adam_epsilon": "adam_epsilon", "gamma": "discount", "double_q": "double",
        "train_batch_size": "batch", "sample_batch_size": "steps_per_update", "dueling": "dueling",
        "noisy": "noisy", "num_atoms": "atoms", "n_step": "n_step", "prioritized_replay": "prioritised",
    })  # fmt: skip
    settings, of = keys.settings, keys.settings["steps_per_update"]
    keys.report(keys.take("timesteps_per_iteration"), of)
    if clip := keys.take("clip_rewards"):
        settings["clip"] = clip
    if settings["noisy"]:
        keys.same({"sigma0": "noise"})
    if settings["atoms"] > 1:
        keys.same({"v_min": "lowest", "v_max": "highest"})
    keys.drop("no effect with one atom", "v_min", "v_max")
    if settings["prioritised"]:
        keys.same({"prioritized_replay_alpha": "priority", "prioritized_replay_beta": "importance"})
    else:
        keys.drop(WITHOUT_PRIORITIES, *OF_PRIORITIES)
    # RLlib looks for what is due after as many steps as it samples at once, so this is when it happens.
    settings["target_every"] = up(keys.take("target_network_update_freq"), of)
    settings["learning_starts"] = min(
        up(max(keys.take("learning_starts"), settings["n_step"]), of), settings["steps"]
    )
    replay = up(keys.take("buffer_size"), of)
    settings["replay"] = 0 if replay >= settings["steps"] else replay
    explore(keys)
    if keys.pictures:
        settings["network"] = "small_convolutions"
        own = "small_convolutions are 16 kernels of 8 x 8, 32 of 4 x 4 and a full layer of 256"
        if is_small(keys.given.get("model.conv_filters")):
            keys.drop(AS_HERE, "model.conv_filters")
        keys.drop(own, "hiddens", "model.conv_filters")
        keys.drop("no effect on pictures", "model.fcnet_hiddens", "model.fcnet_activation")
    else:
        settings["hidden"] = [*keys.take("model.fcnet_hiddens"), *(keys.take("hiddens") or ())]
        settings["activation"] = keys.take("model.fcnet_activation")
    if not keys.take("model.use_lstm"):
        keys.drop("no effect without use_lstm", *OF_LSTM)


def is_small(filters: Any) -> bool:
    """Whether convolutions are those of small_convolutions; a last kernel over all places is a full layer."""
    return isinstance(filters, (list, tuple)) and [*filters[:2], *(each[:1] for each in filters[2:])] == [
        [16, [8, 8], 4], [32, [4, 4], 2], [256],
    ]  # fmt: skip


def explore(keys: Keys) -> None:
    """Exploration that falls over so many steps, by the old keys or by exploration_config."""
    if "exploration_config.epsilon_timesteps" in keys.given:
        over = keys.take("exploration_config.epsilon_timesteps")
        last = keys.take("exploration_config.final_epsilon")
    else:
        over = keys.take("exploration_fraction") * keys.take("schedule_max_timesteps")
        last = keys.take("exploration_final_eps")
    keys.settings["explore_until"] = max(over, 1) / keys.settings["steps"]
    keys.settings["explore_last"] = 0.02 if last is None else last
    keys.drop("exploration_config takes its place",
              "exploration_fraction", "schedule_max_timesteps", "exploration_final_eps")  # fmt: skip


def read_on_policy(keys: Keys) -> None:
    keys.same({
        "lr": "learning_rate", "gamma": "discount", "lambda": "trace", "vf_loss_coeff": "value_weight",
        "entropy_coeff": "entropy_weight", "num_envs_per_worker": "envs",
    })  # fmt: skip
    if clip := keys.take("clip_rewards"):
        keys.settings["signs"] = clip
    if keys.pictures:
        keys.drop("pictures are seen by encoder=nature", "model.conv_filters", "model.fcnet_hiddens",
                  "model.fcnet_activation")  # fmt: skip
    else:
        widths = keys.take("model.fcnet_hiddens")
        widths = widths[0] if widths and isinstance(widths[0], (list, tuple)) else widths
        if len(set(widths)) != 1:
            raise NotApplicable(f"model.fcnet_hiddens={widths} has layers of several widths; give one width.")
        keys.settings |= {"width": widths[0], "layers": len(widths)}
    if keys.take("model.use_lstm"):
        keys.settings |= {"memory": "gru", "memory_width": keys.take("model.lstm_cell_size")}
        keys.drop("gradients go through whole rollouts", "model.max_seq_len")
        keys.drop("the core sees observations alone", "model.lstm_use_prev_action_reward")
    else:
        keys.drop("no effect without use_lstm", *OF_LSTM)


def read_a3c(keys: Keys) -> None:
    read_on_policy(keys)
    keys.same({"sample_batch_size": "rollout"})
    batch = keys.settings["envs"] * keys.settings["rollout"]
    # RLlib sums losses over these steps where ours are means.
    if (most := keys.take("grad_clip")) is not None:
        keys.settings["most_gradient"] = most / batch
    keys.report(keys.take("timesteps_per_iteration"), batch)
    keys.drop("no effect on A3C", "train_batch_size")


def read_ppo(keys: Keys) -> None:
    read_on_policy(keys)
    settings = keys.settings
    settings["envs"] *= max(1, keys.take("num_workers"))
    settings["rollout"] = up(keys.take("train_batch_size"), settings["envs"]) // settings["envs"]
    batch = settings["envs"] * settings["rollout"]
    settings["minibatches"] = max(1, round(batch / keys.take("sgd_minibatch_size")))
    while batch % settings["minibatches"]:
        settings["minibatches"] -= 1
    keys.same({"clip_param": "clip", "num_sgd_iter": "epochs", "grad_clip": "most_gradient"})
    keys.report(batch, batch)
    keys.drop("rollouts are as long as train_batch_size asks", "sample_batch_size")
    keys.drop("the ratio is clipped and has no penalty", "kl_coeff", "kl_target")


def read_off_policy(keys: Keys) -> None:
    keys.same({
        "gamma": "discount", "tau": "tau", "n_step": "n_step", "train_batch_size": "batch",
        "sample_batch_size": "steps_per_update",
    })  # fmt: skip
    settings = keys.settings
    of = settings["steps_per_update"]
    keys.report(keys.take("timesteps_per_iteration"), of)
    settings["learning_starts"] = min(keys.take("learning_starts"), settings["steps"])
    settings["replay"] = up(keys.take("buffer_size"), of)
    if (random := keys.take("pure_exploration_steps")) is not None:
        settings["random_steps"] = min(random, settings["steps"])
    if keys.take("prioritized_replay"):
        keys.dropped |= {"prioritized_replay": NO_COUNTERPART}
        keys.drop(NO_COUNTERPART, *OF_PRIORITIES)
    keys.drop(WITHOUT_PRIORITIES, *OF_PRIORITIES)


def read_ddpg(keys: Keys) -> None:
    read_off_policy(keys)
    settings, td3 = keys.settings, keys.algorithm == "TD3"
    keys.same({"l2_reg": "l2", "critic_lr": "critic_rate"})
    settings["actor_rate"] = keys.take("actor_lr")
    settings["hidden"] = keys.take("critic_hiddens")
    if td3:
        require_equal(keys, "actor_hiddens", "critic_hiddens")
    else:
        # The original gives DDPG's actor the rate and the layers of its critic, whatever the file says.
        settings["actor_rate"] = settings["critic_rate"]
        keys.take("actor_hiddens")
    settings["activation"] = require_equal(keys, "actor_hidden_activation", "critic_hidden_activation")
    settings["huber"] = keys.take("huber_threshold") if keys.take("use_huber") else 0.0
    keys.drop("no effect without use_huber", "huber_threshold")
    if td3:
        keys.same({"twin_q": "twins", "policy_delay": "policy_delay", "target_noise": "target_noise",
                   "exploration_gaussian_sigma": "noise_scale"})  # fmt: skip
        relative = keys.take("target_noise_clip_relative")
        clip = keys.take("target_noise_clip")
        settings["target_noise_clip"] = clip if relative is None else relative * settings["target_noise"]
        if not keys.take("smooth_target_policy"):
            settings["target_noise"] = 0.0
    else:
        keys.same({"exploration_ou_sigma": "noise_scale", "exploration_ou_theta": "noise_pull"})
    keys.drop("no effect without use_lstm", *OF_LSTM)


def read_sac(keys: Keys) -> None:
    read_off_policy(keys)
    settings = keys.settings
    rate = keys.take("critic_learning_rate")  # varied, it stands for all three
    for part, ours in (("actor", "actor_rate"), ("critic", "critic_rate"), ("entropy", "entropy_rate")):
        own = keys.take(f"optimization.{part}_learning_rate")
        settings[ours] = own if rate is None else rate
    keys.same({"initial_alpha": "alpha", "twin_q": "twins"})
    settings["hidden"] = keys.take("fcnet_hiddens") or require_equal(
        keys, "Q_model.fcnet_hiddens", "policy_model.fcnet_hiddens"
    )
    settings["activation"] = require_equal(keys, "Q_model.fcnet_activation", "policy_model.fcnet_activation")
    for key in ("Q_model.fcnet_hiddens", "policy_model.fcnet_hiddens"):
        keys.take(key)
    keys.drop("no effect without use_lstm", *OF_LSTM)


def read_tabular(keys: Keys) -> None:
    for theirs, ours in (("alpha", "learning_rate"), ("discount_factor", "discount"), ("epsilon", "explore")):
        if isinstance(keys.given.get(theirs), Unknown):
            keys.drop(f"{keys.given[theirs].what} is not there, so it is the agent's own", theirs)
        else:
            keys.same({theirs: ours})
    keys.settings["steps"] = keys.steps
    keys.drop("training is counted in env steps", "num_episodes", "eval_every")
    keys.drop(MACHINE, "render_eval")
    if isinstance(keys.given.get("epsilon_decay"), Unknown):
        keys.drop("here it falls in a straight line", "epsilon_decay")
    keys.drop("no effect on a table", *(key for key in keys.given if key.startswith("model.")))


def require_equal(keys: Keys, *names: str) -> Any:
    """The one value that several keys have; one of them may leave it to the other."""
    values = {repr(value): value for name in names if (value := keys.take(name)) is not None}
    if len(values) > 1:
        raise NotApplicable(
            f"{' and '.join(names)} differ ({', '.join(values)}), and they are one setting here; "
            "make them equal."
        )
    return next(iter(values.values()), None)


AGENTS = {"DQN": "dqn", "A3C": "a2c", "A2C": "a2c", "PPO": "ppo", "DDPG": "ddpg", "TD3": "td3", "SAC": "sac"}
TABULAR = {"q_learn": "tabular_q", "double_q_learn": "double_q", "sarsa": "sarsa"}
DEFAULTS: dict[str, Mapping[str, Any]] = {
    "dqn": library.DQN, "a2c": library.A3C, "ppo": library.PPO, "ddpg": library.DDPG, "td3": library.TD3,
    "sac": library.SAC,
}  # fmt: skip
READERS: dict[str, Callable[[Keys], None]] = {
    "dqn": read_dqn, "a2c": read_a3c, "ppo": read_ppo, "ddpg": read_ddpg, "td3": read_ddpg, "sac": read_sac,
    "tabular_q": read_tabular, "double_q": read_tabular, "sarsa": read_tabular,
}  # fmt: skip
