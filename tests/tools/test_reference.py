"""The reference pages."""

import re

import pytest

from assay.catalogue import OURS, axis_of, env_entry
from assay.interop.gymnasium import make
from assay.native import build_native
from assay.task_text import parse
from tools.docs import reference


def test_every_axis_has_a_section():
    text = "\n".join(reference.pages().values())
    for axis in [axis for entry in OURS.envs for axis in entry.axes] + list(OURS.variations):
        assert f"\n## {axis.name}\n" in text


def test_every_example_is_a_task_that_can_be_made():
    text = "\n".join(reference.pages().values())
    found = re.findall(r"^\$ assay show '?(.*?)'?$", text, re.MULTILINE)
    assert len(found) == sum(len(env_entry(entry.name).axes) for entry in OURS.envs) + len(OURS.variations)
    for task in found:
        if env_entry(parse(task).env).native:  # built, but not compiled: there are hundreds
            assert str(build_native(task).text) == task
        else:
            assert make(task).task == task


def test_pages_are_the_same_every_time():
    assert reference.pages() == reference.pages()


@pytest.mark.parametrize("change", ["edit", "remove", "add"])
def test_a_stale_page_is_noticed_and_mended(change, tmp_path):
    folder = str(tmp_path / "reference")
    assert reference.main(folder, check=True) == 1
    assert reference.main(folder, check=False) == 0
    assert reference.main(folder, check=True) == 0
    page = tmp_path / "reference" / "action.md"
    if change == "edit":
        page.write_text("old")
    elif change == "remove":
        page.unlink()
    else:
        page.with_name("more.md").write_text("more")
    assert reference.main(folder, check=True) == 1
    assert reference.main(folder, check=False) == 0
    assert reference.main(folder, check=True) == 0


def test_examples_of_boards_have_no_chance_that_only_proofs_need():
    for name in ("board", "boards_order", "board_number"):
        axis = axis_of("rules/b3_then_b1", name)
        assert "action.random" in axis.context
        assert "action.random" not in reference.example(axis, "rules/b3_then_b1")
