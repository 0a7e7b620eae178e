"""Uses of the public names that type checkers must accept, with the types that they must infer."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from typing import assert_type

import polars as pl

import detemplate
from detemplate import Cleaner, Page, PageError, Result, Verdict

PAIRS = [("http://e.org/1", "<p>one"), ("http://e.org/2", "<p>two")]


def results_of_pairs() -> None:
    assert_type(detemplate.clean(PAIRS), Iterator[Result])
    assert_type(detemplate.clean(iter(PAIRS), "segments", min_df=3, site_by="domain"), Iterator[Result])
    raw: list[tuple[str, bytes]] = [("http://e.org/1", b"<p>one")]
    failed: list[tuple[str, str | None]] = [("http://e.org/1", None)]
    assert_type(detemplate.clean(raw, errors="raise"), Iterator[Result])
    assert_type(detemplate.clean(failed, errors="skip"), Iterator[Result])
    assert_type(detemplate.clean(PAIRS, format=["md", "html"], explain=True, store="a.db"), Iterator[Result])
    assert_type(detemplate.clean([Page("http://e.org/1", "<p>one")]), Iterator[Result])
    assert_type(detemplate.clean(dict(PAIRS).items()), Iterator[Result])
    for result in detemplate.clean(PAIRS):
        assert_type(result.text + result.html + result.markdown + result.title + result.url, str)
        assert_type(result.template_share, float)
        assert_type(result.removed(), list[dict[str, object]])
        assert_type(result.page, Page)
        assert_type(result.verdict, Verdict)
        assert_type(result.as_dict("md", metadata="none"), dict[str, object])


def tables() -> None:
    frame = pl.DataFrame({"url": ["http://e.org/1"], "html": ["<p>one"]})
    assert_type(detemplate.clean(frame), pl.DataFrame)
    assert_type(detemplate.clean(frame, url="url", html="html", format="markdown"), pl.DataFrame)
    assert_type(detemplate.clean(frame, format=("text", "md"), metadata=False, progress=True), pl.DataFrame)
    row: dict[str, object] = {"url": "http://e.org/1", "html": "<p>one"}
    assert_type(detemplate.clean([row, row], format="html"), list[dict[str, object]])
    assert_type(detemplate.clean([{"html": "<p>one"}]), list[dict[str, object]])
    assert_type(detemplate.clean(iter([row])), Iterator[dict[str, object]])
    assert detemplate.clean({"url": ["http://e.org/1"], "html": ["<p>one"]})["text"]


def one_page() -> None:
    assert_type(detemplate.extract("<p>one"), str)
    assert_type(detemplate.extract(b"<p>one", url="http://e.org/", format="md"), str)
    assert_type(detemplate.extract("<p>one", format=["json", "html"], explain=True, comments="drop"), str)
    assert_type(detemplate.extract("<p>one", store="a.db", keep=".note", drop=["nav"], metadata=True), str)
    assert_type(detemplate.extract(None), str)


def told(url: str, error: PageError) -> None:
    assert_type(error.reason + error.detail + error.url + url, str)


def the_cleaner() -> None:
    with Cleaner("segments", streaming=False, min_df=3) as cleaner:
        assert_type(cleaner, Cleaner)
        cleaner.learn(PAIRS[0])
        assert_type(cleaner.clean(PAIRS[0]), Result)
        assert_type(cleaner.learn_and_clean(Page("http://e.org/1", b"<p>one")), Result)
        assert_type(cleaner.clean_many(PAIRS, errors=told), Iterator[Result])
        assert_type(cleaner.page("http://e.org/1", "<p>one"), Page)
        assert_type(cleaner.sites, int)
        pickle.dumps(cleaner)


async def off_the_event_loop(cleaner: Cleaner) -> str:
    result = await asyncio.to_thread(cleaner.learn_and_clean, PAIRS[0])
    assert_type(result, Result)
    return result.text


def the_rest() -> None:
    assert_type(detemplate.methods(), list[str])
    assert_type(detemplate.__version__, str)
