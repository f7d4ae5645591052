"""How commands print."""

from assay.cli.output import Progress, plain_table


def test_a_plain_table_is_aligned_and_ends_without_spaces():
    assert plain_table(("a", "b"), [("one", "1"), ("three", "")]) == ["  a      b", "  one    1", "  three"]


def test_a_heading_may_hold_two_lines_or_nothing():
    assert plain_table(("x\ny", "\nz"), [("1", "2")]) == ["  x", "  y  z", "  1  2"]
    assert plain_table(("", ""), [("1", "2")]) == ["  1  2"]


def test_progress_in_a_pipe_is_a_line_now_and_then(capsys):
    progress = Progress()
    for done in range(50):
        progress(done, 50, "something")
    progress.close()
    assert capsys.readouterr().err.count("\n") == 1
