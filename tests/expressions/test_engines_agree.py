"""Python's re, RE2 and PCRE2, asked for a match at every position, find what the matcher finds."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.expressions.files import Expression, pattern_of
from detemplate.expressions.match import WHITE, Matcher
from detemplate.expressions.mutable import default_mutables
from detemplate.expressions.tokens import Tokenizer

ENGINES = ["re", "re2", "pcre2"]


def compiled(engine, pattern):
    if engine == "re":
        return re.compile(pattern, re.ASCII)
    module = pytest.importorskip(engine)
    # The package has Unicode classes for str, as re; PCRE2 itself and RE2 have those of ASCII.
    return module.compile(pattern, module.ASCII) if engine == "pcre2" else module.compile(pattern)


def covered(expressions, text):
    """Which characters a matcher covers."""
    matches = Matcher(expressions).matches(text)
    return marked(zip(matches.starts.tolist(), matches.stops.tolist(), strict=True), text)


def marked(spans, text):
    mask = np.zeros(len(text), bool)
    for start, stop in spans:
        mask[start:stop] = True
    return mask.tolist()


def from_every_start(engine, expressions, text):
    spans = []
    for expression in expressions:
        pattern = compiled(engine, expression.pattern)
        match = pattern.search(text)
        while match is not None:
            start, stop = match.span()
            inner = text[start:stop]
            spans.append((start + len(inner) - len(inner.lstrip(WHITE)), start + len(inner.rstrip(WHITE))))
            match = pattern.search(text, start + 1) if start < len(text) else None
    return spans


WORDS = ["a", "bb", "é.", "(", "7", "2007", "1,5", "3-4", "May", "MAY", "10:30", "-"]
literal_pieces = st.sampled_from([Tokenizer(mutables=()).piece(word.encode()) for word in WORDS])
pieces = st.lists(
    literal_pieces | st.sampled_from([m.expression for m in default_mutables()]), min_size=1, max_size=4
)
expressions = st.lists(pieces.map(lambda each: Expression(pattern_of(each, r"\s+"), tuple(each))), max_size=6)
texts = st.lists(st.sampled_from(WORDS) | st.sampled_from([" ", "\n", "\t ", "\xa0"]), max_size=40)


@pytest.mark.parametrize("engine", ENGINES)
@given(expressions, texts.flatmap(lambda words: st.sampled_from(["", " "]).map(lambda gap: gap.join(words))))
def test_generated_expressions_on_generated_texts(engine, given_expressions, text):
    assert marked(from_every_start(engine, given_expressions, text), text) == covered(given_expressions, text)
