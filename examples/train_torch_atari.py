"""A loop of one's own: a torch actor-critic learns on lanes of an Atari variation, and is then examined.

The network has the layers of published agents, so assay plays it from its file. Needs `pip install torch`.
"""

import torch
from torch import nn

import assay

TASK = "atari/Pong+lazy_enemy+observation=gray84"
LENGTH, DISCOUNT = 16, 0.99  # steps of a rollout


class Network(nn.Module):
    def __init__(self, actions: int):
        super().__init__()
        convolutions = [nn.Conv2d(4, 32, 8, 4), nn.Conv2d(32, 64, 4, 2), nn.Conv2d(64, 64, 3, 1)]
        layers = [*convolutions, nn.Sequential(nn.Flatten(), nn.Linear(3136, 512))]
        self.body = nn.Sequential(*(nn.Sequential(layer, nn.ReLU()) for layer in layers))
        self.actor, self.critic = nn.Linear(512, actions), nn.Linear(512, 1)

    def forward(self, seen):  # rows x 84 x 84 x 4, frames last
        hidden = self.body(seen.permute(0, 3, 1, 2).float() / 255)
        return self.actor(hidden), self.critic(hidden)[:, 0]


def train(task: str, updates: int, lanes: int, workers: int | None = None) -> Network:
    torch.manual_seed(0)
    env = assay.make_vec(task, lanes, autoreset="same-step", workers=workers)
    network = Network(int(env.single_action_space.n))
    optimizer = torch.optim.Adam(network.parameters(), lr=2.5e-4)
    seen, _ = env.reset(seed=0)
    for _ in range(updates):
        steps = []
        for _ in range(LENGTH):
            logits, value = network(torch.as_tensor(seen))
            choice = torch.distributions.Categorical(logits=logits)
            chosen = choice.sample()
            seen, reward, terminated, truncated, _ = env.step(chosen.numpy())
            goes_on = torch.as_tensor(~(terminated | truncated))
            steps.append((choice.log_prob(chosen), value, choice.entropy(), torch.as_tensor(reward), goes_on))
        future, loss = network(torch.as_tensor(seen))[1].detach(), 0.0
        for log_prob, value, entropy, reward, goes_on in reversed(steps):
            future = reward.float().sign() + DISCOUNT * future * goes_on
            gain = future - value
            loss += (gain.square() / 2 - log_prob * gain.detach() - 0.01 * entropy).mean() / LENGTH
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    env.close()
    return network


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.save(train(TASK, updates=4, lanes=2).state_dict(), "pong.pt")
    print("2 x 64 steps; now try: assay examine torch:pong.pt atari/Pong+preset=paper --axes lazy_enemy")
