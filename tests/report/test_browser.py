"""The page in a real browser: nothing sticks out, no labels collide, nothing is fetched, nothing fails."""

from pathlib import Path

import pytest

from assay.report.write import write

from .sample import SAMPLES
from .sample_pairs import PAIR_SAMPLES

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTHS = (390, 820, 1440)

# Boxes in pixels of the page, shrunk by one: neighbours may touch. What is folded away has no box.
LOOK = """() => {
  document.querySelectorAll('details').forEach(each => each.open = true);
  const complaints = [];
  const shows = box => box.width > 0 && box.height > 0;
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.ownerSVGElement) continue;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')];
    const boxes = texts.map(text => text.getBoundingClientRect());
    boxes.forEach((box, i) => {
      if (!shows(box)) return;
      const said = texts[i].lastChild.textContent;
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
          || box.bottom > frame.bottom + 1)
        complaints.push(`outside: ${said}`);
      for (let j = i + 1; j < boxes.length; j++) {
        const other = boxes[j];
        if (shows(other) && box.left + 1 < other.right - 1 && other.left + 1 < box.right - 1
            && box.top + 1 < other.bottom - 1 && other.top + 1 < box.bottom - 1)
          complaints.push(`overlap: ${said} / ${texts[j].lastChild.textContent}`);
      }
    });
    if (svg.querySelector('text') && (frame.left < -1 || frame.right > innerWidth + 1))
      complaints.push(`svg outside the page: ${svg.className.baseVal}`);
  }
  const root = document.scrollingElement;
  if (root.scrollWidth > innerWidth) complaints.push(`scrolls sideways: ${root.scrollWidth}`);
  for (const box of document.querySelectorAll('body *:not(svg *)')) {
    if (box.getBoundingClientRect().right > innerWidth + 1) complaints.push(`sticks out: ${box.className}`);
  }
  return complaints;
}"""

CONTRAST = """() => {
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const opaque = colour => !colour.startsWith('rgba(0, 0, 0, 0)');
  const behind = each => {
    for (; each; each = each.parentElement)
      if (opaque(getComputedStyle(each).backgroundColor)) return getComputedStyle(each).backgroundColor;
    return 'rgb(255, 255, 255)';
  };
  const poor = new Set();
  for (const each of document.querySelectorAll('body *')) {
    const own = [...each.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || each.tagName === 'title') continue;
    const style = getComputedStyle(each);
    const [a, b] = [light(each.tagName === 'text' ? style.fill : style.color), light(behind(each))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const named = `${each.tagName}.${each.className.baseVal ?? each.className}`;
    if (ratio < 4.5) poor.add(`${named}: ${ratio.toFixed(2)}`);
  }
  return [...poor];
}"""


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is missing: `apt-get install chromium fonts-dejavu-core` brings it in")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    every = SAMPLES | PAIR_SAMPLES
    return {name: write(make(), folder / name, ["html"])[0] for name, make in every.items()}


@pytest.fixture
def opened(browser):
    """Opens a page and keeps account of what it asks for and complains of."""
    contexts = []

    def open_page(path: Path, width: int = 820, scheme: str = "light", script: bool = True):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
        )
        contexts.append(context)
        page = context.new_page()
        page.troubles = []

        def only_files(route):
            address = route.request.url
            if address.startswith("file://"):
                route.continue_()
            else:
                page.troubles.append(f"asks for {address}")
                route.abort()

        page.route("**/*", only_files)
        page.on("console", lambda said: page.troubles.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("dialog", lambda dialog: (page.troubles.append("a dialog opened"), dialog.dismiss()))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", [*SAMPLES, *PAIR_SAMPLES])
def test_nothing_collides_or_sticks_out(opened, written, name):
    page = opened(written[name])
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(LOOK) == [], (scheme, width)
    assert page.troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(opened, written, scheme):
    for name in ("rich", "dose", "over_two"):
        assert opened(written[name], 1440, scheme).evaluate(CONTRAST) == []


def test_dark_is_dark(opened, written):
    ground = "getComputedStyle(document.body).backgroundColor"
    shades = {scheme: opened(written["rich"], 820, scheme).evaluate(ground) for scheme in ("light", "dark")}
    assert shades == {"light": "rgb(252, 251, 248)", "dark": "rgb(21, 23, 26)"}


def test_marks_and_intervals_have_the_colour_of_their_verdict(opened, written):
    page = opened(written["rich"])
    for word in ("breaks", "holds", "doubt"):
        row = f".forest-row.{word} .strip"
        seen = page.evaluate(f"getComputedStyle(document.querySelector('{row} .interval')).stroke")
        key = page.evaluate(f"getComputedStyle(document.querySelector('.legend .mark.{word}')).stroke")
        fill = page.evaluate(f"getComputedStyle(document.querySelector('.legend .mark.{word}')).fill")
        assert seen == (key if word == "doubt" else fill)


def test_every_picture_says_what_it_shows(opened, written):
    page = opened(written["hostile"], 820)
    silent = (
        "[...document.querySelectorAll('svg[role=img]')].filter(s => !s.querySelector('title')?.textContent)"
    )
    assert page.evaluate(f"{silent}.length") == 0
    assert page.evaluate("document.querySelectorAll('svg[role=img]').length") > 60


def test_the_page_is_whole_without_script(opened, written):
    page = opened(written["rich"], 820, script=False)
    assert (
        page.locator("h1")
        .inner_text()
        .startswith("0.97 of the optimum.\nFails to carry over on 4 of 11 axes")
    )
    assert page.locator("figure.panel svg.dose").count() == 13
    assert page.locator("script").count() == 0
