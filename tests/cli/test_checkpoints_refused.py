"""Checkpoints of another game, action set or observation: one sentence and exit code 2, before any work."""

import pytest
from calling import one_sentence, run, works

import assay
from tests.interop.checkpoints.published import impala, nature_network, packed, saved

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")
pytest.importorskip("ale_py")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Agents of Pong: a DQN of six actions, an IMPALA of eighteen, and one of Stable-Baselines3."""
    folder = tmp_path_factory.mktemp("checkpoints")
    for place in ("mine", "DQN_modern/Pong/0"):
        (folder / place).mkdir(parents=True)
        saved(folder / place / "model_50000000.gz", {"estimator_state": nature_network(6)})
    (folder / "impala.cleanrl_model").write_bytes(packed(impala(18, "Pong-v5")))
    env = assay.make("atari/Pong+observation=gray84")
    model = sb3.DQN("CnnPolicy", env, buffer_size=10, seed=0, device="cpu",
                    policy_kwargs={"features_extractor_kwargs": {"features_dim": 8}})  # fmt: skip
    (folder / "PongNoFrameskip-v4_1").mkdir()
    for name in ("pong.zip", "PongNoFrameskip-v4_1/best_model.zip"):
        model.save(folder / name)
    env.close()
    return folder


MINE, ZOO = "torch:{}/mine/model_50000000.gz", "torch:{}/DQN_modern/Pong/0/model_50000000.gz"
IMPALA, SB3, RL_ZOO = (
    "flax:{}/impala.cleanrl_model",
    "sb3:{}/pong.zip",
    "sb3:{}/PongNoFrameskip-v4_1/best_model.zip",
)
GRAY = "+observation=gray84"


@pytest.mark.parametrize("agent, task, says", [
    (MINE, "atari/Pong", "shows observation=rgb; write observation=gray84 and stack=4"),
    (MINE, "atari/Pong+observation=binary_masks", "shows observation=binary_masks; write"),
    (MINE, f"atari/Pong{GRAY}+stack=2", "shows pictures of the shape (84, 84, 2); write"),
    (MINE, f"atari/Pong{GRAY}+observation.stack=2", "pictures of the shape (84, 84, 8); write"),
    (MINE, f"atari/Pong{GRAY}+actions=full", "with the 6 actions of actions=minimal"),
    (MINE, f"atari/Breakout{GRAY}", "chooses among 6 actions, and Breakout has 4 (or 18 with actions=full)"),
    (MINE, "gym/CartPole-v1", "is no Atari game; take a task such as atari/Pong+preset=paper."),
    (ZOO, f"atari/SpaceInvaders{GRAY}", "was trained on Pong (its path says so), and"),
    (IMPALA, f"atari/Pong{GRAY}", "with the 18 actions of actions=full, and"),
    (IMPALA, f"atari/Boxing{GRAY}", "was trained on Pong (the file says so)"),
    (SB3, "atari/Pong", "write observation=gray84 (for a suite: --with observation=gray84)."),
    (SB3, f"atari/Pong{GRAY}+actions=full", "write actions=minimal (for a suite: --with actions=minimal)."),
    (SB3, f"atari/Breakout{GRAY}", "was trained on Pong (its path says so), and"),
    (RL_ZOO, f"atari/SpaceInvaders{GRAY}", "was trained on Pong (its path says so), and"),
])  # fmt: skip
def test_another_task_than_that_of_training_is_refused(agent, task, says, files, tmp_path):
    words = agent.format(files), task, "--axes", "action.delay", "--episodes", 2, "--out", tmp_path / "run"
    assert says in one_sentence(run("examine", *words))
    assert not (tmp_path / "run").exists()


def test_a_suite_with_a_game_that_an_agent_does_not_play_is_refused(files):
    said = one_sentence(run("run", "hackatari/controls", "--agent", ZOO.format(files), "--dry-run"))
    assert "was trained on Pong (its path says so)" in said
    said = one_sentence(run("run", "hackatari/pong", "--agent", IMPALA.format(files), "--dry-run"))
    assert "write actions=full (for a suite: --with actions=full)." in said


def test_a_checkpoint_of_objects_is_told_how_suites_show_them(tmp_path):
    env = assay.make("atari/Pong+observation=objects")
    small = {"net_arch": [4]}
    sb3.PPO("MlpPolicy", env, n_steps=8, batch_size=8, policy_kwargs=small, seed=0, device="cpu").save(
        tmp_path / "objects.zip"
    )
    env.close()
    agent = f"sb3:{tmp_path}/objects.zip"
    said = one_sentence(run("run", "hackatari/pong", "--agent", agent, "--dry-run"))
    assert "write observation=objects (for a suite: --with observation=objects)." in said
    beside = "--with", "observation=objects", "--dry-run"
    works("run", "hackatari/pong", "--agent", agent, *beside)
    # Where objects are shown already, they are those of another game.
    other = one_sentence(run("run", "hackatari/boxing", "--agent", agent, *beside))
    assert other.endswith("take a task with its spaces.")


@pytest.mark.parametrize("agent", ["torch:none.gz", "flax:none", "sb3:none.zip"])
def test_a_file_that_is_not_there(agent):
    said = one_sentence(run("examine", agent, "atari/Pong+preset=paper", "--dry-run"))
    assert f"there is no file {agent.partition(':')[2]}" in said


@pytest.mark.slow
def test_an_exam_from_the_command_line(files, tmp_path):
    words = (
        "--axes",
        "lazy_enemy",
        "--episodes",
        2,
        "--max-steps",
        60,
        "--workers",
        1,
        "--out",
        tmp_path / "run",
    )
    works("run", "hackatari/pong", "--agent", IMPALA.format(files), "--with", "actions=full", "--dry-run")
    told = works("examine", ZOO.format(files), "atari/Pong+preset=paper", *words)
    assert "one given agent" in told and "lazy_enemy" in told
