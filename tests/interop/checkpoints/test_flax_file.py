"""Networks in files of flax, read without flax: they act as the same network does in PyTorch."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from published import (
    flax_layer,
    head_outputs,
    impala,
    impala_outputs,
    nature_body,
    packed,
    picked,
    pickled,
    pictures,
    shared_idqn,
    stacked,
    value_head,
)

import assay
from assay.digests.own_code import digest_of_content
from assay.errors import AssayError
from assay.interop.agents import load_agent
from assay.interop.checkpoints.flax_file import network_of
from assay.interop.checkpoints.network import HEADS
from assay.interop.play import LANES, play

pytest.importorskip("ale_py")
PONG = "atari/Pong+preset=paper"


def values_of(tree, seen):
    agent = network_of(tree)
    if agent.draws == HEADS:
        return np.array(
            [agent.values(agent.params, seen, head) for head in range(len(agent.params["last"]["bias"]))]
        )
    return np.asarray(agent.values(agent.params, seen))


def bound(path, task=PONG):
    env = assay.make(task)
    try:
        return load_agent(f"flax:{path}").bind(env)
    finally:
        env.close()


def told(path, task=PONG):
    with pytest.raises(AssayError) as caught:
        bound(path, task)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
    return str(caught.value)


def written(path, data):
    path.write_bytes(data)
    return path


class TestAgainstTorch:
    @pytest.fixture(autouse=True)
    def torch(self):
        return pytest.importorskip("torch")

    def test_the_shared_heads_of_idqn(self):
        tree, seen = shared_idqn(heads=4), pictures(3)
        bodies, heads = (tree[part]["params"] for part in ("torso_params", "head_params"))
        # Head 0 is the target and has the first body; the others share the second.
        expected = [
            head_outputs(picked(bodies, min(head, 1)), picked(heads, head), seen) for head in range(4)
        ]
        np.testing.assert_allclose(values_of(tree, seen), expected, atol=1e-5)

    def test_the_separate_networks_of_idqn_and_a_single_one(self):
        rng, seen = np.random.default_rng(1), pictures(3)
        nets = [{"torso": nature_body(rng), "head": value_head(rng, 6)} for _ in range(3)]
        expected = [head_outputs(net["torso"], net["head"], seen) for net in nets]
        np.testing.assert_allclose(values_of({"params": stacked(nets)}, seen), expected, atol=1e-5)
        single = {"params": nets[1]["torso"] | nets[1]["head"]}
        for tree in ({"params": nets[1]}, single):
            np.testing.assert_allclose(values_of(tree, seen), expected[1], atol=1e-5)

    def test_the_residual_network_of_impala(self):
        tree, seen = impala(), pictures(3)
        np.testing.assert_allclose(values_of(tree, seen), impala_outputs(tree, seen), atol=1e-5)


def test_impala_is_read_from_msgpack_and_draws_its_actions(tmp_path):
    tree = impala()
    tree["1"]["1"]["params"]["Dense_0"] = {  # an actor of known chances
        "kernel": np.zeros((256, 18), "float32"),
        "bias": np.log(np.r_[10, 8, np.ones(16)]).astype("float32"),
    }
    path = written(tmp_path / "impala.cleanrl_model", packed(tree))
    agent, policy = load_agent(f"flax:{path}"), bound(path, PONG + "+actions=full")
    assert agent.files == (path,) and not policy.batches
    drawn, seen = [], pictures(1)[0]
    for _ in range(2):
        policy.begin(3)
        drawn.append([policy.act(seen) for _ in range(150)])
    assert drawn[0] == drawn[1]
    shares = np.bincount(drawn[0], minlength=18) / 150
    np.testing.assert_allclose(shares, np.r_[10, 8, np.ones(16)] / 34, atol=0.1)


def test_idqn_is_read_from_its_pickle_and_takes_a_head_at_random(tmp_path):
    tree = shared_idqn(heads=3)
    last = tree["head_params"]["params"]["Dense_1"]
    last["kernel"][:] = last["bias"][:] = 0
    for head, action in enumerate((5, 1, 4)):
        last["bias"][head, action] = 1
    policy = bound(written(tmp_path / "5_Q_0_199_best_online_params", pickled(tree)))
    policy.begin(0)
    seen = pictures(1)[0]
    taken = np.bincount([policy.act(seen) for _ in range(99)], minlength=6)
    np.testing.assert_allclose(taken, [0, 33, 0, 0, 33, 33], atol=15)
    assert not taken[[0, 2, 3]].any()


def test_a_single_network_of_values_acts_on_batches(tmp_path):
    rng = np.random.default_rng(2)
    tree = {"params": nature_body(rng) | value_head(rng, 6)}
    policy = bound(written(tmp_path / "dqn", packed(tree)))
    seen = pictures(LANES)
    expected = values_of(tree, seen).argmax(1)
    assert policy.batches and list(policy.act_batch(seen)) == list(expected)
    assert [policy.act(row) for row in seen[:3]] == list(expected[:3])


def test_it_plays_an_episode_alike_twice(tmp_path):
    agent = load_agent(f"flax:{written(tmp_path / 'idqn', pickled(shared_idqn()))}")
    [(path, digest)] = agent.loaded
    assert agent.files == (path,) and digest == digest_of_content(path.read_bytes())
    env = assay.make(f"{PONG}+lazy_enemy+max_frames=300")
    first, again = (play(agent.bind(env), env, agent.name, 0, 1)[0] for _ in range(2))
    assert first.steps > 30 and first == again
    env.close()


def test_a_pickle_that_names_anything_else_is_refused_before_it_runs(tmp_path):
    class Bomb:
        def __reduce__(self):
            return Path.touch, (tmp_path / "touched",)

    path = written(tmp_path / "bomb", pickle.dumps({"params": Bomb()}))
    assert "it names pathlib" in told(path) and not (tmp_path / "touched").exists()
    pickle.loads(path.read_bytes())
    assert (tmp_path / "touched").exists()


def changed(change):
    rng = np.random.default_rng(0)
    tree = {"params": nature_body(rng) | value_head(rng, 6)}
    change(tree["params"])
    return tree


@pytest.mark.parametrize("tree, why", [
    ({}, "is no dictionary of layers"),
    ([1], "is no dictionary of layers"),
    ({"params": {"Dense_0": {}}}, "holds 'Dense_0'"),
    ({"params": 3}, "holds a int"),
    ({"step": 3, "params": {}}, "holds 'params', 'step'"),
    (changed(lambda net: net.pop("Conv_2")), "holds 'Conv_0', 'Conv_1' in the body"),
    (changed(lambda net: net.update(Dense_2={})), "holds 'Dense_0', 'Dense_1', 'Dense_2' in the head"),
    (changed(lambda net: net["Conv_0"].pop("bias")), "has a layer Conv_0 without a bias"),
    (changed(lambda net: net["Conv_1"].update(kernel=np.zeros((4, 4, 16, 64), "f4"))),
     "has a layer Conv_1 of the shape (4, 4, 16, 64)"),
    (changed(lambda net: net["Conv_1"].update(kernel=np.zeros((4, 4, 32, 64), int))),
     "has a layer Conv_1 that is no array of fractions"),
    (changed(lambda net: net.update(Dense_0=flax_layer(np.random.default_rng(0), 100, 512))),
     "has a full layer of 100 inputs"),
    (changed(lambda net: net["Dense_1"]["bias"].fill(np.nan)), "has numbers in Dense_1 that are not finite"),
    ({**shared_idqn(), "head_params_ref": {}}, "holds 'head_params', 'head_params_ref', 'torso_params'"),
    (shared_idqn(heads=5)
     | {"torso_params": {"params": stacked([nature_body(np.random.default_rng(0))] * 3)}},
     "has (3,) bodies and (5,) heads"),
    ({"0": {}, "1": {"0": {"params": {"Conv_0": {}}}, "1": {"params": {}}, "2": {}}},
     "holds 'Conv_0' in the body"),
], ids=range(15))  # fmt: skip
def test_other_networks_are_refused_with_what_they_hold(tree, why, tmp_path):
    said = told(written(tmp_path / "other", packed(tree) if tree != {} else b"\xde\0\0"))
    assert why in said and "assay knows i-DQN's, Cleanba's and CleanRL's networks for Atari" in said


@pytest.mark.parametrize("data, why", [
    (b"", "it ends too early"),
    (b"\x80\x04garbage", "its pickle is damaged"),
    (b"\xc1", "no value begins with the byte 0xc1"),
])  # fmt: skip
def test_damaged_files_are_refused(data, why, tmp_path):
    assert why in told(written(tmp_path / "bad", data))
