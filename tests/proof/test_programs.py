"""The digest of a check's programs: the same in every process, another for whatever may change a finding."""

import os
import subprocess
import sys
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.catalogue import axis_of
from assay.core import step as loop
from assay.proof import native, programs
from assay.proof.laws import native as laws
from assay.proof.programs import Program, digest_of_program, digest_of_programs

ENV, NAME = "toy/discrete", "action.sticky"
TWICE = (
    "from assay.catalogue import axis_of; from assay.proof.programs import digest_of_programs as digest;"
    f"print(digest('toy/discrete', axis_of('toy/discrete', 'reward_noise')),"
    f" digest('{ENV}', axis_of('{ENV}', '{NAME}')))"
)


def digest():
    jax.clear_caches()
    programs.digest_of_plain_run.cache_clear()
    return digest_of_programs(ENV, axis_of(ENV, NAME))


@pytest.fixture(scope="module")
def usual():
    return digest()


def double(x):
    return x * 2


def twice(x):
    return x * 2


def triple(x):
    return x * 3


def add_table(x):
    return x + np.arange(5000, dtype=np.float32)


def add_another_table(x):
    return x + np.where(np.arange(5000) == 2500, 7, np.arange(5000)).astype(np.float32)


def of_function(function, *arguments):
    def program(*arguments):
        return function(*arguments)

    return digest_of_program(Program(jax.jit(program), arguments))


def test_a_program_counts_by_what_it_computes_and_an_input_by_its_bytes():
    one, two = jnp.float32(1), jnp.float32(2)
    assert of_function(double, one) == of_function(twice, one)
    assert of_function(double, one) != of_function(triple, one)
    assert of_function(double, one) != of_function(double, two)
    assert of_function(double, one) != of_function(double, jnp.int32(1))


def test_every_number_of_a_large_table_counts():
    assert of_function(add_table, jnp.float32(1)) != of_function(add_another_table, jnp.float32(1))


def test_another_process_with_other_hashes_and_another_order_finds_the_same(usual):
    environment = os.environ | {"PYTHONHASHSEED": "5", "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", TWICE], env=environment, capture_output=True, text=True)
    assert ran.stdout.split()[-1:] == [usual], ran.stderr


def test_a_changed_step_is_another_program(usual, monkeypatch):
    pay = loop.pay

    def pay_double(*arguments, **more):
        world, paid = pay(*arguments, **more)
        return world, paid * 2

    monkeypatch.setattr(loop, "pay", pay_double)
    assert digest() != usual
    monkeypatch.undo()
    assert digest() == usual


def test_the_same_step_written_otherwise_is_the_same_program(usual, monkeypatch):
    finish = loop.finish

    def finish_in_two_lines(task, world, after):
        ends = finish(task, world, after)
        return ends

    monkeypatch.setattr(loop, "finish", finish_in_two_lines)
    assert digest() == usual


@pytest.mark.parametrize(
    "edit", [{"levels": (0.1, 0.25)}, {"components": ("reward",)}, {"asks": True}, {"context": "delay=1"}]
)
def test_what_the_axis_declares_counts(usual, edit):
    assert digest_of_programs(ENV, replace(axis_of(ENV, NAME), **edit)) != usual


@pytest.mark.parametrize("fact", ["own_draws", "fed_with"])
def test_what_is_found_in_plain_python_counts(usual, monkeypatch, fact):
    monkeypatch.setattr(native, fact, lambda *_: None)
    assert digest() != usual


def test_versions_and_flags_count(monkeypatch):
    usual = programs.surroundings()
    with monkeypatch.context() as patch:
        patch.setattr(programs, "version", lambda package: "99")
        assert programs.surroundings() != usual
    with monkeypatch.context() as patch:
        patch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true")
        assert programs.surroundings() != usual


def test_surroundings_count(usual, monkeypatch):
    monkeypatch.setattr(programs, "surroundings", lambda: ["other versions"])
    assert digest() != usual


def test_an_axis_that_does_not_apply_counts_by_its_reason(monkeypatch):
    monkeypatch.setattr(programs, "programs_of", None)  # none is traced
    digests = set()
    for reason in ("too small", "too large"):
        monkeypatch.setattr(programs, "does_it_apply", lambda *_, reason=reason: reason)
        digests.add(digest())
    assert len(digests) == 2


# A structure that is built, then a channel, a dose of the env's own, one that the plain task cannot judge.
FOLLOWED = ["init_state_dist"] + [
    pytest.param(name, marks=pytest.mark.slow) for name in ("action.sticky", "delay", "action_space_size")
]


@pytest.mark.parametrize("name", FOLLOWED)
def test_every_program_that_a_check_runs_is_digested(monkeypatch, name):
    axis, ran = axis_of(ENV, name), []
    follow_all = laws.follow_all

    def noted(*arguments):
        ran.append(digest_of_program(Program(follow_all, arguments)))
        return follow_all(*arguments)

    native.own_trace.cache_clear()
    monkeypatch.setattr(laws, "follow_all", noted)
    native.check(ENV, axis)
    native.check_quickly(ENV, axis)
    monkeypatch.undo()
    digested = [digest_of_program(each) for each in programs.programs_of(ENV, axis)]
    digested.append(programs.digest_of_plain_run(*programs.plain_run(ENV, axis)))
    assert len(ran) >= 2 and set(ran) <= set(digested)
