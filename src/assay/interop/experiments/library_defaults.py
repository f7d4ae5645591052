"""What RLlib 0.7 takes where an experiment file leaves a key out, for the keys that have a counterpart here.

The files were written for that version; its later ones renamed keys and changed some of these numbers.
"""

from __future__ import annotations

from typing import Any

MODEL = {"model.fcnet_hiddens": [256, 256], "model.fcnet_activation": "tanh", "model.use_lstm": False,
         "model.lstm_cell_size": 256}  # fmt: skip
DQN: dict[str, Any] = {
    **MODEL, "gamma": 0.99, "lr": 5e-4, "adam_epsilon": 1e-8, "train_batch_size": 32, "sample_batch_size": 4,
    "learning_starts": 1000, "target_network_update_freq": 500, "buffer_size": 50_000, "hiddens": [256],
    "double_q": True, "dueling": True, "noisy": False, "sigma0": 0.5, "num_atoms": 1, "v_min": -10.0,
    "v_max": 10.0, "n_step": 1, "prioritized_replay": True, "prioritized_replay_alpha": 0.6,
    "prioritized_replay_beta": 0.4, "exploration_fraction": 0.1, "exploration_final_eps": 0.02,
    "schedule_max_timesteps": 100_000, "timesteps_per_iteration": 1000,
}  # fmt: skip
A3C: dict[str, Any] = {
    **MODEL, "gamma": 0.99, "lr": 1e-4, "lambda": 1.0, "vf_loss_coeff": 0.5, "entropy_coeff": 0.01,
    "grad_clip": 40.0, "sample_batch_size": 10, "num_envs_per_worker": 1, "timesteps_per_iteration": 1000,
}  # fmt: skip
PPO: dict[str, Any] = {
    **MODEL, "gamma": 0.99, "lr": 5e-5, "lambda": 1.0, "vf_loss_coeff": 1.0, "entropy_coeff": 0.0,
    "clip_param": 0.3, "num_sgd_iter": 30, "train_batch_size": 4000, "sgd_minibatch_size": 128,
    "num_workers": 2, "num_envs_per_worker": 1,
}  # fmt: skip
DDPG: dict[str, Any] = {
    "gamma": 0.99, "actor_lr": 1e-3, "critic_lr": 1e-3, "tau": 0.002, "learning_starts": 1500,
    "actor_hiddens": [400, 300], "critic_hiddens": [400, 300], "actor_hidden_activation": "relu",
    "critic_hidden_activation": "relu", "n_step": 1, "buffer_size": 50_000, "train_batch_size": 256,
    "sample_batch_size": 1, "l2_reg": 1e-6, "use_huber": False, "huber_threshold": 1.0,
    "timesteps_per_iteration": 1000, "pure_exploration_steps": 1000, "prioritized_replay": True,
}  # fmt: skip
TD3: dict[str, Any] = {
    **DDPG, "twin_q": True, "policy_delay": 2, "smooth_target_policy": True, "target_noise": 0.2,
    "target_noise_clip": 0.5, "exploration_gaussian_sigma": 0.1, "learning_starts": 10_000, "tau": 5e-3,
    "train_batch_size": 100, "l2_reg": 0.0, "buffer_size": 1_000_000, "pure_exploration_steps": 10_000,
    "prioritized_replay": False,
}  # fmt: skip
SAC: dict[str, Any] = {
    "gamma": 0.99, "optimization.actor_learning_rate": 3e-4, "optimization.critic_learning_rate": 3e-4,
    "optimization.entropy_learning_rate": 3e-4, "tau": 5e-3, "initial_alpha": 1.0, "twin_q": True,
    "learning_starts": 1500, "n_step": 1, "buffer_size": 1_000_000, "train_batch_size": 256,
    "sample_batch_size": 1, "Q_model.fcnet_hiddens": [256, 256], "policy_model.fcnet_hiddens": [256, 256],
    "Q_model.fcnet_activation": "relu", "policy_model.fcnet_activation": "relu",
    "timesteps_per_iteration": 100, "target_entropy": "auto", "prioritized_replay": False,
}  # fmt: skip
