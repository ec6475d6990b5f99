"""test_page.py - the built pages in a real browser: drawn, quiet, operable, offline.

Needs dist/page.html (npm ci && npm run build), Chromium and the packages of requirements.txt. What is
missing is a failure that says what to install, never a skip. Every page is opened from a file in an
offline context, and a test fails on any network request, console message or uncaught error.
"""

import base64
import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError, expect

WEB = Path(__file__).resolve().parent.parent
TEMPLATE = WEB / "dist" / "page.html"
DATA_ELEMENT = '<script id="mneme-data" type="application/json">null</script>'


def fixture_data(kind):
    return json.loads((WEB / "test" / "fixtures" / f"{kind}.json").read_text())


def fill(data_text):
    """The template with its data replaced, as the mneme tool does it."""
    if not TEMPLATE.exists():
        pytest.fail(
            "web/dist/page.html is missing: cd web && npm ci && npm run build", pytrace=False
        )
    template = TEMPLATE.read_text()
    assert template.count(DATA_ELEMENT) == 1
    filled = DATA_ELEMENT.replace("null", data_text.replace("<", "\\u003c"))
    return template.replace(DATA_ELEMENT, filled)


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens a page with data; at the end of the test, fails on anything it fetched or said."""
    heard = []
    contexts = []

    def note_request(url, own):
        if url != own and not url.startswith(("data:", "blob:")):
            heard.append(f"request: {url}")

    def open_with(data, width=1280, scheme="light"):
        path = tmp_path / "page.html"
        path.write_text(fill(data if isinstance(data, str) else json.dumps(data)))
        context = browser.new_context(
            offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("request", lambda request: note_request(request.url, path.as_uri()))
        page.goto(path.as_uri())
        return page

    yield open_with
    for context in contexts:
        context.close()
    assert heard == []


def curves(page, figure):
    """The drawn curves of a figure: path data of every line with at least one segment."""
    paths = page.locator(f"{figure} .plot svg g[aria-label=line] path").all()
    drawn = [path.get_attribute("d") or "" for path in paths]
    assert not any("NaN" in d or "Infinity" in d for d in drawn)
    return [d for d in drawn if "L" in d or "C" in d]


def download(page, figure, label):
    """What the button gives. On a busy machine the browser now and then loses a download among many
    in a row: such a click is repeated, twice at most."""
    for last in (False, False, True):
        try:
            with page.expect_download(timeout=15_000) as waiting:
                page.locator(figure).get_by_role("button", name=label, exact=True).click()
            return waiting.value.suggested_filename, Path(waiting.value.path()).read_text()
        except TimeoutError:
            if last:
                raise


def sideways(page):
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


# ---- frontier -----------------------------------------------------------------------------------


def test_frontier_draws_its_curves_points_and_tables(open_page):
    data = fixture_data("frontier")
    page = open_page(data)
    expect(page).to_have_title(f"{data['title']} · mneme")
    expect(page.get_by_role("heading", level=1)).to_have_text(data["title"])
    assert len(curves(page, "#frontier")) == 5  # four curves and the mirrored maximum
    names = page.locator("#frontier .names text").all_text_contents()
    assert len(names) == len(data["points"]) and "Gaussian" in names and "ERE eta 0.996" in names
    assert page.locator("table").nth(0).locator("tbody tr").count() == len(data["points"])
    assert page.locator("table").nth(1).locator("tbody tr").count() == len(data["rows"])
    axis = " ".join(page.locator("#frontier .plot svg text").all_text_contents())
    for words in (
        "Expected recency",
        "Sampling entropy (nats)",
        "Perplexity as a share of the capacity",
    ):
        assert words in axis
    expect(page.get_by_text(data["command"])).to_be_visible()


def test_frontier_labels_do_not_overlap(open_page):
    for width in (1280, 400):
        page = open_page(fixture_data("frontier"), width=width)
        texts = page.locator("#frontier .plot svg text").all()
        boxes = [text.bounding_box() for text in texts if text.text_content()]
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                across = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
                down = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
                assert across <= 1 or down <= 3, (width, a, b)


def test_frontier_reads_out_by_keyboard_and_pointer(open_page):
    data = fixture_data("frontier")
    page = open_page(data)
    position = page.locator("#frontier .position")
    values = page.locator("#frontier .value")
    expect(position).to_have_text("Expected recency 0.8567")
    expect(values.first).to_have_text("12.8717")

    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(position).to_have_text(f"Expected recency {data['rows'][0]['expected_recency']:.4f}")
    page.keyboard.press("ArrowRight")
    expect(position).to_have_text(f"Expected recency {data['rows'][1]['expected_recency']:.4f}")
    page.keyboard.press("End")  # the row without a solution for ERE
    expect(values.nth(1)).to_have_text("–")
    assert "Truncated geometric" in slider.get_attribute("aria-valuetext")

    # the pointer on a marker reads that sampler
    marker = page.locator("#frontier .plot svg g[aria-label=dot] circle").last.bounding_box()
    page.mouse.move(marker["x"] + marker["width"] / 2, marker["y"] + marker["height"] / 2)
    expect(page.locator("#frontier .picked")).to_contain_text("sampling entropy")


def test_frontier_range_switch_and_hidden_curves(open_page):
    page = open_page(fixture_data("frontier"))
    page.get_by_role("radio", name="0.5 to 1").check()
    assert len(curves(page, "#frontier")) == 4
    assert "Reverse linear" not in page.locator("#frontier .names text").all_text_contents()
    button = page.get_by_role("button", name="Uniform FIFO window")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    assert len(curves(page, "#frontier")) == 3
    button.press("Enter")
    assert len(curves(page, "#frontier")) == 4


def test_frontier_without_points_or_solutions_still_draws(open_page):
    data = fixture_data("frontier")
    data["points"] = []
    for row in data["rows"]:
        row["eta"] = row["ere"] = None
    page = open_page(data)
    assert len(curves(page, "#frontier")) == 2
    assert page.get_by_role("radio").count() == 0


def test_frontier_downloads(open_page):
    data = fixture_data("frontier")
    page = open_page(data, scheme="dark")
    name, text = download(page, "#frontier", "SVG")
    assert name == "frontier.svg"
    root = ElementTree.fromstring(text)  # well-formed
    words = " ".join(
        element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")
    )
    assert "ERE, mixture over its cycle" in words and "Sampling entropy (nats)" in words
    assert (
        "var(" not in re.sub(r"<style>.*?</style>", "", text, flags=re.S)
        and 'class="reader"' not in text
    )

    name, text = download(page, "#frontier", "CSV")
    assert name == "frontier.csv"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [float(row["expected_recency"]) for row in rows] == [
        row["expected_recency"] for row in data["rows"]
    ]
    assert rows[-1]["eta"] == ""


# ---- densities ----------------------------------------------------------------------------------


def test_densities_draws_every_panel(open_page):
    data = fixture_data("densities")
    page = open_page(data)
    for panel in data["panels"]:
        figure = f"#densities-{panel['id']}"
        assert len(curves(page, figure)) == len(panel["series"])
        assert page.locator(f"{figure} .series").count() == len(panel["series"])
        labels = " ".join(page.locator(f"{figure} .plot svg text").all_text_contents())
        assert "Expected replays per index per environment step" in labels and "Recency" in labels
    assert page.locator("tbody tr").count() == len(data["samplers"])
    expect(page.get_by_role("heading", name="Replay volume 2048")).to_be_visible()


def test_densities_colors_agree_between_panels(open_page):
    page = open_page(fixture_data("densities"))
    colors = {}
    for button in page.locator(".series").all():
        stroke = button.locator("line").get_attribute("stroke")
        assert colors.setdefault(button.text_content(), stroke) == stroke
    assert len(colors) == 9


def test_densities_axis_switch_keyboard_and_shared_scale(open_page):
    page = open_page(fixture_data("densities"))
    low = "#densities-low"
    before = curves(page, low)
    log = page.locator(low).get_by_role("radio", name="Log")
    page.locator(low).get_by_role("radio", name="Linear").focus()
    page.keyboard.press("ArrowRight")
    expect(log).to_be_checked()
    after = curves(page, low)
    assert len(after) == len(before) and after != before
    assert "10⁻³" in page.locator(f"{low} .plot svg").text_content()

    linear = curves(page, "#densities-ablation")
    page.get_by_label("Same vertical scale in every panel").check()
    assert curves(page, "#densities-ablation") != linear


def test_densities_legend_hides_and_shows(open_page):
    page = open_page(fixture_data("densities"))
    low, high = "#densities-low", "#densities-high"
    button = page.locator(low).get_by_role("button", name="Uniform FIFO, window 288,000")
    button.click()
    assert (len(curves(page, low)), len(curves(page, high))) == (4, 5)
    _, text = download(page, low, "SVG")
    assert "Uniform FIFO" not in text and "Truncated geometric" in text
    button.click()
    assert len(curves(page, low)) == 5


def test_densities_reads_out_both_sides_of_a_window(open_page):
    page = open_page(fixture_data("densities"))
    low = page.locator("#densities-low")
    row = low.locator("li", has_text="Uniform FIFO")
    expect(low.locator(".position")).to_have_text("Recency 1.0000, index 999,999")
    expect(row.locator(".value")).to_have_text("0.0008889")
    low.get_by_role("slider").focus()
    page.keyboard.press("Home")
    expect(row.locator(".value")).to_have_text("0")


def test_densities_downloads(open_page):
    data = fixture_data("densities")
    page = open_page(data)
    for panel in data["panels"]:
        figure = f"#densities-{panel['id']}"
        name, text = download(page, figure, "SVG")
        assert name == f"densities-{panel['id']}.svg"
        ElementTree.fromstring(text)
        name, text = download(page, figure, "CSV")
        assert name == f"densities-{panel['id']}.csv"
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == sum(len(series["points"]) for series in panel["series"])
        assert (
            float(rows[0]["replays_per_step"])
            == panel["series"][0]["points"][0]["replays_per_step"]
        )


# ---- report -------------------------------------------------------------------------------------

STUDY_FIGURES = ["gains", "volume", "probability"]
GROUP_FIGURES = ["curves", "tasks", "profiles", "recency", "timing"]


def report_figures(group):
    return [f"{name}-{group['id']}" for name in GROUP_FIGURES]


def marks(page, figure):
    """How many lines, dots and bars a figure has; none of them at an impossible place."""
    drawn = page.locator(f"#{figure} .plot svg").first
    assert "NaN" not in drawn.inner_html()
    return drawn.locator("path, circle, rect, line").count()


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_report_draws_every_plot(open_page, width, scheme):
    data = fixture_data("report")
    page = open_page(data, width=width, scheme=scheme)
    expect(page.get_by_role("heading", level=1)).to_have_text(data["title"])
    for line in data["summary"]:
        expect(page.locator(".summary")).to_contain_text(line)
    for figure in STUDY_FIGURES + report_figures(data["groups"][0]):
        assert marks(page, figure) > 4, figure
    # nothing overlaps the edge: every plot is as wide as its place
    for plot in page.locator(".plot").all():
        box, drawn = plot.bounding_box(), plot.locator("svg").first.bounding_box()
        assert drawn["width"] <= box["width"] + 1
    expect(page.locator(".again")).to_contain_text("mneme report")


def test_report_curves_bands_and_read_out(open_page):
    data = fixture_data("report")
    page = open_page(data)
    group = data["groups"][0]
    figure = f"#curves-{group['id']}"
    assert len(curves(page, figure)) == len(group["curves"])
    assert page.locator(f"{figure} g[aria-label=area] path").count() == len(group["curves"])
    last = group["curves"][0]["points"][-1]
    expect(page.locator(f"{figure} .position")).to_have_text(f"Step {last['step']:,}")
    expect(page.locator(f"{figure} .value").first).to_have_text(f"{last['score']:.3f}")
    page.locator(figure).get_by_role("slider").focus()
    page.keyboard.press("Home")
    first = group["curves"][0]["points"][0]
    expect(page.locator(f"{figure} .position")).to_have_text(f"Step {first['step']:,}")
    page.locator(f"{figure} .series").nth(1).click()
    assert len(curves(page, figure)) == len(group["curves"]) - 1


def test_report_shows_the_gains_of_the_data(open_page):
    data = fixture_data("report")
    page = open_page(data)
    body = page.locator("table").first.locator("tbody tr")
    assert body.count() == sum(len(group["methods"]) for group in data["groups"])
    gain = data["groups"][0]["stats"]["comparisons"][0]["stratified"]["gain"]
    shown = body.nth(1).text_content().replace("\u2212", "-")
    assert f"{gain['estimate']:+.1f}[{gain['low']:+.1f}, {gain['high']:+.1f}]" in shown
    name, text = download(page, "#gains", "CSV")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert name == "gains.csv" and float(rows[1]["gain_low"]) == gain["low"]
    assert rows[0]["gain"] == ""  # the baseline


def test_report_shows_one_group_at_a_time(open_page):
    data = fixture_data("report")
    page = open_page(data)
    first, second = data["groups"]
    page.get_by_label("Group:").select_option(second["label"])
    for figure in report_figures(second):
        assert marks(page, figure) > 4, figure
    assert page.locator(f"#curves-{first['id']}").count() == 0


def test_report_downloads(open_page):
    data = fixture_data("report")
    page = open_page(data, scheme="dark")
    for figure in STUDY_FIGURES + report_figures(data["groups"][0]):
        name, text = download(page, f"#{figure}", "SVG")
        assert name == f"{figure}.svg"
        ElementTree.fromstring(text)
        assert "var(" not in re.sub(r"<style>.*?</style>", "", text, flags=re.S), figure
        name, text = download(page, f"#{figure}", "CSV")
        assert name == f"{figure}.csv" and len(list(csv.DictReader(io.StringIO(text)))) > 1


def test_report_of_unfinished_study_counts_missing_runs(open_page):
    data = fixture_data("report")
    data["study"]["completeness"] = "1 of 36 runs is finished"
    data["study"]["states"] = {"done": 1, "planned": 35}
    data["runs"][3].update(state="failed", left_out="failed: <b>no</b> number")
    second = data["groups"][1]
    second.update(stats=None, curves=[], tasks=[], finals=[], paired=[], timing=[])
    second["notes"] = ["uniform has no finished run yet"]
    page = open_page(data)
    expect(page.locator(".unfinished")).to_contain_text("1 of 36 runs is finished")
    expect(page.get_by_role("heading", name="Runs not counted")).to_be_visible()
    expect(page.get_by_text("failed: <b>no</b> number").first).to_be_visible()
    page.get_by_label("Group:").select_option(second["label"])
    expect(page.locator(".notes")).to_contain_text("Uniform has no finished run yet")


def test_report_with_one_group_and_single_runs(open_page):
    data = fixture_data("report")
    group = data["groups"][0]
    data["groups"] = [group]
    for curve in [*group["curves"], *(one for task in group["tasks"] for one in task["curves"])]:
        for point in curve["points"]:
            point["low"] = point["high"] = None
    for one in group["stats"]["comparisons"]:
        for value in one["stratified"].values():
            value["low"] = value["high"] = None
    group["timing"] = []
    page = open_page(data)
    assert page.locator("#volume, .chooser").count() == 0
    assert page.locator(f"#timing-{group['id']}, #timing").count() == 0
    assert len(curves(page, "#curves")) == len(group["curves"])
    assert marks(page, "gains") > 2


def test_report_exports_pictures_as_text(browser, tmp_path):
    data = fixture_data("report")
    path = tmp_path / "page.html"
    path.write_text(fill(json.dumps(data)))
    page = browser.new_page()
    page.goto(path.as_uri() + "#pictures")
    lines = page.locator("#mneme-pictures")
    lines.wait_for(state="attached")
    names = [line.split(" ")[0] for line in lines.text_content().splitlines()]
    assert names == STUDY_FIGURES + [
        name for group in data["groups"] for name in report_figures(group)
    ]
    for line in lines.text_content().splitlines():
        _, width, height, code = line.split(" ")
        root = ElementTree.fromstring(base64.b64decode(code))
        assert (root.get("width"), root.get("height")) == (width, height)
    page.close()


# ---- every page ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["frontier", "densities", "report"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_screen_does_not_scroll_sideways(open_page, kind, scheme):
    page = open_page(fixture_data(kind), width=400, scheme=scheme)
    assert sideways(page) == 0
    page.set_viewport_size({"width": 320, "height": 700})
    expect(page.locator(".plot svg").first).to_have_attribute("width", "288")
    assert sideways(page) == 0


def test_theme_follows_system_and_print_is_light(open_page):
    ground = "getComputedStyle(document.body).backgroundColor"
    page = open_page(fixture_data("frontier"), scheme="dark")
    dark = page.evaluate(ground)
    page.emulate_media(media="print", color_scheme="dark")
    printed = page.evaluate(ground)
    page.emulate_media(media="screen", color_scheme="light")
    assert page.evaluate(ground) == printed != dark


def test_every_control_is_reachable_by_tab(open_page):
    page = open_page(fixture_data("frontier"))
    reached = set()
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("""() => {
            const { ariaLabel, textContent, value } = document.activeElement;
            return (ariaLabel || textContent || value).trim();
        }""")
        )
    for wanted in ("SVG", "CSV", "all", "Uniform FIFO window"):
        assert wanted in reached
    assert any(label.startswith("Expected recency: position to read") for label in reached)


def test_html_in_the_data_is_shown_as_text(open_page):
    data = fixture_data("frontier")
    data["title"] = '</script><img src=x onerror="document.title=1"> & "quotes"'
    data["points"][0]["sampler"] = "<b>bold</b>"
    page = open_page(data)
    expect(page.get_by_role("heading", level=1)).to_have_text(data["title"])
    assert page.locator("img, b").count() == 0


@pytest.mark.parametrize(
    "data, words",
    [
        ("null", "This page has no data"),
        ('{"kind": "fron', "cannot be read"),
        ('{"title": "x"}', "names no kind; this template knows frontier, densities, report"),
        ('{"kind": "notebook"}', 'names kind "notebook"'),
        (
            '{"kind": "frontier", "title": "x"}',
            "rows: expected a list of at least 2, found nothing",
        ),
    ],
)
def test_undrawable_data_gives_a_message(open_page, data, words):
    page = open_page(data)
    expect(page.locator("main")).to_contain_text(words)
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.locator(".plot").count() == 0
