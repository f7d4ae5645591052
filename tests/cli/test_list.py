"""`assay list`."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest
from calling import one_sentence, run, works
from typer.testing import CliRunner

from assay.cli.main import app


def listed(*words):
    done = CliRunner().invoke(app, ["list", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


def on_a_terminal(columns, *words):
    """What a terminal of so many columns shows, without its colours."""
    # Not pty.fork(): jax may be loaded here, and its threads do not survive a fork.
    terminal, inside = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"}
    command = [sys.executable, "-m", "assay.cli.main", *words]
    child = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside, env=environment)
    os.close(inside)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other end is closed
            part = b""
        if not part:
            break
        shown += part
    child.wait()
    os.close(terminal)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode()).replace("\r\n", "\n")


def test_an_overview_says_how_many_axes_and_which_suites_and_agents_there_are():
    shown = listed()
    assert re.search(r"toy/discrete +\d+ axes", shown)
    assert re.search(r"playground/delay +5 pairs +100 seeds +20,000 steps +how much harder", shown)
    assert re.search(r"dqn +deep Q-network", shown) and "none yet" not in shown


def test_an_axis_is_one_line_with_its_level_form():
    lines = listed("toy/discrete").splitlines()
    [line] = [line for line in lines if "action.random" in line]
    assert line.split()[:2] == ["action.random=p", "action"]
    assert any("maximally_connected=false" in line for line in lines)
    assert any("gate=handout" in line for line in lines)
    assert not any(line != line.rstrip() for line in lines)


def test_what_the_env_has_a_key_for_is_shown_on_request():
    lines = listed("toy/discrete").splitlines()
    assert not any("reward.delay=n" in line for line in lines)
    assert any("reward.delay" in line and "--all" in line for line in lines)
    assert "reward.delay=n" in listed("toy/discrete", "--all")
    assert "reward.delay=n" in listed("gym/CartPole-v1")


def test_filters():
    names = [
        axis["name"]
        for axis in json.loads(listed("toy/discrete", "--component", "terminal", "--json"))["axes"]
    ]
    assert "horizon" in names and "delay" not in names
    kinds = {axis["kind"] for axis in json.loads(listed("toy/discrete", "--kind", "dose", "--json"))["axes"]}
    assert kinds == {"dose"}


def test_tags_filter_by_chance_and_by_family():
    def names(*words):
        return {axis["name"] for axis in json.loads(listed(*words, "--json"))["axes"]}

    in_transitions = {"transition_noise", "hidden_mode", "state_jump"}
    assert names("toy/discrete", "--tag", "stochastic-transition") == in_transitions
    assert {"action.sticky", "reward_noise"} <= names("toy/discrete", "--tag", "stochastic")
    assert names("gym/CartPole-v1", "--tag", "gym") == {
        "irrelevant_dims", "action_range", "time_unit", "reward_per_time",
        "step_repeat", "step_skip", "jump_back",
    }  # fmt: skip
    done = CliRunner().invoke(app, ["list", "toy/discrete", "--tag", "loud"])
    assert done.exit_code == 2 and "no tag is called 'loud'; choose one of stochastic, " in done.output


def test_json_holds_what_an_axis_declares():
    found = json.loads(listed("gym/FrozenLake-v1", "--json"))
    [axis] = [axis for axis in found["axes"] if axis["name"] == "action.sticky"]
    assert axis["levels"] == [0.1, 0.25, 0.5] and axis["components"] == ["action"]
    assert axis["standing"] in ("proved", "unproved")


def test_whatever_is_open_to_all_tasks():
    found = json.loads(listed("variations", "--json"))
    assert found["env"] is None and found["hidden"] == []
    assert {axis["components"][0] for axis in found["axes"]} == {"action", "reward", "observation"}


def test_a_task_is_no_env():
    done = CliRunner().invoke(app, ["list", "toy/discrete+delay=4"])
    assert done.exit_code == 2 and "`assay list toy/discrete`" in done.output


def test_a_family_lists_the_envs():
    assert "toy/discrete" in listed("toy") and "gym/" not in listed("toy")
    assert set(json.loads(listed("--json"))) == {"envs", "variations", "suites", "agents"}


def test_an_installed_package_shows_its_suites_and_agents(outside):
    assert "outside/slippery" in listed("suites")
    assert "walks right" in listed("agents")


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_a_terminal_s_width_is_kept_and_nothing_cut_off(columns):
    shown = on_a_terminal(columns, "list", "toy/discrete")
    assert max(map(len, shown.splitlines())) <= columns
    words = " ".join(shown.split())
    assert "reward_every_n_steps=n" in words and "rewardable_sequences=[...]" in words and "…" not in words


def test_an_overview_leaves_long_tables_to_their_own_command():
    assert re.search(r"\d+ more: `assay list suites`", listed())
    assert "more: `assay" not in listed("suites") and "playground/tune-dqn-rate" in listed("suites")


def test_agents_are_listed_with_their_settings():
    [dqn] = [row for row in json.loads(works("list", "agents", "--json"))["agents"] if row["name"] == "dqn"]
    rate = next(each for each in dqn["settings"] if each["name"] == "learning_rate")
    assert rate["default"] == 1e-4
    assert re.search(r"tabular_q +steps=20000, report_every=1000, learning_rate=0.3", works("list", "agents"))
    shown = works("list", "tabular_q")
    assert "discount=0.99        what a reward is worth one step later" in shown
    assert json.loads(works("list", "tabular_q", "--json"))["settings"][0]["name"] == "steps"
    assert all(each["means"] for row in (dqn, json.loads(works("list", "blind", "--json")))
               for each in row["settings"])  # fmt: skip


def test_settings_of_ppo_say_what_they_mean_and_which_words_they_take():
    from assay.agents.ppo_config import ENDINGS, TYPES

    settings = {each["name"]: each for each in json.loads(works("list", "ppo", "--json"))["settings"]}
    assert all(each["means"] for each in settings.values())
    for name, choices in (("precision", TYPES), ("ending", ENDINGS)):
        assert all(re.search(rf"\b{choice}\b", settings[name]["means"]) for choice in choices), name


def test_an_unknown_setting_points_to_the_list_that_shows_all():
    said = one_sentence(run("train", "tabular_q", "toy/discrete", "--set", "lr=1"))
    assert said.endswith("`assay list tabular_q` shows all 5.")


def test_filters_choose_among_the_axes_of_a_family():
    shown = works("list", "toy", "--kind", "structure")
    assert shown.splitlines()[0] == "toy: toy/discrete, toy/continuous, toy/grid"
    assert shown.count("  transition_function=") == 2  # of toy/discrete and of toy/continuous, which differ
    axes = json.loads(works("list", "gym", "--tag", "stochastic", "--json"))["axes"]
    assert {each["name"] for each in axes} >= {"action.sticky", "reward.noise"}
    assert all("stochastic" in each["tags"] and each["envs"] == ["gym/*"] for each in axes)


def test_a_name_that_the_list_prints_can_be_listed():
    for row in json.loads(works("list", "envs", "--json"))["envs"]:
        assert "action.sticky" in works("list", row["name"])


def test_an_error_counts_what_its_command_lists():
    said = one_sentence(run("list", "toy/discreet"))
    count = len(json.loads(works("list", "envs", "--json"))["envs"])
    assert said.endswith(f"`assay list envs` shows all {count}.")
    said = one_sentence(run("show", "toy/discrete+delai"))
    count = len(json.loads(works("list", "toy/discrete", "--all", "--json"))["axes"])
    assert said.endswith(f"`assay list toy/discrete --all` shows all {count}.")
    assert one_sentence(run("list", "nonsense")).endswith("`assay list` shows all.")


def test_axes_can_be_chosen_by_their_type_of_stochasticity():
    told = json.loads(listed("variations", "--type", "1", "--json"))["axes"]
    assert {"action.random", "action.sticky"} <= {axis["name"] for axis in told}
    assert {axis["stochasticity"] for axis in told} == {"1"}
    shown = listed("toy/discrete", "--type", "2.1")
    assert "transition_noise" in shown and "action.random" not in shown


def test_an_unknown_type_of_stochasticity_is_refused_in_one_sentence():
    said = one_sentence(run("list", "variations", "--type", "4"))
    assert said.endswith("no type is called '4'; choose one of 0, 1, 2.1, 2.2, 3.1, 3.2.")
