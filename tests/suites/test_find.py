"""Suites: a YAML file of one's own, and those of the catalogue."""

import pytest

from assay.catalogue import suites
from assay.errors import AssayError
from assay.suites.find import is_file, read
from assay.suites.suite import Pair
from assay.task_text import parse
from assay.tasks import resolve

WHOLE = """
name: mine
version: 2
asks: does it hold?
pairs:
  - {train: toy/discrete, evaluate: toy/discrete+delay=4}
  - train: toy/discrete+delay=4
  - gym/CartPole-v1
seeds: 3
episodes: 5
"""


def written(folder, text, name="small.yaml"):
    path = folder / name
    path.write_text(text)
    return path


def test_a_whole_suite(tmp_path):
    suite = read(written(tmp_path, WHOLE))
    assert (suite.name, suite.version, suite.asks) == ("mine", 2, "does it hold?")
    assert (suite.seeds, suite.episodes) == ((0, 1, 2), 5)
    assert suite.pairs == (
        Pair("toy/discrete", "toy/discrete+delay=4"),
        Pair("toy/discrete+delay=4", "toy/discrete+delay=4"),  # evaluated where it was trained
        Pair("gym/CartPole-v1", "gym/CartPole-v1"),
    )


def test_what_is_left_out_has_a_default(tmp_path):
    suite = read(written(tmp_path, "pairs: [toy/discrete]"))
    assert (suite.name, suite.version, suite.asks) == ("small", 1, "")
    assert (len(suite.seeds), suite.episodes) == (10, 10)


def test_settings_agent_steps_and_rollouts(tmp_path):
    text = "pairs: [toy/discrete, toy/grid]\nagent: dqn\nsteps: 4000\nrollouts: true\nsettings: "
    suite = read(written(tmp_path, text + "[{batch: 64}, {hidden: [8, 8]}]"))
    assert suite.settings == ({"batch": 64}, {"hidden": [8, 8]})
    assert (suite.agent, suite.steps, suite.rollouts) == ("dqn", 4000, True)
    assert read(written(tmp_path, text + "{batch: 64}")).settings == ({"batch": 64}, {"batch": 64})
    plain = read(written(tmp_path, "pairs: [toy/discrete]"))
    assert (plain.settings, plain.agent, plain.steps, plain.rollouts) == ((), "", 0, False)


def test_what_names_a_file():
    assert is_file("suites/small.yaml") and is_file("small.yml") and not is_file("playground/delay")


EXAMPLE = "write a suite such as pairs: [{train: toy/discrete, evaluate: toy/discrete+delay=4}]."
BAD = {
    "nothing": ("", f"has no pairs; {EXAMPLE}"),
    "a list": ("- toy/discrete", f"has no pairs; {EXAMPLE}"),
    "no pairs": ("seeds: 3", f"has no pairs; {EXAMPLE}"),
    "an empty list of pairs": ("pairs: []", f"has no pairs; {EXAMPLE}"),
    "pairs that are none": ("pairs: toy/discrete", f"has no pairs; {EXAMPLE}"),
    "a pair of nothing": ("pairs: [toy/discrete, 3]", "pair 1 of "),
    "a pair without train": ("pairs: [{evaluate: toy/discrete}]", "pair 0 of "),
    "a pair with a misspelt key": (
        "pairs: [{train: toy/discrete, evalute: toy/discrete}]",
        "has the unknown key 'evalute'; did you mean 'evaluate'? A pair has train, evaluate, name, axis, ",
    ),
    "a pair with more": (
        "pairs: [{train: toy/discrete, zzz: 1}]",
        "has the unknown key 'zzz'; a pair has train",
    ),
    "a strange key": (
        "pairs: [toy/discrete]\nsedes: 3",
        "has the unknown key 'sedes'; a suite has agent, asks, blind, counts_events, episodes, name",
    ),
    "no seeds": ("pairs: [toy/discrete]\nseeds: 0", "seeds in "),
    "a list of seeds": (
        "pairs: [toy/discrete]\nseeds: [1, 2]",
        "is a whole number from 1 to 100000, not [1, 2].",
    ),
    "half an episode": ("pairs: [toy/discrete]\nepisodes: 2.5", "is a whole number from 1 up, not 2.5."),
    "true episodes": ("pairs: [toy/discrete]\nepisodes: true", "is a whole number from 1 up, not True."),
    "rollouts in words": ("pairs: [toy/discrete]\nrollouts: often", "is true or false, not 'often'."),
    "an agent of number": ("pairs: [toy/discrete]\nagent: 3", "is the name of an agent, such as dqn, not 3."),
    "no steps": ("pairs: [toy/discrete]\nsteps: 0", "steps in "),
    "settings that are none": (
        "pairs: [toy/discrete]\nsettings: batch",
        "one set for all pairs such as {batch: 64} or a list with one for each pair, not 'batch'.",
    ),
    "settings that are a list of none": ("pairs: [toy/discrete]\nsettings: [3]", "settings in "),
    "settings of fewer pairs": (
        "pairs: [toy/discrete, toy/grid]\nsettings: [{batch: 64}]",
        "are a list of 1, but there are 2 pairs.",
    ),
    "a version in words": ("pairs: [toy/discrete]\nversion: new", "version in "),
    "no YAML": ("pairs: [toy/discrete\nseeds: 3", "is not YAML, line 2; write a suite such as"),
}


@pytest.mark.parametrize("text, says", BAD.values(), ids=BAD)
def test_a_bad_file_is_one_sentence(tmp_path, text, says):
    path = written(tmp_path, text)
    with pytest.raises(AssayError) as refused:
        read(path)
    assert says in str(refused.value) and str(path) in str(refused.value) and "\n" not in str(refused.value)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(AssayError, match="cannot be read: No such file or directory"):
        read(tmp_path / "none.yaml")
    with pytest.raises(AssayError, match="cannot be read: Is a directory"):
        read(tmp_path)
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AssayError, match="is not YAML"):
        read(tmp_path / "bytes.yaml")


def test_a_yaml_file_runs_no_code(tmp_path):
    with pytest.raises(AssayError, match="is not YAML"):
        read(written(tmp_path, "pairs: !!python/object/apply:os.getcwd []"))


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_every_suite_of_the_catalogue_names_tasks_that_there_are(suite):
    texts = {text for pair in suite.pairs for text in (pair.train, pair.evaluate)}
    assert all(str(resolve(parse(text)).text) == text for text in texts)
    told_apart = {(pair, repr(each)) for pair, each in zip(suite.pairs, suite.settings or [{}] * 99)}
    assert len(told_apart) == len(suite.pairs) and suite.asks.endswith("?")


def test_noise_is_learned_under_and_judged_without():
    [noise] = [suite for suite in suites() if suite.name == "playground/transition-noise"]
    assert {pair.evaluate for pair in noise.pairs} == {"toy/discrete"}
    [delay] = [suite for suite in suites() if suite.name == "playground/delay"]
    assert all(pair.train == pair.evaluate for pair in delay.pairs)
