"""From text to task: canonical forms, and every kind of bad input with its sentence."""

import numpy as np
import pytest

import assay
from assay.errors import AssayError, BadText, NotApplicable, UnknownName, WrongLevel
from assay.hosted import build_hosted
from assay.native import build_native


class TestCanonical:
    def test_values_are_typed_by_their_axis(self):
        assert str(assay.task("toy/discrete+reward_scale=2")) == "toy/discrete+reward_scale=2.0"
        assert assay.task("toy/discrete+delay=4.0") == assay.task("toy/discrete+delay=4")

    def test_order_is_kept(self):
        text = "toy/discrete+reward_noise=1.0+delay=4"
        assert str(assay.task(text)) == text

    def test_a_config_is_the_same_task_as_its_text(self):
        config = {"delay": np.int64(4), "reward_noise": 1, "terminal_states": np.array([6, 7])}
        assert assay.task("toy/discrete", config) == assay.task(
            "toy/discrete+delay=4+reward_noise=1.0+terminal_states=[6,7]"
        )

    def test_a_dict_of_sequences_has_a_text(self):
        found = assay.task("toy/discrete", {"rewardable_sequences": {(3, 4): 1.0, (1, 2): 0.5}})
        assert str(found) == "toy/discrete+rewardable_sequences=[[[1,2],0.5],[[3,4],1.0]]"
        assert assay.task(str(found)) == found

    def test_canonical_text_is_a_fixed_point_over_the_catalogue(self):
        for env in ("toy/discrete", "gym/CartPole-v1"):
            for axis in assay.variations(env):
                for level in axis.levels:
                    context = f"+{axis.context}" if axis.context else ""
                    found = assay.task(f"{env}{context}", {axis.name: level})
                    assert assay.task(str(found)) == found


BAD = [
    ("toy/discret", UnknownName, "did you mean 'toy/discrete'"),
    ("toi/discrete", UnknownName, "toy/discrete"),
    ("toy/discrete+delya=4", UnknownName, "did you mean 'delay'"),
    ("toy/discrete+action.stiky=0.1", UnknownName, "did you mean 'action.sticky'"),
    ("toy/discrete+delay=", BadText, "no value"),
    ("toy/discrete+delay=-1", WrongLevel, "delay takes a whole number from 0"),
    ("toy/discrete+delay=1.5", WrongLevel, "delay takes a whole number"),
    ("toy/discrete+delay=soon", WrongLevel, "not 'soon'"),
    ("toy/discrete+delay", WrongLevel, "not True"),
    ("toy/discrete+transition_noise=1.5", WrongLevel, "from 0 to 1"),
    ("toy/discrete+action.sticky=[1,2]", WrongLevel, "action.sticky takes a number from 0 to 1"),
    ("toy/discrete+make_denser=2", WrongLevel, "true or false"),
    ("toy/discrete+gate=never+delay=1", WrongLevel, "one of completion, handout"),
    ("toy/discrete+gate=handout", NotApplicable, "gate acts only with delay set"),
    ("toy/discrete+make_denser", NotApplicable, "make_denser acts only with sequence_length set"),
    ("toy/discrete+flush_on_end", NotApplicable, "delay"),
    ("toy/discrete+noise_support=next_set+transition_noise=0.1", NotApplicable, "diameter"),
    ("toy/discrete+delay=1+delay=2", BadText, "delay"),
    ("toy/discrete+diameter=2@sudden:5", NotApplicable, "structure"),
    ("toy/discrete+reward.sign@ramp:1:2", NotApplicable, "nothing between"),
    ("toy/discrete+delay=2@often:3", BadText, "often"),
    ("toy/discrete+nowhere:blink", UnknownName, "nowhere"),
    ("toy/discrete+terminal_states=[]", WrongLevel, "terminal_state_density=0"),
    (
        "toy/discrete+terminal_states=[7]+terminal_state_density=0.5",
        NotApplicable,
        "nothing for terminal_state_density",
    ),
    (
        "toy/discrete+rewardable_sequences=[[1]]+reward_density=0.5",
        NotApplicable,
        "nothing for reward_density",
    ),
    ("toy/discrete+rewardable_sequences=[[[1],1.0],[[1],2.0]]", WrongLevel, "listed twice"),
    ("toy/discrete+action_space_size=[[2,3],4]+irrelevant_features", WrongLevel, "action_space_size"),
    ("toy/discrete+horizon=3000000000", WrongLevel, "horizon takes a whole number from 1"),
    ("toy/discrete+reward_scale=1e39", WrongLevel, "reward_scale takes a number"),
    ("toy/discrete+delay=3@sudden:3000000000", WrongLevel, "a schedule counts up to"),
    ("toy/discrete+gate=handout+delay=2@sudden:5+sequence_length=2", NotApplicable, "takes no schedule"),
    ("gym/CartPole-v1+delay=2", UnknownName, "reward.delay"),
    ("gym/CartPole-v1+transition_noise=0.1", UnknownName, "no variation of gym/CartPole-v1"),
]


@pytest.mark.parametrize("text, kind, says", BAD, ids=[text for text, _, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(text, kind, says):
    with pytest.raises(kind) as caught:
        assay.task(text)
    assert says in str(caught.value)
    assert str(caught.value).count("\n") == 0 and str(caught.value).endswith((".", "?"))


BAD_WHEN_BUILT = [
    ("toy/discrete+sequence_length=7", "sequence_length=7"),  # longer than there are states
    ("toy/discrete+terminal_state_density=1", "terminal"),
    ("toy/discrete+action_space_size=[8,4]", "irrelevant_features"),
    ("toy/discrete+init_state_dist=[0.5,0.5]", "init_state_dist"),
    ("toy/discrete+terminal_states=[9]", "terminal_states"),
    ("toy/discrete+action_space_size=50+sequence_length=6", "sequence_length=6"),  # codes beyond int32
    ("toy/discrete+observation.quantise=0.5", "Discrete observation cannot be rounded"),
    (
        "toy/discrete+diameter=2+action_space_size=1+terminal_state_density=0+reward_density=1.0"
        "+noise_support=next_set+transition_noise=0.1",
        "sets of several states",
    ),
    ("toy/discrete+reward_function=[[1.0]]", "reward_function"),
]


@pytest.mark.parametrize("text, says", BAD_WHEN_BUILT, ids=[text for text, _ in BAD_WHEN_BUILT])
def test_contradictions_are_refused_when_built(text, says):
    with pytest.raises(AssayError) as caught:
        build_native(text)
    assert says in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_a_host_refuses_what_it_cannot_honour():
    with pytest.raises(UnknownName, match="did you mean 'CartPole-v1'"):
        build_hosted("gym/CartPol-v1")
    with pytest.raises(NotApplicable, match="Discrete observation cannot be rounded"):
        build_hosted("gym/FrozenLake-v1+observation.quantise=0.1")
    with pytest.raises(NotApplicable, match="hosted"):
        build_native("gym/CartPole-v1")


def test_keys_that_the_original_ignores_are_refused():
    with pytest.raises(UnknownName, match="generate_random_mdp"):
        assay.task("toy/discrete", {"generate_random_mdp": True})


def test_neither_a_list_nor_nothing_is_a_task():
    for text, config in [(None, None), ("toy/discrete", [("delay", 4)])]:
        with pytest.raises(BadText, match="a task is a text"):
            assay.task(text, config)


def test_hosts_are_made_as_gymnasium_makes_them():
    import gymnasium

    class Bare(gymnasium.Env):
        """Takes no arguments, not even a render mode."""

        observation_space, action_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(2)

        def reset(self, seed=None, options=None):
            return 0, {}

        def step(self, action):
            return 1, 1.0, True, True, {}

    gymnasium.register("AssayBare-v0", entry_point=Bare)
    assert build_hosted("gym/AssayBare-v0+reward.scale=2.0").reset(0, 0)[0] == 0
    with pytest.raises(NotApplicable, match="not as 'foo'"):
        build_hosted("gym/CartPole-v1", render_mode="foo")
    for name in ("gym/nomod:Foo-v1", "gym/a/b/c"):
        with pytest.raises(UnknownName):
            build_hosted(name)
