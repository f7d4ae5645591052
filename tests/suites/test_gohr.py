"""The suites of hidden rules hold the rules that they are named after."""

from assay.catalogue import suite
from assay.envs.rules import benchmark
from assay.suites import gohr


def test_the_names_of_the_suites_are_those_of_the_benchmark():
    assert gohr.SAMPLE_4 == benchmark.SAMPLE_4
    assert gohr.LEADER_BOARD_15 == benchmark.LEADER_BOARD_15
    assert tuple(rule.name for rule in benchmark.RULES) == gohr.BENCHMARK


def test_every_pair_trains_and_evaluates_on_one_rule():
    for name, count, runs in (("sample-4", 4, 100), ("benchmark", 33, 20), ("leaderboard-15", 15, 100)):
        chosen = suite(f"gohr/{name}")
        assert len(chosen.pairs) == count and len(chosen.seeds) == runs and chosen.steps == 20_000
        assert all(pair.train == pair.evaluate for pair in chosen.pairs)
