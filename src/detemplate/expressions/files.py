"""Expressions as files: JSON with everything known about them, or one expression a line.

Both hold one expression a line, so that an error has a line number, and a person can read, sort, search
and thin them out. The expressions mean the same in Python's ``re``, RE2 and PCRE.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.expressions.charsets import repeated_set
from detemplate.expressions.mutable import Mutable, default_mutables
from detemplate.expressions.safety import danger
from detemplate.expressions.tokens import DEFAULT_TOKEN, Tokenizer, literal_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

FORMAT: Final = "detemplate-expressions"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Expression:
    """One template expression.

    Attributes
    ----------
    pattern
        The regular expression.
    pieces
        The expressions of its tokens; None if it is not of the form that mining gives.
    occurrences, documents
        How often the string occurs in its collection, and in how many documents of it; 0 if unknown.
    collections
        In how many collections of the run the expression was found; 0 if unknown.
    collection
        The collection (site) that it was mined from.
    """

    pattern: str
    pieces: tuple[str, ...] | None
    occurrences: int = 0
    documents: int = 0
    collections: int = 0
    collection: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """What was mined from one collection.

    Attributes
    ----------
    name
        The site.
    documents, tokens
        How much there was.
    strings
        Maximal strings of at least two tokens in enough documents.
    cut
        Strings in at least this many documents are template; None if there were no strings.
    expressions
        How many expressions were kept of it.
    """

    name: str
    documents: int
    tokens: int
    strings: int
    cut: int | None
    expressions: int


@dataclass(frozen=True, slots=True)
class Expressions:
    """Template expressions, and how to read texts for them.

    Attributes
    ----------
    token, separator, mutables
        As for :class:`~detemplate.expressions.tokens.Tokenizer`.
    expressions
        The expressions.
    collections
        What they were mined from; empty if unknown.
    """

    token: str
    separator: str
    mutables: tuple[Mutable, ...]
    expressions: tuple[Expression, ...]
    collections: tuple[Collection, ...] = ()

    @property
    def documents(self) -> int:
        """Documents of all collections; 0 if unknown."""
        return sum(collection.documents for collection in self.collections)


def pattern_of(pieces: Iterable[str], separator: str) -> str:
    """Give the expression of a run of tokens, between the edges of tokens as in the thesis's listing."""
    before, after = _edges(separator)
    return f"{before}{separator.join(pieces)}{after}"


def _edges(separator: str) -> tuple[str, str]:
    """Give what stands before and after the tokens: of a repeated separator, one character is enough.

    More would make a search that fails quadratic in a long run of white space.
    """
    edge = separator[:-1] if repeated_set(separator) is not None else separator
    return f"(?:^|{edge})", f"(?:{edge}|$)"


def pieces_of(pattern: str, separator: str) -> tuple[str, ...] | None:
    """Give the pieces that :func:`pattern_of` made a pattern of; None if it is of another form.

    Neither an escaped token nor a mutable pattern can contain a separator, so there is one way only.
    """
    before, after = _edges(separator)
    if not pattern.startswith(before) or not pattern.endswith(after):
        return None
    pieces = tuple(pattern[len(before) : -len(after)].split(separator))
    return pieces if all(pieces) else None


def write_json(expressions: Expressions, file: BinaryIO) -> None:
    """Write expressions as JSON, an expression a line.

    Parameters
    ----------
    expressions
        What to write.
    file
        An open binary file.
    """
    head = {
        "format": FORMAT, "version": VERSION,
        "token": expressions.token, "separator": expressions.separator,
    }  # fmt: skip
    mutables = [{"name": m.name, "expression": m.expression} for m in expressions.mutables]
    file.write(b"{\n" + b"".join(f"{_json(key)}: {_json(value)},\n".encode() for key, value in head.items()))
    _write_rows(file, "mutables", mutables, b",\n")
    _write_rows(file, "collections", (asdict(collection) for collection in expressions.collections), b",\n")
    rows = (
        {
            "pattern": each.pattern, "documents": each.documents, "occurrences": each.occurrences,
            "collections": each.collections, "collection": each.collection,
        }
        for each in expressions.expressions
    )  # fmt: skip
    _write_rows(file, "expressions", rows, b"\n}\n")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write_rows(file: BinaryIO, key: str, rows: Iterable[dict[str, Any]], end: bytes) -> None:
    file.write(f"{_json(key)}: [".encode())
    comma = b"\n"
    for row in rows:
        file.write(comma + _json(row).encode("utf-8", "replace"))
        comma = b",\n"
    file.write(b"\n]" + end)


def write_txt(expressions: Expressions, file: BinaryIO) -> None:
    """Write expressions one a line, below comments with the token and the separator."""
    head = f"# {FORMAT} {VERSION}\n# token: {expressions.token}\n# separator: {expressions.separator}\n"
    file.write(head.encode())
    for pattern in dict.fromkeys(each.pattern for each in expressions.expressions):
        file.write(pattern.encode("utf-8", "replace") + b"\n")


def read(path: str | Path) -> Expressions:
    r"""Read a file of expressions: JSON as written here, or text with one expression a line.

    In a text file, ``#`` begins a comment line (write ``\#`` for an expression that begins with it),
    white space around an expression is none of it, and the comments ``# token: …`` and
    ``# separator: …`` say how texts are split; ``\S+`` and ``\s+`` without them.

    Raises
    ------
    UserError
        The file cannot be read or understood, or an expression is not safe to use
        (:func:`~detemplate.expressions.safety.danger`); the message has the line.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start})") from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    return _read_json(text, str(path)) if text.lstrip().startswith("{") else _read_txt(text, str(path))


def _read_txt(text: str, name: str) -> Expressions:
    head = {"token": DEFAULT_TOKEN, "separator": ""}
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip(" \t\r\f\v")
        if not stripped.startswith("#"):
            lines += [(number, stripped)] if stripped else []
            continue
        key, colon, value = stripped[1:].partition(":")
        if colon and not lines and key.strip() in head:
            head[key.strip()] = value.strip()
    check = _Check(_tokenizer(head["token"], head["separator"] or None, default_mutables(), name), name)
    found = tuple(Expression(pattern, check(pattern, number)) for number, pattern in lines)
    return Expressions(check.tokenizer.token, check.tokenizer.separator, default_mutables(), found)


def _read_json(text: str, name: str) -> Expressions:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{name}, line {error.lineno}: {error.msg}; it must be JSON") from error
    except RecursionError:
        raise UserError(f"{name} is nested too deeply") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UserError(f'{name} is no file of expressions: it lacks "format": "{FORMAT}"')
    if data.get("version") != VERSION:
        raise UserError(f"{name} has version {data.get('version')!r}; this program reads version {VERSION}")
    try:
        mutables = tuple(Mutable(str(m["name"]), str(m["expression"])) for m in data["mutables"])
        collections = tuple(Collection(**collection) for collection in data.get("collections", ()))
        tokenizer = _tokenizer(str(data["token"]), str(data["separator"]), mutables, name)
        rows = [
            Expression(
                str(row["pattern"]), None, int(row.get("occurrences", 0)), int(row.get("documents", 0)),
                int(row.get("collections", 0)), str(row.get("collection", "")),
            )
            for row in data["expressions"]
        ]  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{name} is damaged: {type(error).__name__}: {error}; write it again") from error
    check = _Check(tokenizer, name)
    found = []
    for number, row in enumerate(rows, 1):
        place = lambda row=row, number=number: _line_of(text, row.pattern, number)  # noqa: E731
        pieces = check(row.pattern, place)
        found.append(Expression(row.pattern, pieces, *[getattr(row, key) for key in row.__slots__[2:]]))
    return Expressions(tokenizer.token, tokenizer.separator, tokenizer.mutables, tuple(found), collections)


def _line_of(text: str, pattern: str, number: int) -> int | str:
    for ensure_ascii in (False, True):
        written = json.dumps(pattern, ensure_ascii=ensure_ascii)
        at = text.find(written, text.find('"expressions"'))
        if at >= 0:
            return text.count("\n", 0, at) + 1
    return f"of expression {number}"


def _tokenizer(token: str, separator: str | None, mutables: tuple[Mutable, ...], name: str) -> Tokenizer:
    try:
        return Tokenizer(token, separator, mutables)
    except UserError as error:
        raise UserError(f"{name}: {error}") from error


class _Check:
    """Refuses unsafe expressions; gives the pieces of those of the mined form.

    Literal tokens and the mutable patterns, which the tokenizer has judged, make no danger where the
    separator shares no character with tokens. All others are judged as a whole.
    """

    def __init__(self, tokenizer: Tokenizer, name: str) -> None:
        self.tokenizer = tokenizer
        self._name = name
        self._harmless = {mutable.expression: True for mutable in tokenizer.mutables}

    def __call__(self, pattern: str, line: Any) -> tuple[str, ...] | None:  # noqa: ANN401
        pieces = pieces_of(pattern, self.tokenizer.separator)
        if pieces is not None and self.tokenizer.derived and all(map(self._is_harmless, pieces)):
            return pieces
        why = danger(pattern)
        if why is not None:
            number = line() if callable(line) else line
            shown = pattern if len(pattern) <= 60 else pattern[:59] + "…"
            raise UserError(f"{self._name}, line {number}: the expression {shown!r} {why}")
        return pieces

    def _is_harmless(self, piece: str) -> bool:
        known = self._harmless.get(piece)
        if known is None:
            token = (literal_of(piece) or "").encode("utf-8", "replace")
            known = self._harmless[piece] = bool(token) and self.tokenizer.split(token) == [token]
        return known
