"""The documentation as a site: it builds without a warning, needs no network, and answers usual questions at once.

The built site is followed as a reader would: by the links of its pages. Without the extra ``docs`` these tests are
skipped; what the navigation must list is tested anyway.
"""

import fcntl
import os
import posixpath
import re
import shutil
import subprocess
import sys
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
import yaml

import detemplate
from detemplate.detectors import registry
from tests.support.builtsite import Site
from tests.support.documents import all_commands

ROOT = Path(__file__).parents[1]
START = "index.html"

QUESTIONS = {
    "which method": ("methods/README.md", "methods/index.html", "Begin with auto, the default"),
    "score and threshold": (
        "scores.md",
        "scores.html",
        "A segment whose score is above the threshold is removed",
    ),
    "all cores": ("runs.md#workers", "runs.html#workers", "--workers"),
    "store or state": ("store.md", "store.html", "A store is one SQLite file"),
    "resume": ("runs.md#checkpoints", "runs.html#checkpoints", "the same command resumes"),
    "pandas": ("cookbook.md#tables", "cookbook.html#tables", "pandas"),
    "Scrapy": ("crawl.md", "crawl.html", "ITEM_PIPELINES"),
    "Spark": ("spark.md", "spark.html", "detemplate spark clean"),
    "column names": ("formats.md#columns", "formats.html#columns", "page_source"),
    "absolute links": ("cookbook.md#absolute-links", "cookbook.html#absolute-links", "resolve_links"),
    "one page only": ("cookbook.md#one-page", "cookbook.html#one-page", "One page is enough"),
    "why removed": ("scores.md#why-was-this-removed", "scores.html#why-was-this-removed", "--explain"),
}
"""Usual questions: the document and the page of the site that answer each, and words that stand there."""

needs_mkdocs = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("mkdocs", "material", "mkdocstrings_handlers")),
    reason="the extra docs is not installed: pip install 'detemplate[docs]'",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, where a warning is an error; or take the one that ``DETEMPLATE_SITE`` names."""
    if built := os.environ.get("DETEMPLATE_SITE"):
        return Site(ROOT / built, START)
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "documentation"
    with (shared / "documentation.lock").open("w") as lock:  # of several workers, one builds
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            run = build(ROOT / "mkdocs.yml", folder)
            if run.returncode:
                shutil.rmtree(folder, ignore_errors=True)
            assert run.returncode == 0, run.stdout + run.stderr
    return Site(folder, START)


def build(configuration, folder):
    """Build a site; with ``--quiet`` MkDocs would count no warnings."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(configuration), "-d", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@needs_mkdocs
def test_a_page_without_a_place_and_broken_links_are_errors(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n\n[a](#nothing) [b](nothing.md) [c](/absolute)\n")
    (tmp_path / "docs" / "unlisted.md").write_text("# Unlisted\n")
    settings = {"INHERIT": str(ROOT / "mkdocs.yml"), "docs_dir": "docs", "nav": ["index.md"], "hooks": []}
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings | {"plugins": []}))
    run = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert run.returncode == 1
    said = run.stdout + run.stderr
    wrong = {"unlisted.md", "#nothing", "nothing.md", "/absolute"}
    assert {each for each in wrong if each in said} == wrong
    assert "4 warnings" in said


def test_every_document_is_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"([\w/.-]+\.md)\b", str(yaml.safe_load(text)["nav"])))
    written = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}
    made = {"reference/commands.md", "reference/python.md", "reference/modules.md"}
    assert written - listed == set(), "list it in mkdocs.yml"
    assert listed - written == made | {"CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}


def test_the_tutorial_installs_as_the_readme_does():
    readme, tutorial = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/tutorial.md")
    )
    told = 'echo "Installing, and compiling for about a minute …"'
    install = f"python3 -m venv .venv && {told} && .venv/bin/pip install -q ."
    assert f"<!-- main command -->\n```sh\n{install} &&\n" in readme
    assert f"```sh\n{install}\n" in tutorial


@needs_mkdocs
def test_nothing_comes_from_elsewhere(site):
    outside = [
        (name, link)
        for name in site.pages
        for link in site.page(name).loads
        if re.match(r"[a-z][a-z0-9+.-]*:|//", link, re.IGNORECASE) and not link.startswith("data:")
    ]
    for sheet in site.folder.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        links = re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", text)
        outside += [(sheet.name, link) for pair in links for link in pair if re.match(r"(https?:)?//", link)]
    assert outside == []
    assert len(site.pages) > 50


@needs_mkdocs
def test_what_pages_load_is_there(site):
    missing = [
        (name, link)
        for name in site.pages
        if name != "404.html"  # shown at any address, by a server
        for link in site.page(name).loads
        if link
        and not link.startswith(("data:", "#", "."))
        and not (site.folder / posixpath.dirname(name) / unquote(urldefrag(link)[0])).exists()
    ]
    assert missing == []


@needs_mkdocs
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_within_two_clicks(site, question):
    document, place, words = QUESTIONS[question]
    assert document.partition("#")[0] in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert place in site.within(2)
    name, anchor = urldefrag(place)
    assert not anchor or anchor in site.page(name).anchors
    assert words in site.page(name).text


@needs_mkdocs
def test_every_page_is_within_four_clicks(site):
    unlinked = set(site.pages) - site.within(4) - {"404.html"}
    assert unlinked == set()


@needs_mkdocs
def test_links_lead_somewhere(site):
    for name in site.pages:
        for place in site.leads_to(name):
            target, anchor = urldefrag(place)
            assert (site.folder / target).exists(), (name, place)
            if anchor and target.endswith(".html"):
                assert anchor in site.page(target).anchors, (name, place)


@needs_mkdocs
def test_every_command_and_option_is_in_the_reference(site):
    html = (site.folder / "reference" / "commands.html").read_text(encoding="utf-8")
    sections = re.split(r'<h[23] id="([\w-]+)">', html)
    written = dict(zip(sections[1::2], sections[2::2], strict=True))
    for names, command in all_commands().items():
        section = unescape(re.sub("<[^>]+>", "", written["-".join(names)]))
        for parameter in command.params:
            if getattr(parameter, "hidden", False):  # former spellings
                continue
            assert parameter.param_type_name != "option" or parameter.help, (names, parameter.name)
            for spelling in [*parameter.opts, *parameter.secondary_opts]:
                if spelling.startswith("-"):
                    assert re.search(rf"(?<![\w-]){spelling}(?![\w-])", section), (names, spelling)
        assert hasattr(command, "commands") or f"detemplate {' '.join(names)}" in section


@needs_mkdocs
def test_every_public_name_is_in_the_reference(site):
    page = site.page("reference/python.html")
    for name in set(detemplate.__all__) - {"__version__"}:
        assert f"detemplate.{name}" in page.anchors, name
        assert getattr(detemplate, name).__doc__, name
    assert "detemplate.Cleaner.learn_and_clean" in page.anchors
    imported = re.compile(r"^from (detemplate\.[\w.]+) import ([\w, ]+)$", re.MULTILINE)
    anchors = site.page("reference/modules.html").anchors
    for path in ROOT.glob("docs/**/*.md"):
        if path.name != "add-a-method.md":
            for module, names in imported.findall(path.read_text(encoding="utf-8")):
                assert {f"{module}.{name.strip()}" for name in names.split(",")} <= anchors, path


@needs_mkdocs
@pytest.mark.parametrize("method", registry.DETECTORS)
def test_the_page_of_a_method_has_its_options_and_its_picture(site, method):
    about = registry.describe(registry.detector_class(method))
    html = (site.folder / "methods" / f"{method}.html").read_text(encoding="utf-8")
    rows = html.partition('id="parameters"')[2].partition("</table>")[0]
    assert re.findall(r"<tr>\s*<td><code>(\w+)</code></td>", rows) == [
        each["name"] for each in about["options"]
    ]
    text = " ".join(unescape(re.sub("<[^>]+>", "", rows)).split())
    for option in about["options"]:
        assert " ".join(option["help"].split()) in text
    assert '<svg class="verdicts"' in html
    assert '<svg class="idea"' in html.partition('id="picture"')[0]


@needs_mkdocs
def test_a_browser_reads_and_searches_the_files_without_network(site, chromium_path):
    from playwright.sync_api import sync_playwright

    asked = []
    errors = []
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 390, "height": 844})
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        for name in ("methods/segments.html", "reference/commands.html", START):
            page.goto((site.folder / name).as_uri())
            wider = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wider <= 0, f"{name} is {wider} pixels wider than a phone"
        page.set_viewport_size({"width": 1280, "height": 900})
        page.locator("input.md-search__input").press_sequentially("threshold")
        page.locator(".md-search-result__link").first.wait_for()
        found = page.locator(".md-search-result__link").evaluate_all("all => all.map(each => each.href)")
        chromium.close()
    assert any("scores.html" in link for link in found)
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
