"""Mistakes of a user, in any command: one line says what is wrong, the exit code is 2, and nothing is written."""

import shlex
import shutil

import pytest

from tests.support.commands import cli, write_rows
from tests.support.link_crawls import sisters, write
from tests.support.training_sites import site_records

MENU = "<nav><a href=/>Home</a> <a href=/news>News</a></nav>"
ARC = "filedesc://old.arc 0.0.0.0 20010101000000 text/plain 77\n"
FILES = {
    "bad.jsonl": '{"text": "no page"}\n', "gold.jsonl": '{"url": "http://e.org/0", "text": "a"}\n', "urls.txt": "http://a.org/\n",
    "page.html": "<p>x", "empty.html": "", "pdf.html": "%PDF-1.4", "two.jsonl": '{"url": "u", "html": "<p>x"}\n' * 2,
    "expressions.txt": "Home News\n", "bad.txt": "(?:^|\\s)a\\s+b(?:\\s|$)\n(a\n", "text.duckdb": "no database", "full/file": "x",
    "sites/pages/a.html": "<p>a", "e.txt": "page\n", **dict.fromkeys(("old.arc", "old.arc.gz", "OLD.ARC.GZ"), ARC),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of pages, sites, stores, a crawl as tables, links, and files that are none of these."""
    made = tmp_path_factory.mktemp("mistakes")
    pages = [{"url": f"http://e.org/{n}", "html": f"{MENU}<h1>Story {n}</h1><p>Body {n}."} for n in range(12)]
    pages_file = write_rows(made / "pages.jsonl", pages)
    sites = ("a.org", "b.org", "c.org", "docs-de", "docs-fr")
    write_rows(made / "sites.jsonl", [record for site in sites for record in site_records(site, 10)])
    write(made / "crawl", sisters())
    for name, text in FILES.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    for name in ("in.jsonl", "sites/in.jsonl", "stopped.jsonl.partial"):
        write_rows(made / name, pages[:5])
    (made / "link.jsonl").symlink_to("in.jsonl")
    (made / "linked").symlink_to("sites")
    known = made / "known.db"
    settings = "-m segments --set min_df=3 --site-by domain -q"
    cli("learn", pages_file, "--store", known, *settings.split())
    cli("learn", pages_file, "--store", made / "tree.db", "-m", "styletree", "-q")
    (made / "cut.db").write_bytes(known.read_bytes()[: known.stat().st_size // 2])
    return made


MISTAKES = """
frobnicate                                               | frobnicate
clean                                                    | INPUT
clean no/such.jsonl                                      | no/such.jsonl
clean pages.jsonl -m magic                               | magic | segments
clean pages.jsonl -f pdf                                 | pdf | markdown
clean pages.jsonl -m segments --set min_df               | min_df
clean pages.jsonl -m segments --set speed=9              | speed | min_df
clean pages.jsonl -m segments --set min_df=0             | min_df | at least 1
clean pages.jsonl --threshold 7                          | threshold
clean pages.jsonl --keep-scripts                         | only HTML has scripts to keep
clean pages.jsonl --sanitize                             | only HTML has tags to sanitize
clean pages.jsonl --sanitize --keep-scripts -f html      | sanitized HTML has no scripts
clean pages.jsonl --site-by planet                       | planet | domain
clean pages.jsonl --max-page-bytes 0                     | byte
clean pages.jsonl --max-page-seconds 0                   | seconds
clean pages.jsonl --max-page-memory 1000                 | the memory for a page must be at least
clean pages.jsonl --workers -1                           | --workers
clean pages.jsonl --summary no/such/s.json               | no/such
clean pages.jsonl --rejects no/such/r.jsonl              | no/such
clean pages.jsonl --no-such-option                       | --no-such-option
clean pages.jsonl --tables html                          | --tables
clean pages.jsonl -o x.jsonl --metadata all              | unknown metadata 'all' (choose from basic, none)
clean pages.jsonl --sample 2                             | --sample
clean pages.jsonl --sample half                          | --sample
clean pages.jsonl --limit 0                              | --limit
clean pages.jsonl --max-bad 101                          | --max-bad
clean pages.jsonl --versions newest                      | --versions
clean pages.jsonl --max-page lines=5                     | 'lines=5' is none of bytes=…, seconds=…, memory=…
clean pages.jsonl --max-page 5                           | '5' is none of bytes=…
clean pages.jsonl --max-page bytes=much                  | 'much' is no size: write it like 32MiB, 2GB or 1000000
clean pages.jsonl --max-page seconds=soon                | 'soon' is not a valid float
clean pages.jsonl --column date=x                        | 'date=x' is none of url=…, html=…, id=…
clean pages.jsonl --render html=nice                     | 'nice' is none of scripts, sanitized
clean pages.jsonl --render links=all                     | --render links=all: 'all' is not one of
clean pages.jsonl --log metrics=many                     | --log metrics=many: 'many' is not a valid integer
clean pages.jsonl --log reject=s.json                    | is none of summary=…, rejects=…, skips=…, progress=…
clean pages.jsonl --memory '1 parsec'                    | '1 parsec' is no size
clean s3://bucket/crawl.warc.gz                          | is an address, and inputs are files: download it, or pipe it to -
clean pages.jsonl -f text,pdf -o x.jsonl                 | unknown format 'pdf' (choose from text, html, markdown)
clean pages.jsonl -o nowhere/x/                          | there is no directory | nowhere; create it
clean pages.jsonl -o nowhere/x.jsonl                     | there is no directory | nowhere; create it
clean pages.jsonl -o x.docx                              | cannot tell | x.docx; possible are -, .jsonl, | .parquet
clean pages.jsonl -o x.parquet.gz                        | cannot tell
clean pages.jsonl -o x.md.gz                             | cannot tell
clean pages.jsonl -o x.                                  | cannot tell
clean pages.jsonl -o ''                                  | no name
clean pages.jsonl -o urls.txt/                           | not a directory
clean pages.jsonl -o urls.txt/x.jsonl                    | there is no directory
clean pages.jsonl -o /proc/x.jsonl                       | cannot write /proc/x.jsonl
clean pages.jsonl -o full/                               | is not empty; empty it or use --overwrite
clean pages.jsonl -o full                                | is not empty; empty it or use --overwrite
clean pages.jsonl -o x.warc -f text,markdown             | holds one format of a page, not text and markdown: name one, or
clean pages.jsonl -o x/ -f text,markdown                 | holds one format of a page, not text and markdown: name one, or
clean pages.jsonl -o x.md -f text,markdown               | holds one format of a page, not text and markdown: name one, or
clean pages.jsonl -o x.data --output-format xlsx         | xlsx | jsonl, csv
clean pages.jsonl -o - --output-format parquet           | standard output cannot be parquet (choose from jsonl, csv, tsv, spreadsheet, arrow
clean pages.jsonl -o x.gz --output-format parquet        | cannot tell
clean pages.jsonl -o one.md                              | one.md holds one page, and http://e.org/1 is a second one: name a directory
clean pages.jsonl -o one.md --stream                     | one.md holds one page, and http://e.org/1 is a second one: name a directory
clean pages.jsonl -o one.txt                             | one.txt holds one page, and http://e.org/1 is a second one: name a directory
clean pages.jsonl -o one.html                            | one.html holds one page, and http://e.org/1 is a second one: name a directory
clean - -o x.jsonl --checkpoint progress                 | --checkpoint needs
clean pages.jsonl -o - --checkpoint progress             | --checkpoint needs
clean pages.jsonl -o /dev/null --checkpoint progress     | --checkpoint needs
clean pages.jsonl -o x.jsonl --checkpoint full           | is no checkpoint
clean pages.jsonl -o d/x.jsonl --checkpoint d            | d/x.jsonl stands in d, another output
clean pages.jsonl -o x/ --rejects x/r.jsonl              | x/r.jsonl stands in x/, another output
clean pages.jsonl --memory 0                             | must be above 0
clean pages.jsonl --explain -o out.md                    | not what was removed from it: write .jsonl
clean pages.jsonl --explain -o out.txt                   | not what was removed from it: write .jsonl
clean pages.jsonl --explain -o - --output-format text    | not what was removed from it: write .jsonl
clean old.arc                                            | is an ARC file, which is not read; make WARC of it
clean old.arc.gz                                         | is an ARC file, which is not read; make WARC of it
clean OLD.ARC.GZ                                         | is an ARC file, which is not read; make WARC of it
clean pages.jsonl --store none.db --frozen -o o.jsonl    | No such file
clean pages.jsonl --frozen -o o.jsonl                    | --store FILE
clean pages.jsonl --store in.jsonl -o o.jsonl            | is no store
clean pages.jsonl --store ./o.jsonl -o o.jsonl           | cannot be both
clean pages.jsonl --store no/x.db -o o.jsonl             | there is no directory
clean pages.jsonl --store cut.db -o o.jsonl              | cannot be used
clean pages.jsonl --store cut.db --frozen -o o.jsonl     | cannot be used
clean pages.jsonl --store tree.db --stream -o o.jsonl    | cannot clean a stream
clean pages.jsonl --store known.db -m auto -o o.jsonl    | method=segments, not method=auto
clean pages.jsonl --store known.db --set min_df=4 -o o.jsonl | min_df=3, not min_df=4
clean pages.jsonl --store known.db --site-by host -o o.jsonl | site_by=domain, not site_by=host
clean pages.jsonl --store known.db --set colour=4 -o o.jsonl | has no option 'colour'
clean in.jsonl -o in.jsonl                               | would replace an input
clean in.jsonl -o ./sites/../in.jsonl                    | would replace an input
clean link.jsonl -o in.jsonl                             | would replace an input
clean in.jsonl -o link.jsonl                             | would replace an input
clean in.jsonl -o out.jsonl --rejects in.jsonl           | would replace an input
clean in.jsonl -o out.jsonl --summary in.jsonl           | would replace an input
clean in.jsonl -o out.jsonl --store in.jsonl             | would replace an input
clean *.jsonl -o in.jsonl                                | would replace an input
clean stopped.jsonl.partial --input-format jsonl -o stopped.jsonl | would replace an input
clean sites -o sites/in.jsonl                            | would replace an input
clean sites -o linked/in.jsonl                           | would replace an input
clean linked -o sites/pages/a.html                       | would replace an input
clean sites/in.jsonl -o sites/ --overwrite               | would replace an input
clean sites/in.jsonl -o linked --overwrite               | would replace an input
clean sites -o sites/ --overwrite                        | would replace an input
clean sites/pages -o sites/ --overwrite                  | would replace an input
clean in.jsonl -o out.jsonl --rejects out.jsonl          | cannot be both
clean in.jsonl -o out.jsonl --summary ./out.jsonl        | cannot be both
clean in.jsonl -o out.jsonl --rejects x --summary x      | cannot be both
clean in.jsonl -o out.jsonl --store out.jsonl            | cannot be both
inspect no/such.warc                                     | no/such.warc
inspect pages.jsonl --max-bad 5                          | --max-bad
learn https://a.org/page.html --store s.db               | is an address, and inputs are files
learn pages.jsonl                                        | Missing option '--store'
learn pages.jsonl --store s.db --max-page-memory 1000    | at least 67,108,864 bytes
learn pages.jsonl --store s.db --workers -1              | must not be negative
learn pages.jsonl --store known.db --set min_df=4        | min_df=3, not min_df=4
learn in.jsonl --store in.jsonl                          | would replace an input
learn in.jsonl --store x.db --rejects in.jsonl           | would replace an input
store show known.db x.org                                | has no site 'x.org'; 'detemplate store show
store show known.db --json                               | --json is for one site
store show none.db                                       | No such file
store show pages.jsonl                                   | is no store of detemplate
store export known.db x.org -o no.jsonl                  | has no site
store export known.db -o no/no.jsonl                     | there is no directory
store export known.db -o ./known.db                      | would replace an input
store export in.jsonl -o in.jsonl                        | would replace an input
store merge in.jsonl x.db -o link.jsonl                  | would replace an input
store merge known.db none.db -o out.db                   | No such file
store merge known.db -o full/file                        | exists already
store forget known.db e.org x.org                        | has no site 'x.org'
store forget none.db e.org                               | No such file
compare pages.jsonl -m auto                              | a comparison needs two different methods
compare pages.jsonl -m auto -m auto                      | a comparison needs two different methods
compare pages.jsonl -m auto -m magic                     | unknown method 'magic'
compare pages.jsonl -m auto -m segments -o c.pdf         | its name must end in .html or .jsonl
compare pages.jsonl -m auto -m segments --gold none      | cannot read the gold none
compare pages.jsonl -m auto -m segments --gold bad.jsonl | line 1 of bad.jsonl is no gold
compare pages.jsonl -m auto -m segments --gold gold.jsonl -o gold.jsonl | would replace an input
compare pages.jsonl -m auto -m segments -o pages.jsonl   | would replace an input
extract page.html -f pdf                                 | unknown format 'pdf'
extract page.html -f text,md                             | text and markdown are several texts: name one, or make them
extract page.html --explain                              | only JSON says what was removed
extract page.html -f html --metadata basic               | HTML has its metadata in its head
extract page.html --sanitize                             | only HTML has tags to sanitize
extract page.html --keep p[                              | keep: invalid CSS selector
extract page.html --threshold 2                          | must be between 0 and 1
extract page.html -o page.html                           | would replace an input
extract two.jsonl                                        | holds several pages: say which with --url
extract two.jsonl --url v                                | none of them is v
extract s3://bucket/page.html                            | is an address, and inputs are files
extract old.arc                                          | is an ARC file, which is not read; make WARC of it
extract page.html -m segments --comments drop            | method segments has no option 'comments'
expressions mine pages.jsonl                             | --output
expressions mine pages.jsonl -o e.xml                    | e.xml | .json or .txt
expressions mine pages.jsonl -o none/e.json              | none
expressions mine pages.jsonl -o e.json --on dom          | text or html | 'dom'
expressions mine pages.jsonl -o e.json --site-by planet  | planet
expressions mine pages.jsonl -o e.json --token [         | token
expressions mine pages.jsonl -o e.json --token a+b+      | --separator
expressions mine pages.jsonl -o e.json --mutable no.toml | no.toml
expressions mine pages.jsonl -o e.json --cut 0           | --cut
expressions mine pages.jsonl -o e.json --collections 2.5 | --collections
expressions mine pages.jsonl -o e.json --min-documents 0 | min_documents
expressions mine pages.jsonl -o e.json --plot p.gif      | p.gif | .svg or .png
expressions mine pages.jsonl -o e.json --max-page-seconds 0 | seconds
expressions apply expressions.txt pages.jsonl -o o.jsonl --on pdf | not on 'pdf'
expressions apply expressions.txt pages.jsonl -o o.jsonl --whose mine | choose from auto, own, all
expressions apply expressions.txt pages.jsonl -o o.jsonl --min-sliver -1 | must not be negative
expressions apply expressions.txt pages.jsonl -o o.jsonl --show -1 | must not be negative
expressions apply expressions.txt pages.jsonl -o o.jsonl --max-page-seconds 0 | above 0 seconds
expressions apply expressions.txt pages.jsonl -o o.jsonl --site-by page | unknown way to name sites
expressions apply bad.txt pages.jsonl -o o.jsonl         | bad.txt, line 2
expressions apply missing.json pages.jsonl -o o.jsonl    | missing.json
expressions apply e.txt in.jsonl -o in.jsonl             | would replace an input
expressions apply e.txt in.jsonl -o out.jsonl --rejects e.txt | would replace an input
expressions apply e.txt in.jsonl -o out.jsonl --rejects out.jsonl | cannot be both
expressions mine in.jsonl -o in.jsonl                    | would replace an input
graph rank crawl coffee                                  | matches 'coffee'
graph rank crawl !                                       | has no words
graph rank crawl java -c page-ft                         | no configuration 'page-ft'
graph rank crawl java --templates stored                 | no table 'template_pagelets'
graph rank crawl java -c page-fnm --templates all        | take one of local, stored
graph rank crawl java --top 0                            | see 'detemplate graph rank --help'
graph rank missing java                                  | there is no missing
graph rank full java                                     | no Parquet files in full/pages
graph related http://nowhere.example/ crawl              | no page http://nowhere.example/
graph related http://sun.example/java crawl --within site | take one of pagelet, page
graph templates nowhere                                  | there is no nowhere
graph templates full                                     | detemplate graph tables
graph templates text.duckdb                              | is no directory of Parquet tables
graph templates crawl --algorithm best                   | choose local or global
graph templates crawl -o found.txt                       | has to end in
graph templates crawl --memory much                      | memory much
graph templates crawl --temp /nowhere                    | cannot work in
graph templates crawl --min-pages 1                      | min-pages
graph tables in.jsonl -o sites/ --rejects in.jsonl       | would replace an input
graph tables sites/in.jsonl -o sites/ --overwrite        | would replace an input
graph tables pages.jsonl -o c/ -k 0                      | k must be
graph tables pages.jsonl -o c/ --versions keep           | choose --versions first or last
crawl ftp://a.org/ -o c.warc                             | no address of a page
crawl a.org -o c.zip                                     | a crawl writes .warc or .warc.gz, not c.zip
crawl a.org -o missing/c.warc                            | there is no directory
crawl a.org -o c.warc --scope planet                     | choose from host, domain, directory, any
crawl a.org -o c.warc --format html                      | --clean
crawl a.org -o c.warc --whole-pages                      | --focus
crawl a.org -o c.warc --distill                          | add --focus
crawl a.org -o c.warc --focus @missing                   | cannot read the examples
crawl a.org -o c.warc --clean - --checkpoint d           | name it
crawl a.org -o c.warc --clean c.jsonl --method shingles  | cannot clean a stream
crawl @urls.txt -o urls.txt                              | would replace an input
crawl @missing.txt -o c.warc                             | cannot read the list
crawl a.org -o c.warc --checkpoint full                  | is no checkpoint
crawl a.org -o d/crawl.warc --checkpoint d               | d/crawl.warc stands in d, another output
spark clean pages.jsonl -o out --metadata much           | unknown metadata
spark clean pages.jsonl -o out --conf nothing            | is no setting
spark clean pages.jsonl -o out --max-bad x               | is no number
spark clean pages.jsonl -o out --buckets 0               | the number of buckets must be at least 1
spark clean pages.jsonl -o out --max-page-memory 5       | the memory for a page must be at least
train sites.jsonl -o m.pickle                            | must end in .json
train sites.jsonl -o m.json --theta 1                    | theta must be
train sites.jsonl -o m.json --share 2                    | share of HTML
train sites.jsonl -o m.json --equality loose             | unknown equality
train sites.jsonl -o m.json --min-pages 11               | no site has 11 pages
train sites.jsonl -o m.json --layout missing.parquet     | there is no file missing.parquet
train sites.jsonl -o m.json --site-by planet             | unknown way to name sites
train sites.jsonl -o m.json -q --min-pages 10 --family docs-* --folds 5 | 4 families of sites cannot be 5 folds
train in.jsonl -o in.jsonl                               | would replace an input
report pages.jsonl -o out.pdf                            | must end in .html
report - -o out.html                                     | reads its input twice
explain pages.jsonl -o out.pdf                           | must end in .html
explain pages.jsonl --url http://nowhere/ -o out.html    | has no page 'http://nowhere/'
explain pages.jsonl --store s.db -m auto -o out.html     | --store names the method
"""
"""A command a line, and behind it words that its message has."""


def contents(folder):
    """Give what the files of a folder hold."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "line", MISTAKES.strip().splitlines(), ids=lambda line: line.partition(" |")[0].strip()
)
def test_a_mistake_is_one_line_and_leaves_nothing(line, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    before = contents(folder)
    command, *words = line.split(" | ")
    cli(*shlex.split(command), code=2)
    out, err = capfd.readouterr()
    assert err.startswith("detemplate: ")
    assert err.count("\n") == 1
    assert all(word.strip() in err for word in words), err
    assert not out
    assert contents(folder) == before


def test_what_is_no_input_is_replaced(folder, tmp_path, monkeypatch):
    """The counterpart: outputs beside the inputs."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder / "sites", "sites")
    shutil.copy(folder / "in.jsonl", "in.jsonl")
    for name in ("out.jsonl", "sites/notes.txt", "sites/out.jsonl"):
        cli("clean", "sites", "-o", name, "--format", "text", "--limit", "1", "-q")
    for words in ("-o out.jsonl", "-o sites/out.jsonl", "-o sites/ --overwrite"):
        cli("clean", "in.jsonl", *words.split(), "-q")


@pytest.mark.parametrize(("name", "reason"), [("empty.html", "holds no page: empty"), ("pdf.html", "binary")])
def test_a_file_without_a_page(name, reason, folder, said):
    err = said("extract", folder / name, code=3)
    assert (reason in err, err.count("\n")) == (True, 1)
