"""assay.Policy: what it declares, what a plain function is, and what is refused."""

import pytest

import assay
from assay.errors import AssayError
from assay.interop.agents import load_agent
from assay.interop.policy import as_policy


def act(observation):
    return 0


def test_a_plain_function_is_a_policy_with_defaults():
    policy = as_policy(act)
    assert policy == assay.Policy(act)
    assert (policy.reset, policy.act_batch, policy.uses_info, policy.files) == (None, None, False, ())
    assert not policy.batches and policy("seen") == 0


def test_the_reset_beside_a_method_is_the_agents():
    class Agent:
        def act(self, observation):
            return 0

        def reset(self, seed):
            self.seed = seed

    agent = Agent()
    as_policy(agent.act).begin(7)
    assert agent.seed == 7


def test_a_reset_without_a_seed_is_called_without():
    calls = []
    assay.Policy(act, reset=lambda: calls.append("no seed")).begin(7)
    assay.Policy(act, reset=lambda **known: calls.append(known)).begin(7)
    assert calls == ["no seed", {"seed": 7}]


def test_an_agent_that_keeps_something_is_not_batched():
    assert assay.Policy(act, act_batch=act).batches
    assert not assay.Policy(act, act_batch=act, reset=lambda seed: None).batches


@pytest.mark.parametrize("given", [{"act": 3}, {"act": act, "reset": 1}, {"act": act, "act_batch": "f"},
                                   {"act": act, "files": 3}, {"act": act, "files": [1]}])  # fmt: skip
def test_what_is_no_function_or_path_is_refused(given):
    with pytest.raises(AssayError):
        assay.Policy(**given)


def test_files_that_a_policy_declares_decide_its_results(tmp_path, monkeypatch):
    (tmp_path / "declares.py").write_text(
        "import assay\nAGENT = assay.Policy(lambda observation: 0, files=('weights.npy',))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AssayError, match=r"declares the file weights.npy, which is not there"):
        load_agent("declares:AGENT")
    (tmp_path / "weights.npy").write_bytes(b"1")
    assert [path.name for path in load_agent("declares:AGENT").files] == ["declares.py", "weights.npy"]
