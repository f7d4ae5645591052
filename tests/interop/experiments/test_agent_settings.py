"""The agent's part of a file as settings: by hand, key by key, and only names that our agents know."""

import dataclasses

import pytest

from assay.errors import NotApplicable
from assay.interop.experiments.agent_settings import (
    AGENTS,
    AS_HERE,
    MACHINE,
    NO_COUNTERPART,
    agent_of,
    read_agent,
)
from assay.interop.experiments.plain_values import Unknown
from assay.plans.agents import catalogue_agent, settings_of

PLAIN = {
    "lr": 1e-4, "adam_epsilon": 1e-4, "buffer_size": 1_000_000, "double_q": False, "dueling": False,
    "exploration_final_eps": 0.01, "exploration_fraction": 0.1, "hiddens": None, "learning_starts": 1000,
    "n_step": 1, "noisy": False, "num_atoms": 1, "prioritized_replay": False, "sample_batch_size": 4,
    "schedule_max_timesteps": 20_000, "target_network_update_freq": 800, "timesteps_per_iteration": 1000,
    "train_batch_size": 32, "model": {"fcnet_hiddens": [256, 256], "fcnet_activation": "tanh"},
}  # fmt: skip


def settings(algorithm, steps=20_000, pictures=False, **config):
    return read_agent(algorithm, config, steps, pictures)[1]


def test_the_paper_s_dqn_is_our_default():
    name, read, dropped = read_agent("DQN", PLAIN, 20_000, False)
    assert name == "dqn"
    defaults = dataclasses.asdict(catalogue_agent("dqn").config())
    assert settings_of("dqn", read) == settings_of("dqn", {})
    assert defaults["target_every"] == 800
    assert dropped == {}


def test_what_a_file_leaves_out_is_the_library_s():
    read = settings("DQN")
    assert read["double"] and read["dueling"] and read["prioritised"]
    assert read["hidden"] == [256, 256, 256]  # two layers of the model, one of the agent's own
    assert read["learning_rate"] == 5e-4
    assert read["explore_until"] == 0.5  # a tenth of 100,000 steps, of 20,000


def test_counts_of_steps_are_rounded_up_to_rounds():
    read = settings("DQN", **PLAIN | {"learning_starts": 1480, "target_network_update_freq": 311, "n_step": 8,
                                      "buffer_size": 33, "timesteps_per_iteration": 999})  # fmt: skip
    assert (read["learning_starts"], read["target_every"], read["replay"]) == (1480, 312, 36)
    assert (read["report_every"], read["steps"]) == (1000, 20_000)
    settings_of("dqn", read)


def test_learning_starts_no_earlier_than_n_step_asks():
    read = settings("DQN", **PLAIN | {"learning_starts": 1, "n_step": 7})
    assert read["learning_starts"] == 8
    settings_of("dqn", read)


def test_exploration_by_its_new_key():
    read = settings("DQN", 10_000, exploration_config={"epsilon_timesteps": 2000, "final_epsilon": 0.05})
    assert (read["explore_until"], read["explore_last"]) == (0.2, 0.05)


def test_pictures_are_seen_by_the_small_convolutions():
    same = [[16, [8, 8], 4], [32, [4, 4], 2], [256, [13, 13], 1]]
    other = [*same[:2], [64, [13, 13], 1]]
    for filters, reason in ((same, AS_HERE), (other, "small_convolutions are 16 kernels")):
        _, read, dropped = read_agent("DQN", {"model": {"conv_filters": filters}}, 20_000, True)
        assert read["network"] == "small_convolutions" and "hidden" not in read
        assert dropped["model.conv_filters"].startswith(reason)


def test_a3c_by_hand():
    read = settings(
        "A3C", 150_000, lr=1e-3, vf_loss_coeff=0.1, entropy_coeff=0.1, grad_clip=10.0, sample_batch_size=10,
        num_envs_per_worker=5, timesteps_per_iteration=7500,
        model={"fcnet_hiddens": [128, 128, 128], "use_lstm": True, "lstm_cell_size": 64},
        **{"lambda": 0.0},
    )  # fmt: skip
    assert read == {
        "learning_rate": 1e-3, "discount": 0.99, "trace": 0.0, "value_weight": 0.1, "entropy_weight": 0.1,
        "envs": 5, "width": 128, "layers": 3, "memory": "gru", "memory_width": 64, "rollout": 10,
        "most_gradient": 0.2, "report_every": 7500, "steps": 150_000,
    }  # fmt: skip


def test_ppo_by_hand():
    read = settings("PPO", 100_000, num_workers=2, num_envs_per_worker=4, train_batch_size=400,
                    sgd_minibatch_size=100, num_sgd_iter=10, clip_param=0.2)  # fmt: skip
    assert (read["envs"], read["rollout"], read["minibatches"], read["epochs"]) == (8, 50, 4, 10)
    assert read["steps"] % read["report_every"] == 0
    settings_of("ppo", read)


def test_td3_s_clip_may_be_relative_to_its_noise():
    read = settings("TD3", target_noise=0.02, target_noise_clip_relative=2.5, tau=0.02)
    assert read["target_noise_clip"] == pytest.approx(0.05)
    assert settings("TD3", target_noise=0.2, target_noise_clip=0.5)["target_noise_clip"] == 0.5
    assert settings("TD3", smooth_target_policy=False)["target_noise"] == 0.0


def test_ddpg_s_actor_follows_its_critic():
    read = settings("DDPG", critic_lr=1e-2, actor_lr=None, critic_hiddens=[8, 8], actor_hiddens=None)
    assert (read["actor_rate"], read["critic_rate"], read["hidden"]) == (1e-2, 1e-2, [8, 8])


def test_one_varied_rate_of_sac_stands_for_three():
    own = {"actor_learning_rate": None, "critic_learning_rate": 3e-4, "entropy_learning_rate": None}
    read = settings("SAC", optimization=own, critic_learning_rate=3e-3, fcnet_hiddens=[16, 16])
    assert [read[each] for each in ("actor_rate", "critic_rate", "entropy_rate")] == [3e-3] * 3
    assert read["hidden"] == [16, 16]


def test_tables():
    name, read, dropped = read_agent(
        "double_q_learn_tabular_seq",
        {"alpha": 0.5, "epsilon": 0.1, "discount_factor": 0.9, "epsilon_decay": "linear", "num_episodes": 9},
        20_000,
        False,
    )
    assert name == "double_q"
    assert read == {"learning_rate": 0.5, "explore": 0.1, "discount": 0.9, "steps": 20_000}
    assert dropped["epsilon_decay"] == AS_HERE and "env steps" in dropped["num_episodes"]


def test_what_a_missing_file_would_tell_is_the_agent_s_own():
    _, read, dropped = read_agent("sarsa_tabular", {"alpha": Unknown("the file a.yaml", 3)}, 20_000, False)
    assert read == {"steps": 20_000}
    assert dropped["alpha"] == "the file a.yaml is not there, so it is the agent's own"


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("num_workers", 3, MACHINE),
        ("tf_session_args", {"a": 1}, MACHINE),
        ("prioritized_replay_alpha", 0.5, "no effect without prioritized_replay"),
        ("model", {"max_seq_len": 20}, "no effect without use_lstm"),
        ("v_max", 20.0, "no effect with one atom"),
        ("prioritized_replay_eps", 1e-6, "no effect without prioritized_replay"),
        ("something", 1, NO_COUNTERPART),
        ("softmax_temp", 1.0, AS_HERE),
        ("softmax_temp", 2.0, NO_COUNTERPART),
    ],
)
def test_every_key_is_read_or_left_out_with_a_reason(key, value, reason):
    _, _, dropped = read_agent("DQN", {**PLAIN, key: value}, 20_000, False)
    assert list(dropped.values()) == [reason]


@pytest.mark.parametrize("algorithm", [*AGENTS, "q_learn_tabular", "double_q_learn_tabular", "sarsa_tabular"])
@pytest.mark.parametrize("pictures", [False, True])
def test_settings_are_known_to_our_agents(algorithm, pictures):
    name, read, _ = read_agent(algorithm, {}, 20_000, pictures)
    settings_of(name, read)


@pytest.mark.parametrize(
    ("algorithm", "config", "why"),
    [
        ("APEX", {}, "algorithm='?APEX'? is none of DQN"),
        ("DQN", {"lr": Unknown("np.random.rand(...)", 7)}, r"lr is np.random.rand\(...\) \(line 7\)"),
        ("A3C", {"model": {"fcnet_hiddens": [64, 32]}}, "layers of several widths"),
        ("TD3", {"actor_hiddens": [64], "critic_hiddens": [32]}, "actor_hiddens and critic_hiddens differ"),
    ],
)
def test_refusals(algorithm, config, why):
    with pytest.raises(NotApplicable, match=why):
        read_agent(algorithm, config, 20_000, False)


def test_tabular_algorithms_are_named_by_their_files():
    assert agent_of("q_learn_tabular_del") == "tabular_q"
    assert agent_of("double_q_learn_tabular_del") == "double_q"
