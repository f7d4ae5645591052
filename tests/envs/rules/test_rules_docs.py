"""The pages on hidden rules: every Python prompt prints what it says."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
PROMPTS = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page, fewest", [("rules-language.md", 15), ("rules.md", 8)])
def test_every_prompt_prints_what_the_page_says(page, fewest):
    text = "\n".join(PROMPTS.findall((DOCS / page).read_text()))
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    result = runner.run(test)
    assert not result.failed and result.attempted >= fewest
