"""Other people's agents train on varied tasks, and what reaches them is the varied thing, step for step."""

import gymnasium
import numpy as np
import pytest

import assay

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")

PAID = (
    "toy/discrete+reward_scale=3+reward_shift=1+terminal_state_density=0"  # pays 1 or 4; the score is 0 or 1
)
SHAKY = "toy/discrete+action.random=0.5"


class Log(gymnasium.Wrapper):
    """Keeps what passes between an agent and its env."""

    def __init__(self, env):
        super().__init__(env)
        self.chosen, self.rewards, self.ends, self.infos = [], [], [], []

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.chosen.append(int(action))
        self.rewards.append(reward)
        self.ends.append(terminated or truncated)
        self.infos.append(info)
        return observation, reward, terminated, truncated, info

    def told(self, name):
        return np.array([info[name] for info in self.infos])


def weights(model):
    return np.concatenate([p.detach().numpy().ravel() for p in model.policy.parameters()])


def trained(algorithm, env, steps, **config):
    """A model that learned for some steps, whose weights moved by it."""
    model = algorithm("MlpPolicy", env, seed=0, device="cpu", policy_kwargs={"net_arch": [16]}, **config)
    before = weights(model)
    model.learn(steps)
    after = weights(model)
    assert np.isfinite(after).all() and not np.array_equal(before, after)
    return model


def test_ppo_learns_from_the_varied_reward():
    env = Log(assay.make(PAID + "+horizon=1000"))  # SB3 adds a value to the reward of a truncated step
    model = trained(sb3.PPO, env, 128, n_steps=64, batch_size=32, n_epochs=2)
    assert len(env.rewards) == 128
    np.testing.assert_array_equal(model.rollout_buffer.rewards[:, 0], env.rewards[64:])
    np.testing.assert_array_equal(env.rewards, 3 * env.told("score") + 1)
    assert set(env.told("score")) == {0.0, 1.0}


def test_dqn_stores_the_varied_reward_and_the_chosen_action():
    env = Log(assay.make(SHAKY + "+reward_scale=3+reward_shift=1"))
    model = trained(sb3.DQN, env, 200, learning_starts=50, buffer_size=500, train_freq=4)
    assert len(env.rewards) == 200 == model.replay_buffer.size()
    np.testing.assert_array_equal(model.replay_buffer.rewards[:200, 0], env.rewards)
    np.testing.assert_array_equal(env.rewards, 3 * env.told("score") + 1)
    np.testing.assert_array_equal(model.replay_buffer.actions[:200, 0, 0], env.chosen)
    # Half are drawn at random, one in eight of those is the chosen one by chance.
    assert 0.3 < np.mean(env.told("executed") != env.chosen) < 0.6
    np.testing.assert_array_equal(model.replay_buffer.dones[:200, 0], env.ends)


def test_ppo_learns_on_a_hosted_task_whose_reward_comes_late():
    env = Log(assay.make("gym/CartPole-v1+reward.delay=3"))
    trained(sb3.PPO, env, 256, n_steps=128, batch_size=64, n_epochs=1)
    assert len(env.rewards) == 256 and set(env.told("score")) == {1.0}
    ends = np.flatnonzero(env.ends)
    assert len(ends) > 3
    first = 0
    for last in ends:
        rewards = env.rewards[first : last + 1]
        # Nothing for three steps, then what was earned then, and at the end all that still waits.
        assert rewards == [0.0] * 3 + [1.0] * (len(rewards) - 4) + [4.0]
        first = last + 1


def policy_for(env):
    inputs, outputs = env.single_observation_space.n, env.single_action_space.n
    return torch.nn.Sequential(torch.nn.Embedding(inputs, 16), torch.nn.Tanh(), torch.nn.Linear(16, outputs))


def test_a_torch_loop_learns_on_a_vector_env():
    """REINFORCE in the manner of CleanRL: one file, one loop, one update per rollout."""
    torch.manual_seed(0)
    lanes, length, updates = 8, 32, 8
    env = assay.make_vec(PAID + "+action.random=0.2+horizon=10", lanes)
    policy = policy_for(env)
    before = [parameter.detach().clone() for parameter in policy.parameters()]
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    observation, _ = env.reset(seed=0)
    began = np.zeros(lanes, bool)  # lanes whose step is a reset: nothing was chosen there
    steps, differ = 0, 0
    for _ in range(updates):
        terms = []
        for _ in range(length):
            choice = torch.distributions.Categorical(logits=policy(torch.as_tensor(observation)))
            chosen = choice.sample()
            observation, reward, terminated, truncated, info = env.step(chosen.numpy())
            acted = ~began
            np.testing.assert_array_equal(info.get("_score", np.zeros(lanes, bool)), acted)
            if acted.any():
                np.testing.assert_array_equal(reward[acted], 3 * info["score"][acted] + 1)
                differ += np.sum(info["executed"][acted] != chosen.numpy()[acted])
            assert not reward[began].any()
            steps += acted.sum()
            advantage = torch.as_tensor((reward - 1.4) * acted, dtype=torch.float32)
            terms.append(-(choice.log_prob(chosen) * advantage).mean())
            began = terminated | truncated
        optimizer.zero_grad()
        torch.stack(terms).mean().backward()
        optimizer.step()
    # Every lane: ten steps and a reset, over and over.
    assert steps == lanes * sum(step % 11 != 10 for step in range(length * updates))
    assert 0.1 < differ / steps < 0.25
    assert all(not torch.equal(old, new) for old, new in zip(before, policy.parameters()))
