"""Files of expressions: JSON with all that is known about them, or plain text.

Both hold one expression a line. So an error has a line number, and people can read, sort, search and delete
expressions. They mean the same in Python's ``re``, RE2 and PCRE.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError, abridged
from detemplate.expressions.charsets import repeated_set
from detemplate.expressions.mutable import Mutable, default_mutables
from detemplate.expressions.safety import danger
from detemplate.expressions.tokens import DEFAULT_TOKEN, Tokenizer, literal_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

FORMAT: Final = "detemplate-expressions"
"""Name of the format, which the file states."""

VERSION: Final = 1
"""Version of the format, which the file states."""


@dataclass(frozen=True, slots=True)
class Expression:
    """One template expression.

    ``pattern``: the regular expression.
    ``pieces``: the expression of each token; None if the pattern does not have the form that mining gives it.
    ``occurrences``: number of occurrences of the string in its collection; 0 if unknown.
    ``documents``: number of documents of the collection that contain the string; 0 if unknown.
    ``collections``: number of collections of the run that the expression was mined from; 0 if unknown.
    ``collection``: name of the collection (site) that it was mined from.
    """

    pattern: str
    pieces: tuple[str, ...] | None
    occurrences: int = 0
    documents: int = 0
    collections: int = 0
    collection: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """Figures of a collection that was mined.

    ``name``: name of the site.
    ``documents``, ``tokens``: number of its documents, and of their tokens.
    ``strings``: number of maximal strings of at least two tokens in enough documents.
    ``cut``: minimum number of documents of a template string; None without strings.
    ``expressions``: number of its expressions that were kept.
    """

    name: str
    documents: int
    tokens: int
    strings: int
    cut: int | None
    expressions: int


@dataclass(frozen=True, slots=True)
class Expressions:
    """Template expressions, and the tokenizer that texts are split with.

    ``token``, ``separator``, ``mutables``: as for :class:`~detemplate.expressions.tokens.Tokenizer`.
    ``expressions``: the expressions.
    ``collections``: the collections that they were mined from; empty if unknown.
    """

    token: str
    separator: str
    mutables: tuple[Mutable, ...]
    expressions: tuple[Expression, ...]
    collections: tuple[Collection, ...] = ()

    @property
    def documents(self) -> int:
        """Number of documents of all collections; 0 if unknown."""
        return sum(collection.documents for collection in self.collections)


def pattern_of(pieces: Iterable[str], separator: str) -> str:
    """Join the pieces of a run of tokens into an expression, which begins and ends at edges of tokens."""
    before, after = _edges(separator)
    return f"{before}{separator.join(pieces)}{after}"


def _edges(separator: str) -> tuple[str, str]:
    """Return the expressions before the first token and after the last."""
    # Of a repeated separator, they match one character: more would make a failing search quadratic in a long
    # run of white space.
    edge = separator[:-1] if repeated_set(separator) is not None else separator
    return f"(?:^|{edge})", f"(?:{edge}|$)"


def pieces_of(pattern: str, separator: str) -> tuple[str, ...] | None:
    """Split a pattern that :func:`pattern_of` made into its pieces; None if it has another form.

    Neither an escaped token nor a mutable pattern of one token can contain a separator, so the pieces are
    unique.
    """
    before, after = _edges(separator)
    if not pattern.startswith(before) or not pattern.endswith(after):
        return None
    pieces = tuple(pattern[len(before) : -len(after)].split(separator))
    return pieces if all(pieces) else None


def write_json(expressions: Expressions, file: BinaryIO) -> None:
    """Write expressions as JSON, one expression a line.

    ``file``: an open binary file.
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
    """Write one member of the JSON object: a list, one row a line."""
    file.write(f"{_json(key)}: [".encode())
    comma = b"\n"
    for row in rows:
        file.write(comma + _json(row).encode("utf-8", "replace"))
        comma = b",\n"
    file.write(b"\n]" + end)


def write_txt(expressions: Expressions, file: BinaryIO) -> None:
    """Write expressions as text, one a line, below comments with the token and the separator."""
    head = f"# {FORMAT} {VERSION}\n# token: {expressions.token}\n# separator: {expressions.separator}\n"
    file.write(head.encode())
    for pattern in dict.fromkeys(each.pattern for each in expressions.expressions):
        file.write(pattern.encode("utf-8", "replace") + b"\n")


def read(path: str | Path) -> Expressions:
    r"""Read a file of expressions: the JSON of :func:`write_json`, or text with one expression a line.

    In a text file, ``#`` begins a comment line (an expression that begins with it is written ``\#``), and
    white space around an expression is ignored. The comments ``# token: …`` and ``# separator: …`` before the
    first expression say how texts are split; the defaults are ``\S+`` and ``\s+``.

    Raises UserError: the file cannot be read or understood, or an expression is not safe
        (:func:`~detemplate.expressions.safety.danger`). The message has the line.
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
    except ValueError as error:  # a number of thousands of digits
        raise UserError(f"{name} cannot be read: {error}") from error
    except RecursionError:
        raise UserError(f"{name} is nested too deeply") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UserError(f'{name} is not a file of expressions: it lacks "format": "{FORMAT}"')
    if data.get("version") != VERSION:
        raise UserError(f"{name} has version {data.get('version')!r}; this program reads version {VERSION}")
    try:
        mutables = tuple(Mutable(_text(m["name"]), _text(m["expression"])) for m in data["mutables"])
        collections = tuple(_collection(**collection) for collection in data.get("collections", ()))
        tokenizer = _tokenizer(_text(data["token"]), _text(data["separator"]), mutables, name)
        rows = [
            Expression(
                _text(row["pattern"]), None, _count(row.get("occurrences", 0)),
                _count(row.get("documents", 0)), _count(row.get("collections", 0)),
                _text(row.get("collection", "")),
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


def _text(value: object) -> str:
    """Check that a value is text that UTF-8 can encode."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text"[:80])
    value.encode()
    return value


def _count(value: object) -> int:
    """Check that a value is a whole number that is not negative."""
    if not isinstance(value, int) or value < 0:
        raise TypeError(f"{value!r} is no number of things"[:80])
    return value


def _collection(*, name: str, cut: int | None, **counts: int) -> Collection:
    """Check and make a collection."""
    numbers = {key: _count(value) for key, value in counts.items()}
    return Collection(name=_text(name), cut=None if cut is None else _count(cut), **numbers)


def _line_of(text: str, pattern: str, number: int) -> int | str:
    """Find the line of a pattern in JSON; where it cannot be found, name it by its number."""
    for ensure_ascii in (False, True):
        written = json.dumps(pattern, ensure_ascii=ensure_ascii)
        at = text.find(written, text.find('"expressions"'))
        if at >= 0:
            return text.count("\n", 0, at) + 1
    return f"of expression {number}"


def _tokenizer(token: str, separator: str | None, mutables: tuple[Mutable, ...], name: str) -> Tokenizer:
    """Make a file's tokenizer; errors name the file."""
    try:
        return Tokenizer(token, separator, mutables)
    except UserError as error:
        raise UserError(f"{name}: {error}") from error


class _Check:
    """Refuses unsafe expressions, and splits those of the mined form into pieces."""

    def __init__(self, tokenizer: Tokenizer, name: str) -> None:
        self.tokenizer = tokenizer
        self._name = name
        self._harmless = {mutable.expression: True for mutable in tokenizer.mutables}

    def __call__(self, pattern: str, line: Any) -> tuple[str, ...] | None:  # noqa: ANN401
        """Return an expression's pieces; ``line`` is its line in the file, or gives it when called."""
        spanning = self.tokenizer.is_spanning(pattern)
        pieces = None if spanning else pieces_of(pattern, self.tokenizer.separator)
        # Where the separator shares no character with tokens, an expression is safe if its pieces are.
        if pieces is not None and self.tokenizer.derived and all(map(self._is_harmless, pieces)):
            return pieces
        why = danger(pattern)
        if why is not None:
            number = line() if callable(line) else line
            raise UserError(f"{self._name}, line {number}: the expression {abridged(pattern, 60)!r} {why}")
        return pieces

    def _is_harmless(self, piece: str) -> bool:
        """Tell whether a piece stands for exactly one token, in one way."""
        known = self._harmless.get(piece)
        if known is None:
            literal = literal_of(piece)
            token = (literal or "").encode("utf-8", "replace")
            if literal is None:
                known = self.tokenizer.is_of_one_token(piece) and danger(piece) is None
            else:
                known = bool(token) and self.tokenizer.split(token) == [token]
            self._harmless[piece] = known
        return known
