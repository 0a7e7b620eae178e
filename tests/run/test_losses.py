"""When too many records of a pass are bad, and what the message says."""

from __future__ import annotations

import pytest

from detemplate.errors import NoPages, UserError
from detemplate.io.record import Skip, SourceRef
from detemplate.run.losses import Losses


def losses(pages: int, *bad: tuple[str, str], max_bad: float = 0.5) -> Losses:
    made = Losses(max_bad)
    made.pages = pages
    for reason, detail in bad:
        made.lose(Skip("", reason, detail, rejected=True))
    return made


def message(made: Losses) -> str:
    with pytest.raises(UserError) as caught:
        made.check()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_shares() -> None:
    losses(0).check()
    losses(1, ("bad record", "x")).check()
    losses(0, ("bad record", "x"), max_bad=1.0).check()
    made = losses(3)
    made.lose(Skip("", "not html", "image/png"))
    made.check()
    assert not made.bad
    assert message(losses(99, ("too large", "9"), max_bad=0.005)).startswith(
        "1 of 100 records are bad, more than 0.5 %; too large (9); raise --max-page-bytes, or go on "
    )
    assert "1 of 9 records" in message(losses(8, ("empty", ""), max_bad=0.0))


def test_nothing_could_be_read() -> None:
    said = message(losses(0, ("bad record", "line 1: no HTML; its keys are 'a'"), ("bad record", "line 2")))
    assert said == (
        "no page could be read: all 2 records are bad; all of them: bad record (line 1: no HTML; its keys are 'a'); "
        "name the columns or keys with --html-column and --url-column ('detemplate inspect' shows what it has)"
    )
    said = message(losses(0, ("strange", "")))
    assert said.startswith("no page could be read: the only record is bad; strange; look at the input (")
    with pytest.raises(NoPages):
        losses(0, ("strange", "")).check()


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("pages.jsonl.gz", "name the column or key that holds HTML with --html-column"),
        ("pages.sqlite:pages", "name the column or key that holds HTML with --html-column"),
        ("page.html", "check how the pages were stored"),
        ("crawl.warc.gz", "check how the pages were stored"),
    ],
)
def test_the_advice_fits_the_kind_of_input(path: str, advice: str) -> None:
    made = Losses(0.5)
    made.lose(Skip("", "empty", "no markup", SourceRef(path, 1), rejected=True))
    assert f"; {advice} (" in message(made)
