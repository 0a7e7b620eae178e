"""Every option of every method changes the output of some input: one input each; and refuses wrong values.

A new option fails here until it has such an input in ``CASES``.
"""

import dataclasses
import functools
import json
import random
from collections.abc import Callable
from typing import NamedTuple

import pytest

from detemplate.detectors.pagemodel import SHIPPED as PAGE_MODEL
from detemplate.detectors.registry import DETECTORS, factory
from detemplate.detectors.templatefile import KnownTemplate, TemplateFile, write_template_file
from detemplate.errors import UserError
from detemplate.layout.layout import estimated_layout
from detemplate.page.page import Page
from detemplate.page.pagelets import pagelet_shingles, pagelets
from lab.layouts.storing import LayoutWriter
from tests.support.auto_sites import tiny_model


def words(key, count):
    """Make text that no other key has."""
    draw = random.Random(str(key))
    return " ".join("".join(draw.choices("abcdefghiklmnoprstuv", k=draw.randint(3, 9))) for _ in range(count))


@functools.cache
def site(count=24):
    """Make a site whose parts recur in different ways: always, often, for a while, varying, styled, linked."""
    return [Page(f"http://e.org/d/p{number}.html", page_html(number)) for number in range(count)]


def page_html(number):
    linked = "".join(f"<li><a href='/{at}'>{words(('menu', at), 2)}</a></li>" for at in range(4))
    few = "".join(f"<a href='/t{at}'>{words(('few', at), 3)}</a> " for at in range(2))
    page = f"<p>Page {number} of 24, {12 + number % 15} March 2007, seen {number * 37} times so far</p>"
    while_ = f"<div><p>{words('while', 12)}</p></div>" if number < 12 else ""
    seldom = f"<div class=s><p>{words('seldom', 14)}</p></div>" if number % 8 == 0 else ""
    often = f"<section><p>{words('often', 9)}</p></section>" if number % 2 else ""
    style = "width='9'" if number % 2 else "width='7'"
    rows = "".join(
        f"<tr><td {style}>Colour</td><td>{words(('colour', number * at % 5), 1)}</td></tr>" for at in (1, 2)
    )
    return (
        f"<!DOCTYPE html>\n<html><head><title>{words('site', 2)} {number}</title></head>\n<body>\n"
        f"<ul class='m{number % 3}'>{linked}</ul>\n<div>{few}</div>\n{page}\n<h1>{words('site', 2)} {number}</h1>\n"
        f"{while_}\n{seldom}\n<article><p>{words(number, 40)}</p>\n<p>{words((number, 2), 30)} "
        f"{words('inner', 6)} {words((number, 3), 5)} {words('close', 5)}</p></article>\n{often}\n"
        f"<table>{rows}</table><p>{words('mix', 8)} {words((number % 2, 'v'), 1)} {words('mix2', 8)}</p>\n"
        f"<div>\n<p>{words('foot', 10)}</p><p>{words(('foot', number % 4), 6)}</p></div>\n</body></html>"
    )


def known(folder):
    """Write a file of templates: the pagelets of one page."""
    page = site(1)[0]
    shingles, defined = pagelet_shingles(page, pagelets(page))
    path = folder / "known.json"
    with path.open("wb") as file:
        write_template_file(
            file, TemplateFile("local", 3, 5, 4), map(KnownTemplate, shingles[defined].tolist())
        )
    return str(path)


def page_model(folder, layout, bias=0.0):
    """Write the shipped page-level model, with more or less bias to template."""
    given = json.loads(PAGE_MODEL.read_bytes()) | {"layout": layout}
    for each in given["classifiers"]:
        each["intercept"] += bias
    path = folder / f"{layout}{bias}.json"
    path.write_text(json.dumps(given))
    return str(path)


def layouts(folder, width):
    """Write layouts in a window of some width, in pixels."""
    path = folder / f"{width}.parquet"
    with LayoutWriter(str(path), {}) as writer:
        for page in site():
            writer.write(page, estimated_layout(page, width=width))
    return str(path)


def small_auto_model(folder):
    """Write a small model of method auto."""
    path = folder / "auto.model"
    path.write_bytes(tiny_model().to_bytes())
    return str(path)


def pages_of(html):
    return functools.cache(
        lambda: [Page(f"http://e.org/d/p{number}.html", html(number)) for number in range(24)]
    )


def paragraphs(*texts):
    return "".join(f"<p>{text}</p>" for text in texts if text)


def directories():
    return [Page(f"http://e.org/d{number % 3}/p{number}.html", page_html(number)) for number in range(12)]


def notices():
    """Pages of which the first ten have a notice between their paragraphs."""
    notice = f"<p>{words('notice', 12)}</p>"
    texts = [[f"<p>{words((number, part), 60)}</p>" for part in range(4)] for number in range(18)]
    return [
        Page(
            f"http://e.org/{number}.html",
            f"<article>{''.join(own[:2])}{notice * (number < 10)}{''.join(own[2:])}",
        )
        for number, own in enumerate(texts)
    ]


mixed = pages_of(
    lambda n: (
        f"<p><b>{words('a', 3)}</b> <i>{words('b', 3)}</i> <u>{words(n, 3)}</u></p><p>{words((n, 1), 20)}</p>"
    )
)
"""Blocks of two segments that recur and one that does not."""
past = pages_of(lambda n: paragraphs(words("past", 9) if n < 8 else "", words(n, 9)))
"""A text on the first pages only."""
near = pages_of(lambda n: paragraphs(f"{words('a', 40)} {words(n, 1)} {words('b', 40)}", words((n, 2), 20)))
"""Texts that differ in one word."""
pairs = pages_of(
    lambda n: paragraphs(
        words("t", 6), words(n, 9), words(("h", n % 2), 8), *(words((part, n // 2), 6) for part in "pqrs")
    )
)
"""A text on all pages, one on each second, and many on two."""
numbers = pages_of(
    lambda n: paragraphs(
        words(n, 9), f"{n + 1000} {n * 3 + 2000} {n + 2005}", words((n, 3), 9), words("u", 6)
    )
)
"""Numbers in a row."""
styled = pages_of(lambda n: f"<p align=a{n}>{words('a', 9)}</p><div><p>{words(n, 20)}</p></div>")
"""A text that is presented in another way on each page."""
titled = pages_of(
    lambda n: (
        f"<title>{words(n, 2)} {n}</title><div class=menu><a href=/>{words('m', 2)}</a> <a href=x>"
        f"{words(n, 2)} {n}</a></div><p>{words((n, 1), 60)}</p><p>{words('foot', 6)}</p>"
    )
)
"""A title that stands in a menu."""
commented = pages_of(
    lambda n: (
        f"<title>{words(n, 4)}</title><div>{''.join(f'<p>{words((n, k), 40)}.</p>' for k in range(4))}</div>"
        f"<ol class=comments>{''.join(f'<li><p>{words((n, k, 1), 30)}.</p>' for k in range(3))}</ol>"
    )
)
"""An article with readers' comments."""


menus = pages_of(
    lambda n: (
        f"<title>{words(n, 4)}</title><ul>{''.join(f'<li><a href=/{k}>{words(k, 1)}</a>' for k in range(30))}</ul>"
        f"<h1>{words(n, 4)}</h1>{''.join(f'<p>{words((n, k), 120)}</p>' for k in range(8))}"
        f"<table><tr><td>{words('cell', 2)}<td>{words('cell', 30)}</table><div>{words('foot', 6)} <a href=x>a</a></div>"
    )
)
"""An article below a long menu."""


class Case(NamedTuple):
    """Two values of an option whose outputs differ.

    Settings that are functions are called with a folder, into which they write a file.
    """

    one: object
    other: object
    base: dict[str, object] = {}  # noqa: RUF012  # settings of both; nothing changes them
    pages: Callable[[], list[Page]] = site


CASES = {
    "auto": {
        "evidence": Case("all", "page"),
        "model": Case("", small_auto_model, {"evidence": "page"}),
        "keep": Case("content", "records"),
        "title": Case("keep", "judge", pages=titled),
        "comments": Case("judge", "drop", pages=commented),
        "smooth": Case(0.5, 50.0),
        "lifetime": Case(500.0, 2.0, {"growth": 1.0}, notices),
        "growth": Case(100.0, 1.0, {"lifetime": 2.0}, notices),
        "max_keys": Case(4_000_000, 200, pages=directories),
    },
    "segments": {
        "min_df": Case(5, 20),
        "ratio": Case(0.7, 0.5, pages=mixed),
        "lifetime": Case(500.0, 2.0),
        "growth": Case(100.0, 1.0, {"lifetime": 4.0, "min_df": 3, "forget": "all"}, past),
        "forget": Case("rare", "all", {"lifetime": 4.0, "min_df": 3, "growth": 1.0}, past),
        "max_segments": Case(4_000_000, 20),
    },
    "sandwich": {
        "peer": Case("nearest", "last"),
        "unit": Case("line", "token"),
        "max_units": Case(8_000_000, 40),
        "max_directories": Case(3, 1, pages=directories),
    },
    "sitelevel": {
        "theta": Case(0.1, 0.6),
        "equality": Case("text", "normal"),
        "min_df": Case(2, 13),
        "max_nodes": Case(4_000_000, 30),
    },
    "styletree": {
        "threshold": Case(0.3, 0.7),
        "attributes": Case("", "align", pages=styled),
        "features": Case(64, 2),
        "max_nodes": Case(4_000_000, 30),
    },
    "shingles": {
        "min_df": Case(5, 20),
        "width": Case(2, 30, pages=near),
        "sketch": Case(1, 100, pages=near),
        "max_shingles": Case(4_000_000, 20),
    },
    "pagelets": {
        "algorithm": Case("local", "global"),
        "k": Case(3, 5),
        "min_pages": Case(2, 20),
        "width": Case(2, 30, pages=near),
        "sketch": Case(1, 100, pages=near),
        "max_pagelets": Case(1_000_000, 20),
        "templates": Case("", known, {"algorithm": "local", "min_pages": 24}),
    },
    "pagelevel": {
        "variant": Case("smooth", "basic", pages=menus),
        "penalty": Case("area", "nodes", pages=menus),
        "factor": Case(0.01, 1.0),
        "delta": Case(0.1, 0.9, {"variant": "basic+merge"}),
        "min_area": Case(2000.0, 20_000.0),
        "max_values": Case(1_000_000, 2),
        "model": Case("", lambda folder: page_model(folder, "estimated", 2.0)),
        "layout": Case(
            lambda folder: layouts(folder, 1000),
            lambda folder: layouts(folder, 3000),
            {"model": lambda folder: page_model(folder, "rendered")},
        ),
    },
    "expressions": {
        "on": Case("text", "html"),
        "mutables": Case("none", "shipped"),
        "min_documents": Case(2, 9, pages=pairs),
        "min_literals": Case(0, 2, {"mutables": "shipped", "min_sliver": 0}, numbers),
        "cut": Case(0.0, 0.4),
        "merge_gap": Case(0, 30),
        "min_sliver": Case(20, 80),
        "max_tokens": Case(4_000_000, 300),
    },
}  # fmt: skip
"""For each option of each method, an input whose output it changes."""


def removed(method, settings, pages):
    """Learn a site in two passes, and tell which segments are template."""
    detector = factory(method, settings, streaming=False)()
    for page in pages:
        detector.learn(page)
    return [detector.score(page).template.tolist() for page in pages]


def test_every_option_has_a_case():
    assert {method: {*cases} for method, cases in CASES.items()} == {
        method: {field.name for field in dataclasses.fields(detector.options_class)}
        for method, detector in DETECTORS.items()
    }


@pytest.mark.parametrize(
    ("method", "option"), [(method, option) for method, cases in CASES.items() for option in cases]
)
def test_an_option_changes_what_is_removed(method, option, tmp_path):
    case = CASES[method][option]
    written = {name: value(tmp_path) if callable(value) else value for name, value in case.base.items()}
    values = [value(tmp_path) if callable(value) else value for value in (case.one, case.other)]
    pages = case.pages()
    one, other = (removed(method, {**written, option: value}, pages) for value in values)
    assert one != other


INF, NAN = float("inf"), float("nan")
OUT_OF_RANGE = {
    "auto": {
        "evidence": ("site", ""), "keep": ("all", ""), "title": ("", "drop"), "smooth": (-0.1, INF, NAN),
        "lifetime": (0.5, NAN), "growth": (0.5, INF), "max_keys": (0, 2**31),
    },
    "segments": {
        "min_df": (0, -1, 10**6), "ratio": (-0.1, 1.1, NAN), "lifetime": (0.5, NAN), "growth": (0, INF),
        "forget": ("some",), "max_segments": (0, 2**31),
    },
    "sandwich": {"peer": ("best",), "unit": ("word",), "max_units": (0,), "max_directories": (0,)},
    "sitelevel": {"theta": (0.0, 1.5), "equality": ("same",), "min_df": (0,), "max_nodes": (0,)},
    "styletree": {"threshold": (2,), "features": (0,), "max_nodes": (0, 2**31)},
    "shingles": dict.fromkeys(("min_df", "width", "sketch", "max_shingles"), (0, -1, 2 ** 31)),
    "pagelets": {
        "k": (0,), "min_pages": (1, 0), "width": (0, 101), "sketch": (0, 101), "max_pagelets": (0, 2**31),
        "algorithm": ("x",),
    },
    "pagelevel": {
        "variant": ("rough",), "penalty": ("", "area*", "depth"), "factor": (-1, INF), "delta": (1.5,), "min_area": (0,),
        "max_values": (1,), "model": ("/missing.json",), "layout": ("/missing.parquet",),
    },
    "expressions": {
        "on": ("pdf",), "mutables": ("all",), "min_documents": (1,), "cut": (1.5, -0.1), "merge_gap": (-1,),
        "min_sliver": (-1,), "max_tokens": (0,),
    },
}  # fmt: skip
"""For options of each method, values that are refused."""


@pytest.mark.parametrize("method", OUT_OF_RANGE)
def test_values_out_of_range_are_refused_in_one_line(method):
    for option, values in OUT_OF_RANGE[method].items():
        for value in values:
            with pytest.raises(UserError) as caught:
                factory(method, {option: value}, streaming=False)
            message = str(caught.value)
            assert option in message or str(value) in message
            assert "\n" not in message
