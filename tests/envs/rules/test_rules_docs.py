"""The pages on hidden rules: every Python prompt prints what it says."""

import doctest
import re
from pathlib import Path

import pytest

import assay

DOCS = Path(__file__).parents[3] / "docs"
PROMPTS = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page, fewest", [("rules-language.md", 15), ("rules.md", 8)])
def test_every_prompt_prints_what_the_page_says(page, fewest):
    text = "\n".join(PROMPTS.findall((DOCS / page).read_text()))
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    result = runner.run(test)
    assert not result.failed and result.attempted >= fewest


def test_a_ramp_of_board_numbers_takes_the_nearest_one():
    """On a tenth of the page's ramp and with two boards: drawn, the first of 6 pieces, the second of 4."""
    boards = "boards=[example:row,example:corners]+board_number=2@ramp:0:200:life"
    env = assay.make(f'rules/custom+rule="()"+{boards}+horizon=10+slots=9')
    counts = []
    for _ in range(22):
        counts.append(int((env.reset(seed=0 if not counts else None)[1]["cells"] > 0).sum()))
        for _ in range(10):
            env.step(0)
    assert counts[6:15] == [6] * 9 and counts[16:] == [4] * 6  # steps 60 to 140, and from 160 on
