"""Queries and judgements in TREC's formats."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from detemplate.errors import UserError

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

_TOPIC = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*(\S+)", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*(?:Topic:)?([^<]*)", re.IGNORECASE)

Judged = dict[str, tuple[str, frozenset[str]]]
"""By the number of a query: its words, and the names of the documents that are relevant to it."""


def read_judged(chosen: Namespace) -> Judged | None:
    """Read the files of ``--queries`` and ``--judgements``; None if neither is named.

    Queries are TREC topics (``<num>`` and ``<title>``), or lines of a number, a tab and words. Judgements are
    lines of query, iteration, document and relevance (qrels); relevant is what is above 0. Queries without a
    relevant document are left out.
    Raises UserError: only one file is named, one is damaged, or no query has a relevant document.
    """
    queries: Path | None = chosen.queries
    judgements: Path | None = chosen.judgements
    if queries is None and judgements is None:
        return None
    if queries is None or judgements is None:
        raise UserError("--queries and --judgements belong together: name both files")
    relevant: dict[str, set[str]] = {}
    for number, line in enumerate(_text(judgements).splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 4 or not re.fullmatch(r"-?[0-9]+", parts[3]):
            raise UserError(
                f"{judgements}, line {number}: a judgement is a query, an iteration, a document and a number"
            )
        if int(parts[3]) > 0:
            relevant.setdefault(parts[0], set()).add(parts[2])
    found = {
        name: (words, frozenset(relevant[name])) for name, words in _queries(queries) if name in relevant
    }
    if not found:
        raise UserError(f"no query of {queries} has a relevant document in {judgements}")
    return found


def _queries(path: Path) -> list[tuple[str, str]]:
    text = _text(path)
    topics = _TOPIC.findall(text)
    if topics:
        fields = [(_NUMBER.search(topic), _TITLE.search(topic)) for topic in topics]
        return [(number[1], " ".join(title[1].split())) for number, title in fields if number and title]
    pairs = [line.split("\t", 1) for line in text.splitlines() if line.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise UserError(f"{path} has no queries: write TREC topics, or lines of a number, a tab and words")
    return [(name.strip(), words.strip()) for name, words in pairs]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from error
