"""What every plan holds, before it is a plan of some kind."""

import dataclasses

import pytest

from assay.plans.plan import RUN, TRAIN, Basis, Plan, ScoreRange, TrainPlan, extend
from assay.plans.shared_parts import basis_of, declared_range, draws_worlds, step_limit_of
from assay.task_text import parse

TOY = "toy/discrete"


def test_a_basis_becomes_a_plan_of_a_kind_with_the_same_fields():
    basis = basis_of(TRAIN, "tabular_q", TOY, seeds=2, first_seed=5)
    assert type(basis) is Basis and basis.seeds == (5, 6) and basis.trains
    plan = extend(basis, TrainPlan, task=TOY)
    assert plan.tasks == (TOY,) and plan.name == TOY
    assert {each.name: getattr(plan, each.name) for each in dataclasses.fields(Basis)} == vars(basis)


def test_a_plan_without_a_kind_cannot_be_made():
    shared = vars(basis_of(RUN, "random", TOY))
    with pytest.raises(TypeError, match=r"abstract.*tasks"):
        Plan(**shared)


@pytest.mark.parametrize(
    "texts, own",
    [
        ([TOY], True),
        ([f"{TOY}+mdp_seed=3"], False),  # one world is named
        ([TOY, f"{TOY}+mdp_seed=3"], False),
        (["platformer/run"], False),
        (["gym/CartPole-v1"], False),
    ],
)
def test_worlds_are_drawn_where_an_env_makes_some_and_no_task_names_one(texts, own):
    assert draws_worlds([parse(text) for text in texts]) is own


def test_a_declared_range_is_a_record_and_native_tasks_are_not_cut():
    assert declared_range(parse("gym/FrozenLake-v1")) == ScoreRange(0.0, 1.0, two_valued=True)
    assert declared_range(parse(TOY)) is None
    assert step_limit_of([parse(TOY)], None) is None
