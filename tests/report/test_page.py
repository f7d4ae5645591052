"""The page and its Markdown twin, as text: whole, escaped, nothing from outside."""

import re
from html.parser import HTMLParser

import pytest

from assay.report.markdown import markdown
from assay.report.page import page

from .sample import LONG_LEVEL, SAMPLES, given, hostile, minimal, rich

VOID = {"meta", "link"}


class Balance(HTMLParser):
    """Every element that opens closes, in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize("name", SAMPLES)
def test_elements_are_balanced_and_nothing_comes_from_outside(name):
    text = page(SAMPLES[name]())
    parsed = Balance(text)
    assert parsed.open == []
    tags = {tag for tag, _ in parsed.seen}
    assert not tags & {"script", "img", "iframe", "object"}
    addresses = [each[key] for _, each in parsed.seen for key in ("href", "src") if key in each]
    assert all(address.startswith(("#", "data:,")) for address in addresses)
    assert not re.search(r"https?:|url\(|@import", text)
    ids = {each["id"] for _, each in parsed.seen if "id" in each}
    assert {address[1:] for address in addresses if address.startswith("#")} <= ids


@pytest.mark.parametrize("name", SAMPLES)
def test_no_number_of_a_drawing_is_unusable(name):
    for tag, attributes in Balance(page(SAMPLES[name]())).seen:
        for key in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "d", "width", "height"):
            said = attributes.get(key) or ""
            assert not re.search(r"nan|inf|None", said), (tag, key, said)


def test_names_are_text_never_markup():
    text = page(hostile())
    assert "<script" not in text.lower()
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;amp;" in text


def test_a_level_too_long_to_show_is_there_for_who_asks():
    text = page(hostile())
    whole = LONG_LEVEL[:67]
    assert f"at {whole}" in text and ">[[1,2,3,4,5,6,7,0],[2,3…<" in text


def test_sections_follow_what_the_exam_has():
    def has(exam):
        return [each["id"] for tag, each in Balance(page(exam)).seen if tag == "section" and "id" in each]

    assert has(rich()) == ["profile", "doses", "learning", "levels", "method", "not-asked", "reproduce"]
    assert has(minimal()) == ["profile", "doses", "levels", "method", "reproduce"]
    assert "not about the algorithm that made it" in page(given())


def test_the_command_can_be_copied():
    parsed = Balance(page(rich()))
    assert "assay examine dqn toy/discrete --seeds 10" in "".join(parsed.words)


def test_every_level_is_in_the_table():
    exam = rich()
    rows = sum(tag == "tr" for tag, _ in Balance(page(exam)).seen)
    assert rows == sum(len(found.levels) + 1 for found in exam.findings) + 2


@pytest.mark.parametrize("name", SAMPLES)
def test_markdown_tables_have_equal_rows_and_no_markup_of_names(name):
    text = markdown(SAMPLES[name]())
    outside_code = re.sub(r"`[^`\n]*`", "", text)
    assert "<script" not in outside_code
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(bars) == 1


def test_markdown_says_the_verdict():
    text = markdown(rich())
    assert text.startswith(
        "# dqn on toy/discrete\n\n**0.97 of the optimum. Fails to carry over on 4 of 11 axes"
    )
    assert (
        "- **breaks on (agent)** `observation.delay` from 1: -71% [-76, -66] (the agent: a retrained" in text
    )
    assert "| learn | `delay` | `8` | -22% | [-28, -16] | 80.5 | 22.0 | unknown |" in text
    assert (
        "- **not asked** `diameter`, `irrelevant_features`: other spaces (`--retrain` trains there)" in text
    )
    assert "- command: `assay examine dqn toy/discrete --seeds 10`" in text
