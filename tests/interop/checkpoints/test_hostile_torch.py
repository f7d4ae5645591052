"""Files of PyTorch with tensors that no network has, or whose numbers overflow: refused in one sentence."""

import numpy as np
import pytest
from published import nature_network, saved

from assay.errors import AssayError
from assay.interop.agents import load_agent
from assay.interop.checkpoints.torch_file import env_in, is_target

torch = pytest.importorskip("torch")
STRANGE = {
    "sparse": lambda: torch.eye(3).to_sparse(),
    "quantised": lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
    "meta": lambda: torch.ones(3, device="meta"),
    "conj": lambda: torch.ones(3, dtype=torch.cfloat).conj(),
    "neg": lambda: torch.ones(3, dtype=torch.cfloat).conj().imag,
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "expanded": lambda: torch.ones(1).expand(2**40),
    "repeated": lambda: torch.ones(1).expand(2**20),
}


def told(path):
    with pytest.raises(AssayError) as caught:
        load_agent(f"torch:{path}")
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
    return str(caught.value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", STRANGE)
def test_strange_tensors(kind):
    from assay.interop.checkpoints.torch_file import agent_in

    odd, good = STRANGE[kind](), nature_network(6)
    with pytest.raises(AssayError) as caught:
        agent_in("torch:a", "a", good | {"odd": odd})
    assert "\n" not in str(caught.value)
    assert agent_in("torch:a", "a", {"model": good, "other": {"odd": odd}}).actions == 6


@pytest.mark.parametrize("kind", [torch.cfloat, torch.int8, torch.bool])
def test_weights_that_are_no_fractions(kind, tmp_path):
    state = {key: value.to(kind) for key, value in nature_network(6).items()}
    assert "not of fractions" in told(saved(tmp_path / "a.gz", state))


def test_weights_that_overflow(tmp_path):
    state = {key: value * 1e30 for key, value in nature_network(6).items()}
    assert "gives numbers that are not finite" in told(saved(tmp_path / "a.gz", state))


@pytest.mark.parametrize("atoms, why", [
    (torch.tensor([0.0, 1.0, torch.inf]), "atoms that are not finite"),
    (torch.arange(3, 0, -1).to(torch.uint8), "whose atoms do not increase"),
    (torch.tensor([False, True, True]), "a support of bool"),
])  # fmt: skip
def test_supports(atoms, why, tmp_path):
    assert why in told(saved(tmp_path / "a.gz", nature_network(6) | {"support": atoms}))


@pytest.mark.parametrize("place, yes", [
    ("target", True), ("q_target", True), ("target_network", True), ("a.target_net.0", True),
    ("_target_network", True), ("targeted_agent", False), ("retarget", False), ("", False),
])  # fmt: skip
def test_names_of_targets(place, yes):
    assert is_target(place) == yes


def test_a_network_named_like_a_target_counts_and_targets_alone_are_told(tmp_path):
    state = nature_network(6)
    load_agent(f"torch:{saved(tmp_path / 'a.gz', {'targeted_agent': state})}")
    for content in ({"target": state}, {f"target_net.{key}": value for key, value in state.items()}):
        assert "holds only target networks ('target" in told(saved(tmp_path / "b.gz", content))


def test_the_env_beside_the_weights_or_in_the_settings():
    assert env_in({"env_id": "Pong-v5"}) == env_in({"args": {"env_id": "Pong-v5"}}) == "Pong-v5"
    assert env_in({"env_id": np.zeros(2)}) == env_in([]) == ""


def test_a_critic_of_several_outputs(tmp_path):
    state = {key.replace("_AtariNet__head.2", "actor"): value for key, value in nature_network(6).items()}
    state |= {"critic.weight": torch.ones(2, 512), "critic.bias": torch.ones(2)}
    assert "a critic of 2 outputs" in told(saved(tmp_path / "a.gz", state))
