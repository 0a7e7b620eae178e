"""`clean` on tables: frames, Arrow, DuckDB, datasets, dicts; each gives back a table of its kind."""

import gc
import json
import pathlib
import subprocess
import sys

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import detemplate
from detemplate import PageError, UserError, clean
from detemplate.io.sinks.out import METADATA
from detemplate.run.cleaner import Engine
from tests.support.commands import cli, read_rows

MENU = "\n".join(f"<a href=/{name}>All about our {name}</a>" for name in ("books", "maps", "shops"))
ADDED = ["text", *METADATA, "template_share", "method", "error"]
BROKEN = (3, 5)


def page(number):
    return f"<title>T{number}</title><nav>{MENU}</nav><p>Page {number} of the site"


def columns(count=8):
    html = [page(number) for number in range(count)]
    if count > max(BROKEN):
        html[3], html[5] = None, " "
    return {
        "id": list(range(count)),
        "url": [f"http://e.org/d/{number}" for number in range(count)],
        "html": html,
        "kind": ["a", None] * (count // 2),
    }


def as_rows(given):
    return [dict(zip(given, values, strict=True)) for values in zip(*given.values(), strict=True)]


def wanted(column):
    values = {
        "text": [f"Page {number} of the site" for number in range(8)],
        "title": [f"T{number}" for number in range(8)],
        "template_share": [0.756757] * 8,
        "method": ["segments"] * 8,
    }[column]
    return [None if number in BROKEN else value for number, value in enumerate(values)]


def plain(values):
    """A column as Python values; what a library has for nothing is None."""
    values = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    return [None if value is None or value is pd.NA or value != value else value for value in values]


def column(table, name):
    if isinstance(table, list):
        return [row[name] for row in table]
    if isinstance(table, duckdb.DuckDBPyRelation):
        table = table.to_arrow_table()
    if isinstance(table, pa.RecordBatchReader):
        table = table.read_all()
    return plain(table[name])


def dataset(given):
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    return datasets.Dataset.from_dict(given)


def relation(given):
    connection = duckdb.connect()
    connection.register("given", pa.table(given))
    return connection.sql("SELECT * FROM given")


KINDS = {
    "dict": lambda given: given,
    "rows": as_rows,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": lambda given: pa.table(given).to_batches()[0],
    "duckdb": relation,
    "datasets": dataset,
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_a_table_gives_a_table_of_its_kind_with_all_its_rows(kind):
    given = KINDS[kind](columns())
    cleaned = clean(given, "segments")
    assert type(cleaned) is type(given)
    for name in ("id", "url", "html", "kind"):
        assert column(cleaned, name) == columns()[name]
    for name in ("text", "title", "template_share", "method"):
        assert column(cleaned, name) == wanted(name), name
    assert [number for number, error in enumerate(column(cleaned, "error")) if error] == list(BROKEN)
    assert column(cleaned, "error")[3] == column(cleaned, "error")[5] == "empty: no markup"


@every_kind
@pytest.mark.parametrize("text_format", ["html", "markdown"])
def test_the_format_names_the_column(kind, text_format):
    cleaned = clean(KINDS[kind](columns()), "segments", format=text_format)
    texts = column(cleaned, text_format)
    assert texts[3] is texts[5] is None
    assert ("<p>Page 0 of the site" in texts[0]) == (text_format == "html")
    assert "Page 0 of the site" in texts[0]
    assert "books" not in texts[0]
    # The given column of that name stays, under another one.
    assert column(cleaned, "source_html" if text_format == "html" else "html") == columns()["html"]


@every_kind
def test_given_columns_with_the_names_of_added_ones_are_renamed(kind):
    given = columns() | {"text": list("abcdefgh"), "source_text": list("ijklmnop"), "error": [1] * 8}
    cleaned = clean(KINDS[kind](given), "segments")
    assert column(cleaned, "text") == wanted("text")
    assert "".join(column(cleaned, "source_source_text")) == "abcdefgh"
    assert "".join(column(cleaned, "source_text")) == "ijklmnop"
    assert column(cleaned, "source_error") == [1] * 8


@every_kind
def test_columns_by_name(kind):
    given = columns()
    given["WARC-Target-URI"], given["Body"] = given.pop("url"), given.pop("html")
    assert column(clean(KINDS[kind](given), "segments"), "text") == wanted("text")
    given = {
        "html": ["<p>wrong"] * 8,
        "url": ["http://f.org/"] * 8,
        "address": given["WARC-Target-URI"],
    } | given
    given["sheet"] = given.pop("Body")
    cleaned = clean(KINDS[kind](given), "segments", url="address", html="sheet")
    assert column(cleaned, "text") == wanted("text")
    for names in ({"url": "nothing"}, {"html": "nothing"}):
        with pytest.raises(
            UserError, match="there is no column 'nothing'; the columns are 'html', 'url', 'addr"
        ):
            clean(KINDS[kind](given), **names)
    with pytest.raises(
        UserError, match="no column is known to hold markup: name it with html='…'; the columns are 'id'"
    ):
        clean(KINDS[kind]({"id": [1, 2], "url": ["a", "b"]}))


@every_kind
def test_errors_can_be_raised_skipped_or_told(kind):
    given = KINDS[kind](columns())
    with pytest.raises(PageError, match=r"^http://e\.org/d/3: empty: no markup$"):
        clean(given, "segments", errors="raise")
    kept = [number for number in range(8) if number not in BROKEN]
    skipped = clean(given, "segments", errors="skip")
    assert type(skipped) is type(given)
    assert column(skipped, "id") == kept
    assert column(skipped, "text") == [wanted("text")[number] for number in kept]
    assert column(skipped, "error") == [None] * 6
    told = []
    cleaned = clean(given, "segments", errors=lambda url, error: told.append((url, error)))
    assert [(url, error.reason) for url, error in told] == [
        ("http://e.org/d/3", "empty"),
        ("http://e.org/d/5", "empty"),
    ]
    assert column(cleaned, "text") == wanted("text")


@every_kind
def test_without_urls_all_rows_are_one_site_and_named_by_their_numbers(kind):
    given = columns()
    del given["url"]
    told = []
    cleaned = clean(KINDS[kind](given), "segments", errors=lambda url, _: told.append(url))
    assert column(cleaned, "text") == wanted("text")
    assert told == ["row:3", "row:5"]


@every_kind
def test_a_column_names_the_sites(kind):
    given = columns() | {"site": ["one", "two"] * 4}
    given["html"] = [page(number) for number in range(8)]
    # Four pages of a site are too few for method segments.
    assert all("books" in text for text in column(clean(KINDS[kind](given), "segments"), "text"))
    given["site"] = [None] * 8
    assert not any("books" in text for text in column(clean(KINDS[kind](given), "segments"), "text"))


@every_kind
def test_no_rows(kind):
    if kind == "rows":
        assert list(clean([])) == []
        return
    schema = pa.schema([("url", pa.string()), ("html", pa.string())])
    none = {
        "dict": {"url": [], "html": []},
        "pandas": pd.DataFrame({"url": [], "html": []}, dtype=str),
        "polars": pl.DataFrame(schema={"url": pl.String, "html": pl.String}),
        "arrow": schema.empty_table(),
        "batch": pa.RecordBatch.from_pylist([], schema=schema),
        "duckdb": duckdb.connect().sql("SELECT 'u' AS url, 'h' AS html WHERE false"),
    }
    given = none[kind] if kind in none else dataset(schema.empty_table().to_pydict())
    for errors in (None, "skip"):
        cleaned = clean(given, errors=errors)
        assert type(cleaned) is type(given)
        assert column(cleaned, "text") == column(cleaned, "template_share") == []


# What each kind keeps.


def test_pandas_keeps_its_index_and_its_types():
    given = pd.DataFrame(columns())
    given.index = pd.Index([7, 7, 5, 4, 3, 2, 1, 0], name="n")
    given["when"] = pd.Timestamp("2024-01-02", tz="UTC")
    given["kind"] = given["kind"].astype("category")
    given["id"] = given["id"].astype("Int64")
    given["parts"] = [[1, 2]] * 8
    before = given.copy()
    cleaned = clean(given, "segments")
    pd.testing.assert_frame_equal(given, before)
    pd.testing.assert_frame_equal(cleaned[list(given.columns)], given)
    assert [str(cleaned[name].dtype) for name in ADDED] == [
        "float64" if name == "template_share" else "str" for name in ADDED
    ]
    assert list(clean(given, "segments", errors="skip").index) == [7, 7, 5, 3, 1, 0]


def test_values_that_are_no_text_are_told_row_by_row():
    given = pd.DataFrame({"url": ["u", 5, b"v"], "html": [1.5, "<p>x", b"<p>caf\xc3\xa9"]})
    cleaned = clean(given)
    assert cleaned["error"][0] == "bad record: the markup is float, not text"
    assert cleaned["error"][1] == "bad record: the URL is int, not text"
    assert cleaned["text"][2] == "café"


HTML = ["<p>one", "<p>two", None]


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame({"html": pd.Categorical(HTML)}),
        pd.DataFrame({"html": pd.array(HTML, dtype=pd.ArrowDtype(pa.large_string()))}),
        pd.DataFrame({"html": pd.array([b"<p>one", b"<p>two", None], dtype=pd.ArrowDtype(pa.binary()))}),
        pl.DataFrame({"html": HTML}).cast(pl.Categorical),
        pa.table({"html": pa.array(HTML).dictionary_encode()}),
        pa.table({"html": pa.array(HTML).dictionary_encode()}).to_batches()[0],
        pa.table({"html": pa.array(HTML).cast(pa.large_binary())}),
        pa.table({"html": pa.chunked_array([HTML[:1], [], HTML[1:]])}),
        {"html": pd.Series(HTML)},
        [{"html": html} for html in HTML],
    ],
    ids=lambda given: f"{type(given).__module__.partition('.')[0]}-{type(given).__name__}",
)
def test_markup_in_every_type_of_text(given):
    cleaned = clean(given)
    assert type(cleaned) is type(given)
    assert column(cleaned, "text") == ["one", "two", None]
    assert column(cleaned, "html") == column(given, "html")


def test_polars_keeps_its_types():
    given = pl.DataFrame(columns()).with_columns(
        pl.col("kind").cast(pl.Enum(["a", "b"])),
        pl.lit([1, 2]).alias("parts"),
        pl.col("html").cast(pl.Binary),
    )
    cleaned = clean(given, "segments")
    assert cleaned.select(given.columns).equals(given)
    assert cleaned.schema == given.schema | dict.fromkeys(ADDED, pl.String) | {"template_share": pl.Float64}
    assert cleaned["text"].to_list() == wanted("text")


def test_duckdb_keeps_its_types_and_its_connection():
    connection = duckdb.connect()
    connection.register("given", pa.table(columns()))
    connection.sql("CREATE TABLE detemplate_rows AS SELECT 1 AS other")
    given = connection.sql(
        "SELECT *, 'a'::ENUM('a', 'b') AS sort, id::HUGEINT AS \"big \"\"one\"\"\", uuid() AS key, '101'::BIT AS bits "
        "FROM given ORDER BY random()"
    )
    cleaned = clean(given, "segments")
    gc.collect()
    assert cleaned.types[: len(given.types)] == given.types
    assert cleaned.columns == [*given.columns, *ADDED]
    rows = cleaned.project("id, text, key").fetchall()
    assert cleaned.project("id, text, key").fetchall() == rows, "the rows stay as they were read"
    assert {number: text for number, text, _ in rows} == dict(enumerate(wanted("text")))
    cleaned.create("kept")
    assert connection.sql("SELECT count(*), count(text) FROM kept").fetchall() == [(8, 6)]
    many = duckdb.sql("SELECT i AS id, '<p>' || i AS html FROM range(2100) t(i) ORDER BY hash(i)")
    assert all(text == str(number) for number, text in clean(many, "segments").project("id, text").fetchall())
    with pytest.raises(UserError, match="two columns of the relation have one name: html, html"):
        clean(connection.sql("SELECT 'a' AS html, 'b' AS html"))


def test_datasets_keep_their_features_and_their_format():
    given = dataset(columns())
    import datasets

    given = (
        given.cast_column("kind", datasets.ClassLabel(names=["a", "b"]))
        .select([7, 6, 5, 4])
        .with_format("numpy")
    )
    cleaned = clean(given, "segments", min_df=3)
    assert {name: cleaned.features[name] for name in given.features} == given.features
    assert cleaned.format["type"] == "numpy"
    assert cleaned.with_format(None)["text"][:] == [
        "Page 7 of the site",
        "Page 6 of the site",
        None,
        "Page 4 of the site",
    ]
    assert cleaned.features["template_share"].dtype == "float64"
    some = clean(given.with_format("numpy", columns=["html", "id"]), "segments", format="html")
    assert sorted(some[0]) == sorted(["source_html", "id", "html", *ADDED[1:]])
    assert clean(given.with_transform(lambda batch: {"n": [1] * len(batch["id"])}), "segments")[0] == {"n": 1}


def test_iterable_datasets_are_cleaned_each_time_they_are_read():
    given = dataset(columns()).to_iterable_dataset()
    cleaned = clean(given, "segments", format="html")
    assert type(cleaned) is type(given)
    assert list(cleaned.features) == ["id", "url", "source_html", "kind", "html", *ADDED[1:]]
    for _ in range(2):
        rows = list(cleaned)
        assert [row["error"] for row in rows][3] == "empty: no markup"
        assert "books" not in rows[0]["html"]
        assert "books" in rows[0]["source_html"]
    unknown = type(given).from_generator(lambda: iter(as_rows(columns())))
    assert unknown.features is None
    assert [row["text"] for row in clean(unknown, "segments", errors="skip")] == list(
        filter(None, wanted("text"))
    )
    with pytest.raises(UserError, match="no column is known to hold markup"):
        clean(given.remove_columns("html"))
    with pytest.raises(UserError, match="unknown method"):
        clean(given, "magic")


def test_readers_are_cleaned_as_they_are_read():
    table = pa.table(columns())
    read = []

    def batches():
        for batch in table.to_batches(max_chunksize=2):
            read.append(batch)
            yield batch

    cleaned = clean(
        pa.RecordBatchReader.from_batches(table.schema, batches()), "segments", errors=lambda *_: None
    )
    assert isinstance(cleaned, pa.RecordBatchReader)
    assert cleaned.schema.names == [*table.column_names, *ADDED]
    assert not read
    assert cleaned.read_next_batch().num_rows == 2
    assert len(read) == 1
    rest = cleaned.read_all()
    assert rest["id"].to_pylist() == [2, 3, 4, 5, 6, 7]
    # In one pass, the first pages are cleaned before the menu is known.
    assert "books" in rest["text"][0].as_py()
    assert rest["text"][-1].as_py() == "Page 7 of the site"
    assert rest["error"].to_pylist() == [None, "empty: no markup", None, "empty: no markup", None, None]
    with pytest.raises(PageError, match=r"^http://e\.org/d/3: empty"):
        clean(pa.RecordBatchReader.from_batches(table.schema, batches()), errors="raise").read_all()
    with pytest.raises(UserError, match="cannot clean a stream"):
        clean(pa.RecordBatchReader.from_batches(table.schema, batches()), "styletree")


def test_rows_as_they_arrive():
    taken = []

    def source():
        for row in as_rows(columns()):
            taken.append(row)
            yield row

    cleaned = clean(source(), "segments")
    assert not taken
    assert "books" in next(cleaned)["text"]
    assert len(taken) == 1
    rest = list(cleaned)
    assert [row["id"] for row in rest] == list(range(1, 8))
    assert rest[-1]["text"] == "Page 7 of the site"
    assert rest[2]["error"] == "empty: no markup"


def test_rows_may_differ_in_their_keys():
    rows = [{"url": "a", "id": 1}, {"url": "b", "html": "<p>x", "text": "theirs"}, {"html": b"<p>y"}]
    cleaned = clean(rows)
    assert [row["text"] for row in cleaned] == [None, "x", "y"]
    assert [row["error"] for row in cleaned] == ["empty: no markup", None, None]
    assert cleaned[1]["source_text"] == "theirs"
    assert "source_text" not in cleaned[0]
    assert rows[1] == {"url": "b", "html": "<p>x", "text": "theirs"}
    with pytest.raises(UserError, match="row 1 is tuple, and not a dict as the first one"):
        clean([rows[1], ("http://e.org/", "<p>x")])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("http://e.org/", "cannot clean str: give pairs of URL and markup, or a table; one page goes to "),
        (b"<p>x", "cannot clean bytes: "),
        (5, "cannot clean int: "),
        (None, "cannot clean NoneType: "),
        (["http://e.org/"], "a page is a detemplate.Page or a pair of URL and markup, not str"),
        ([("a", "<p>x", "b")], "a page is a detemplate.Page or a pair of URL and markup, not tuple"),
        ([("a", "<p>x"), {"url": "b"}], "a page is a detemplate.Page or a pair of URL and markup, not dict"),
        ({"http://e.org/": "<p>x"}, "a dict is read as columns, lists of one length, and column 'http://e.org/' is str: "),
        ({"url": "a", "html": "<p>x"}, "a dict is read as columns, lists of one length, and column 'url' is str: "),
        ({"url": ["a"], "html": ["<p>x", "<p>y"]}, "the dict's columns differ in length: 1, 2"),
        ({}, "no column is known to hold markup: name it with html='…'; the columns are none"),
        (pd.Series(["<p>x"]), "the pandas Series is no table that can be cleaned: give a table of columns"),
        (pl.Series(["<p>x"]), "the polars Series is no table that can be cleaned: give a table of columns"),
        (pl.LazyFrame({"html": ["<p>x"]}), "the polars LazyFrame is no table that can be cleaned: call its collect() first"),
        (pa.chunked_array([["<p>x"]]), "the pyarrow ChunkedArray is no table that can be cleaned: "),
        (pa.dataset.dataset(pa.table({"html": ["x"]})), "the pyarrow InMemoryDataset is no table that can be cleaned: call its to_table"),
        (pd.DataFrame([["x", "y"]], columns=["html", "html"]), "the pandas DataFrame cannot be read: Expected unique column names"),
        (pa.table([["x"], ["y"]], names=["html", "html"]), "the pyarrow Table cannot be read: Expected unique column names"),
        (
            pd.DataFrame([["x", "y"]], columns=pd.MultiIndex.from_tuples([("a", "url"), ("a", "html")])),
            "the columns of the pandas DataFrame have names of several levels: flatten them",
        ),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(given, message):
    with pytest.raises(UserError) as caught:
        list(clean(given))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


# With the rest of the package.


def test_a_frame_is_cleaned_as_the_command_cleans_its_file(tmp_path):
    table = pa.table(columns() | {"site": ["one"] * 7 + ["two"]})
    pq.write_table(table, tmp_path / "pages.parquet")
    cli("clean", tmp_path / "pages.parquet", "-o", tmp_path / "out.jsonl", "-q")
    rows = read_rows(tmp_path / "out.jsonl")
    cleaned = clean(table, errors="skip")
    for name in ("id", "title", "text", "template_share", "method"):
        assert cleaned[name].to_pylist() == [row[name] for row in rows]


def test_cleaning_pairs_or_dicts_imports_no_library_of_tables():
    code = (
        "import sys, detemplate\n"
        "list(detemplate.clean([('http://e.org/', '<p>x')])), detemplate.clean([{'html': '<p>x'}])\n"
        "detemplate.clean({'html': ['<p>x']}), detemplate.extract('<p>x')\n"
        "print({'pandas', 'polars', 'pyarrow', 'duckdb', 'datasets', 'narwhals'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_extract():
    html = "<title>Rain</title><nav><a href=/>Home</a></nav><h1>Rain</h1><p>It rained all day.</p>"
    assert detemplate.extract(html) == detemplate.extract(html.encode()) == "Rain\n\nIt rained all day."
    assert detemplate.extract(html, url="http://e.org/", format="markdown") == "# Rain\n\nIt rained all day."
    assert "<h1>Rain</h1>" in detemplate.extract(html, format="html")
    for nothing in (None, "", b" \n", b"%PDF-1.4"):
        with pytest.raises(PageError, match=r"^http://e\.org/: (empty|binary): "):
            detemplate.extract(nothing, url="http://e.org/")
    with pytest.raises(PageError, match=r"^empty: no markup$"):
        detemplate.extract(None)
    with pytest.raises(UserError, match="unknown format 'result'"):
        detemplate.extract(html, format="result")


ADDRESSES = [
    "https://example.org/page", b"https://example.org/", " http://e.org/a?b=c \n", "www.example.org", "//e.org/x",
    "/path/to/page.html", "page.html", "pages/page", "..\\page.htm", "C:\\pages\\1.html", "~/x.xhtml", "s3://b/k",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_no_page(address):
    with pytest.raises(UserError, match=r"is (an address|the path of a file), and no HTML: "):
        detemplate.extract(address)


def test_what_looks_like_an_address_and_is_a_page():
    for html in ("<p>x", "Rain", "one two /three", "<a href=/x>page.html</a>", "x" * 3000 + ".html"):
        assert detemplate.extract(html)
    with pytest.raises(UserError, match="is the path of a file"):
        detemplate.extract(pathlib.Path("page.html"))


def test_formats_of_extract():
    html = "<title>Rain</title><nav><a href=/>Home</a></nav><h1>Rain</h1><p>It rained all day.</p>"
    assert detemplate.extract(html, format="md") == "# Rain\n\nIt rained all day."
    row = json.loads(detemplate.extract(html, url="http://e.org/", format="json", explain=True))
    assert (row["text"], row["url"], row["language"]) == ("Rain\n\nIt rained all day.", "http://e.org/", None)
    assert row["removed"][0]["text"] == "Home"
    row = json.loads(detemplate.extract(html, format=["json", "md", "html"], metadata=False))
    assert [name for name in row if name in {"text", "markdown", "html", "language"}] == ["markdown", "html"]
    headed = detemplate.extract(html, format="md", metadata=True, url="http://e.org/")
    assert (
        headed
        == '---\ntitle: "Rain"\nurl: "http://e.org/"\nsite_name: "e.org"\n---\n\n# Rain\n\nIt rained all day.'
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nonsense": 1}, "method auto has no option 'nonsense'"),
        ({"method": "magic"}, r"^unknown method 'magic' \(choose from "),
        ({"method": "segments", "colour": 1}, r"^method segments has no option 'colour' \(it has min_df"),
        ({"method": "segments", "min_df": 0}, "^option min_df=0 is out of range"),
        ({"method": "segments", "min_df": "many"}, "^option min_df='many' of method segments must be a whole number"),
        ({"method": "segments", "min_df": 1.5}, "^option min_df=1.5 of method segments must be a whole number"),
        ({"method": "segments", "ratio": None}, "^option ratio=None of method segments must be a number"),
        ({"threshold": 1.5}, "^the threshold must be between 0 and 1"),
        ({"threshold": float("nan")}, "^the threshold must be between 0 and 1"),
        ({"site_by": "planet"}, r"^unknown way to name sites: 'planet' \(choose from host, domain, directory\)"),
        ({"streaming": True}, "streaming"),
        ({"threshold": "high"}, "the threshold must be between 0 and 1, not 'high'"),
        ({"comments": "no"}, "option comments='no' is out of range"),
        ({"metadata": "all"}, r"unknown metadata 'all' \(choose from basic, none\)"),
        ({"format": 5}, "unknown format"),
        ({"format": []}, "unknown format ''"),
        ({"format": ["text", 5]}, "unknown format"),
        ({"method": 5}, "unknown method 5"),
        ({"workers": "two"}, "workers"),
        ({"memory": "much"}, "the memory for what is learned"),
        ({"links": "all"}, "links cannot be 'all'"),
        ({"keep": "p["}, "invalid CSS selector"),
        ({"drop": 5}, "drop is CSS, or @FILE, not int"),
        ({"frozen": True}, "name what is known already with store"),
        ({"store": "nowhere/x.db", "frozen": True}, "nowhere/x.db"),
        ({"options": {"threshold": 1}}, "threshold is no option of a method"),
        ({"site_by": 5}, "unknown way to name sites: 5"),
    ],
)  # fmt: skip
def test_one_error_for_a_wrong_option_at_every_door(given, message):
    frame = pd.DataFrame(columns())
    doors = [
        lambda: clean(frame, **given),
        lambda: clean([("http://e.org/", "<p>x")], **given),
        lambda: clean(iter([("http://e.org/", "<p>x")]), **given),
        lambda: detemplate.extract("<p>x", **given),
    ]
    if "streaming" not in given:
        doors.append(lambda: detemplate.Cleaner(**given))
    for number, door in enumerate(doors):
        wanted_message = "frozen is for many pages" if number == 3 and "frozen" in given else message
        with pytest.raises(UserError, match=wanted_message):
            list(door())


def test_several_formats_metadata_and_reasons():
    given = pd.DataFrame(columns())
    cleaned = clean(given, "segments", format="text,md", explain=True)
    new = [name for name in cleaned.columns if name not in given.columns]
    assert new == ["text", "markdown", *METADATA, "template_share", "method", "removed", "error"]
    assert json.loads(cleaned["removed"][0])[0]["text"] == "All about our books"
    plain_one = clean(given, "segments", format=["html"], metadata="none")
    assert [name for name in plain_one.columns if name not in given.columns] == [
        "source_html", "title", "template_share", "method", "error",
    ]  # fmt: skip
    html = (
        "<meta name=author content='Ann Lee'><meta property=article:published_time content=2024-05-31><p>Rain"
    )
    told = clean([{"url": "http://e.org/", "html": html}])[0]
    assert (told["author"], told["published"]) == ("Ann Lee", "2024-05-31")


def test_a_store_is_gone_on_with(tmp_path):
    store, given = str(tmp_path / "a.db"), pd.DataFrame(columns())
    one = given.iloc[:1]
    assert "books" in clean(one, "segments")["text"][0]
    clean(given, "segments", store=store)
    assert clean(one, store=store, frozen=True)["text"][0] == "Page 0 of the site"
    assert clean(one, store=store)["method"][0] == "segments"
    assert Engine.load(store).detector("e.org").pages == 6 + 1
    rows = [dict(row) for row in as_rows(columns(2))]
    assert clean(rows, store=store, frozen=True)[1]["text"] == "Page 1 of the site"
    pairs = [("http://e.org/d/9", page(9))]
    for pages in (pairs, iter(pairs)):
        assert [each.text for each in clean(pages, store=store, frozen=True)] == ["Page 9 of the site"]
    assert Engine.load(store).detector("e.org").pages == 7
    assert [each.text for each in clean(iter(pairs), store=store)] == ["Page 9 of the site"]
    assert Engine.load(store).detector("e.org").pages == 8
    with pytest.raises(UserError, match="was learned with method=segments, not method=auto"):
        clean(given, "auto", store=store)
    with detemplate.Cleaner(store=tmp_path / "new.db") as cleaner:
        cleaner.learn(("http://e.org/", "<p>x"))
        cleaner.save()
    assert detemplate.Cleaner.load(tmp_path / "new.db").sites == 1
    with pytest.raises(UserError, match="the cleaner has no store: name the file"):
        detemplate.Cleaner().save()


@pytest.mark.parametrize("kind", ["rows", "arrow"])
def test_a_progress_bar(kind, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_INTERACTIVE", "1")
    cleaned = clean(KINDS[kind](columns()), "segments", progress=True)
    assert column(cleaned, "text") == wanted("text")
    assert "pages" in capsys.readouterr().err
    clean(KINDS[kind](columns()), "segments")
    assert not capsys.readouterr().err
    pairs = [(f"http://e.org/d/{number}", page(number)) for number in range(8)]
    assert len(list(clean(pairs, "segments", progress=True))) == 8
    assert "100%" in capsys.readouterr().err


def test_a_pair_in_the_wrong_order_is_no_page():
    with pytest.raises(detemplate.UserError, match="in this order"):
        list(detemplate.clean([("<p>Rain", "http://a.org/")]))
    with pytest.raises(detemplate.UserError, match="choose from text, html, markdown, json"):
        detemplate.extract("<p>Rain", format="xml")
