"""Uses of the public names that type checkers must refuse: each line says with which code."""

# ruff: noqa: B018

from __future__ import annotations

import detemplate
from detemplate import Cleaner, PageError

PAIRS = [("http://e.org/1", "<p>one")]


def told(url: bytes, error: PageError) -> None: ...


detemplate.clean("http://e.org/1")  # error: arg-type
detemplate.clean(5)  # error: call-overload
detemplate.clean([("http://e.org/1", 5)])  # error: list-item
detemplate.clean(PAIRS, format="pdf")  # error: arg-type
detemplate.clean(PAIRS, progress="yes")  # error: call-overload
detemplate.clean(PAIRS, errors="ignore")  # error: call-overload
detemplate.clean(PAIRS, errors=told)  # error: arg-type
detemplate.clean({"html": ["<p>one"]}, url=5)  # error: call-overload
detemplate.clean(PAIRS)[0]  # error: index
detemplate.extract()  # error: call-arg
detemplate.extract(5)  # error: arg-type
detemplate.extract("<p>one", format="result")  # error: arg-type
detemplate.extract("<p>one").html  # error: attr-defined
detemplate.extract("<p>one", "http://e.org/")  # error: call-arg
detemplate.extract("<p>one", metadata="all")  # error: arg-type
Cleaner(5)  # error: arg-type
Cleaner(threshold="high")  # error: arg-type
Cleaner(site_by=5)  # error: arg-type
Cleaner(keep=5)  # error: arg-type
Cleaner().learn("http://e.org/1")  # error: arg-type
Cleaner().clean(("http://e.org/1", "<p>one", "x"))  # error: arg-type
Cleaner().clean_many(PAIRS, errors=None)  # error: arg-type
Cleaner().clean(PAIRS[0]).texts  # error: attr-defined
detemplate.nothing  # error: attr-defined
detemplate.Page("http://e.org/1", None)  # error: arg-type
PageError("empty").why  # error: attr-defined
