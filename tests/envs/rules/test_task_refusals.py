"""Settings of hidden-rule tasks that would do nothing are refused, and `info` tells what truly stands."""

import json

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.tasks import task

BY_NUMBER = "rules/clockwise+boards=example:all+board_number=1"
FIRST = "rules/custom+columns=2+rows=1+pieces=2+shapes=1+colors=1"


@pytest.mark.parametrize(
    "text, says",
    [
        ("rules/shape_match+slots=4", "room for fewer than the 9 pieces"),
        ('rules/shape_match+colors=2+condition_train="(colour:red)"', "no piece has the property colour"),
        ("rules/shape_match+pieces_table=example:kinds+hide_color", "hide_color"),
        (
            'rules/custom+rule="(shape:starr, bucket:0)"',
            "column 8: no piece has the shape STARR; did you mean STAR",
        ),
        ('rules/custom+rule="(shape:red, bucket:0)"', "no piece has the shape RED; RED is a color"),
        (
            'rules/custom+rule="(size:1, bucket:0)"',
            "property size; pieces have shape and color alone unless pie",
        ),
        (
            'rules/custom+rule="(kind:tol, bucket:0)"+pieces_table=example:kinds',
            "kind tol; did you mean tool",
        ),
        (
            'rules/custom+rule="(size:7, bucket:0)"+pieces_table=example:kinds',
            "size 7; there are 1, 2, 3, 4, 5",
        ),
        (
            'rules/custom+rule="(size:7..9)"+pieces_table=example:kinds',
            "size in 7..9; there are 1, 2, 3, 4, 5",
        ),
        (
            f"{BY_NUMBER}+boards_order=listd",
            "is listed, alpha, random, .* CSV .* did you mean listed",
        ),
        (f"{BY_NUMBER}+boards_order=alphabet", "did you mean alpha"),
        (f"{BY_NUMBER}+boards_order=zz.csv", "'zz.csv' is no such file.$"),
        ("rules/b3_then_b1+exchange", "that edit changes nothing in the game of rules/b3_then_b1"),
        ("rules/clockwize", "did you mean clockwise"),
        ("rules/clockwise+boards=nowhere", "there is no folder 'nowhere'"),
        ("rules/clockwise+board=example:nothing", "example:corners"),
    ],
)
def test_what_would_do_nothing_is_refused(text, says):
    with pytest.raises(AssayError, match=says.replace("(", r"\(")):
        assay.make(text)


def test_a_rule_that_goes_by_shapes_needs_pieces_with_shapes(tmp_path):
    table = tmp_path / "weights.csv"
    table.write_text("image,weight\na.svg,1\nb.svg,2\n")
    with pytest.raises(AssayError, match="goes by the shape of pieces"):
        assay.make(f'rules/shape_match+pieces_table="{table}"')


def test_a_single_board_file_is_no_folder(tmp_path):
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"value": [{"id": 0, "color": "red", "shape": "star", "x": 1, "y": 1}]}))
    with pytest.raises(AssayError, match="write board="):
        assay.make(f'rules/clockwise+boards="{path}"')


def test_bare_names_of_files_become_paths_in_the_text(tmp_path, monkeypatch):
    """Only so are they known as files, and their bytes count for the results that they lead to."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bd").mkdir()
    (tmp_path / "bd" / "one.json").write_text(
        '{"value": [{"id":0,"color":"red","shape":"star","x":1,"y":1}]}'
    )
    (tmp_path / "rule").write_text("(bucket:0)")
    assert "boards=bd/" in str(task("rules/clockwise+boards=bd"))
    assert 'file="./rule"' in str(task("rules/custom+file=rule"))


def test_the_optimum_knows_what_is_hidden():
    assert assay.optimum("rules/shape_match+hide_color").value == 0.0
    assert assay.optimum("rules/shape_match+hide_shape").value is None


def test_info_of_a_start_tells_the_line_that_is_active_and_a_stalemate():
    env = assay.make(f'{FIRST}+rule="(color:green) / (2,*,*,*,1) / (bucket:0)"+color_names=[red,green]')
    lines = {env.reset(seed=seed)[1]["active_line"] for seed in range(8)}
    assert lines == {0, 1}  # boards of red pieces skip the first line
    stuck = assay.make(f'{FIRST}+rule="(bucket:p)"')
    info = stuck.reset(seed=0)[1]
    assert info["stalemate"] and info["finish"] == 2
    assert stuck.step(0)[2]


def test_no_bucket_is_shown_for_pieces_that_share_a_cell():
    env = assay.make(
        'rules/custom+rule="()"+columns=2+rows=1+pieces=3+shapes=1+colors=1+crowded+show_buckets'
    )
    observation, info = env.reset(seed=0)
    shown = observation[-2:]
    alone = [np.sum(info["cells"] == cell) == 1 for cell in (1, 2)]
    assert [bool(each) for each in shown] == alone and not all(alone)
