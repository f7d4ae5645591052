"""Short names stay different."""

import re

from assay.analysis.difficulty import judge_difficulty
from assay.analysis.episode_errors import ErrorRun, Played
from assay.report.difficulty_figures import NAME, box_panels, curve_panels, heat_panels
from assay.report.difficulty_tables import class_table
from assay.report.short_names import short_names

FOLDER = "/home/somebody/experiments/of/last/week"


def test_names_that_fit_stay():
    assert short_names(["rules/one", "rules/two"], 9) == ["rules/one", "rules/two"]


def test_a_long_name_loses_its_end_or_where_names_begin_alike_its_middle():
    assert short_names(["rules/clockwise", "a"], 9) == ["rules/cl…", "a"]
    files = [f'rules/custom+file="{FOLDER}/{each}.txt"' for each in ("counters", "nonstat")]
    one, two = short_names(files, 34)
    assert one.endswith('/counters.txt"') and two.endswith('/nonstat.txt"')
    assert max(map(len, (one, two))) <= 34 and one.startswith("rules/custo…")


def test_names_alike_at_both_ends_show_where_they_differ():
    tail = "+pieces=4+shapes=2+colors=2+horizon=30+show_buckets"
    names = [f"rules/custom+file={FOLDER}/{each}.txt{tail}" for each in ("first", "second")]
    assert short_names(names, 24) == ["…ek/first.txt+pieces=4+…", "…ek/second.txt+pieces=4…"]


def test_names_that_no_cut_tells_apart_are_numbered():
    names = ["a" * 30 + each + "b" * 30 for each in ("x" * 30 + "1" + "c" * 30, "x" * 30 + "2" + "d" * 30)]
    short = short_names([*names, names[0] + "e" * 40], 8)
    assert len(set(short)) == 3


def test_figures_and_classes_of_rule_files_name_the_files():
    runs = tuple(ErrorRun(seed, (float(seed),), (True,)) for seed in range(3))
    rules = [f'rules/custom+file="{FOLDER}/{each}.txt"' for each in ("counters", "nonstat")]
    found = judge_difficulty([Played(rule, "a", runs) for rule in rules], 10)
    for panels in (curve_panels(found), box_panels(found), heat_panels(found)):
        shown = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", "".join(panels)))
        assert "counters.txt" in shown and "nonstat.txt" in shown
    assert max(len(row[2]) for row in class_table(found).rows) <= 2 * 40 + 2
    assert len(rules[0]) > NAME
