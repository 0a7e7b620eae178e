"""``--links``, ``--images`` and ``--tables`` of ``detemplate clean``, and the same in Python."""

import pickle

import pytest

import detemplate
from detemplate import Cleaner, UserError
from tests.support.commands import cli

PAGE = (
    "<title>Rain</title><h1>Rain</h1><p>It rained all day, said <a href=/ann>Ann Lee</a>, who was there "
    "and saw it.</p><p>A picture of it: <img src=rain.png alt='Much rain'></p><p>These are the figures of the day, "
    "hour by hour:</p><table><tr><th>Hour<th>Rain<tr><td>9<td>12 mm<tr><td>10<td>14 mm</table>"
)
CASES = [
    ("text", "links", "inline", "Ann Lee (http://e.org/ann)", "Ann Lee,"),
    ("text", "links", "reference", "Ann Lee[1],", "Ann Lee,"),
    ("text", "images", "alt", "of it: Much rain", "of it:\n"),
    ("text", "images", "inline", "![Much rain](http://e.org/rain.png)", "of it:\n"),
    ("text", "tables", "markdown", "| 9 | 12 mm |", "9\t12 mm"),
    ("text", "tables", "none", "hour by hour:", "9\t12 mm"),
    ("markdown", "links", "none", "Ann Lee,", "[Ann Lee](http://e.org/ann)"),
    ("markdown", "links", "reference", "[Ann Lee][1]", "[Ann Lee](http://e.org/ann)"),
    ("markdown", "images", "none", "of it:\n", "![Much rain]"),
    ("markdown", "images", "alt", "of it: Much rain", "![Much rain]"),
    ("markdown", "tables", "tsv", "```tsv\nHour\tRain", "| 9 | 12 mm |"),
    ("markdown", "tables", "none", "hour by hour:", "| 9 | 12 mm |"),
]


@pytest.mark.parametrize(("form", "option", "value", "there", "else_there"), CASES)
def test_an_option_changes_the_output(form, option, value, there, else_there, tmp_path):
    source, output = tmp_path / "rain.html", tmp_path / f"rain.{'txt' if form == 'text' else 'md'}"
    source.write_text(PAGE, encoding="utf-8")
    arguments = ["clean", str(source), "--base-url", "http://e.org/", "-o", str(output), "-q", "--overwrite"]
    arguments += ["--metadata", "none"]  # no front matter
    cli(*arguments)
    plain = output.read_text(encoding="utf-8")
    assert else_there in plain
    cli(*arguments, f"--{option}", value)
    changed = output.read_text(encoding="utf-8")
    assert there in changed
    assert else_there not in changed
    # The same in Python.
    given = {option: value}
    page = ("http://e.org/rain.html", PAGE)
    extracted = detemplate.extract(PAGE, url=page[0], format=form, **given)
    assert extracted.strip() == changed.strip()
    result = Cleaner(**given).clean(page)
    assert getattr(pickle.loads(pickle.dumps(result)), form) == extracted
    assert Cleaner().clean(page).render(form, **given) == extracted
    assert [getattr(each, form) for each in detemplate.clean([page], **given)] == [extracted]


def test_a_state_file_has_no_such_options(tmp_path):
    path = tmp_path / "some.state"
    cleaner = Cleaner(links="inline")
    cleaner.learn(("http://e.org/", PAGE))
    cleaner.save(path)
    with Cleaner.load(path) as known:
        assert "(http://e.org/ann)" not in known.clean(("http://e.org/", PAGE)).text
    with Cleaner.load(path, links="inline") as known:
        assert "(http://e.org/ann)" in known.clean(("http://e.org/", PAGE)).text


def test_unknown_values_are_told():
    with pytest.raises(UserError, match="links cannot be 'all'"):
        Cleaner(links="all")
    with pytest.raises(UserError, match="cannot render as 'html'"):
        Cleaner().clean(("u", PAGE)).render("html")
