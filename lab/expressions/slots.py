"""Slots: places in a template whose text varies, in formats that mutable patterns cover or do not cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAMES: Final = ("anna", "boris", "chen", "dora", "emil", "fatima", "goran", "hana", "igor", "jana")


def _pick(rng: np.random.Generator, words: Sequence[str]) -> str:
    return words[int(rng.integers(len(words)))]


def _n(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high))


def _date(rng: np.random.Generator, form: str) -> str:
    day, month, year = _n(rng, 1, 29), _n(rng, 1, 13), _n(rng, 1999, 2027)
    return form.format(day=day, month=month, name=_MONTHS[month - 1], year=year)


def _time(rng: np.random.Generator) -> str:
    return f"{_n(rng, 0, 24):02}:{_n(rng, 0, 60):02}"


def _host(rng: np.random.Generator) -> str:
    return f"www.example.org/{_pick(rng, _NAMES)}/{_n(rng, 1, 99_999)}"


def _amount(rng: np.random.Generator) -> str:
    return f"{_n(rng, 1, 2000):,}.{_n(rng, 0, 100):02}"


# Kinds of slots whose values become one expression by the thesis's patterns, with what draws a value.
COVERED: Final[dict[str, Callable[[np.random.Generator], str]]] = {
    "date 12/03/2007": lambda rng: _date(rng, "{day:02}/{month:02}/{year}"),
    "date 12 March 2007": lambda rng: _date(rng, "{day} {name} {year}"),
    "weekday Monday,": lambda rng: f"{_pick(rng, _DAYS)},",
    "time 10:30": _time,
    "count 1,234": lambda rng: f"{_n(rng, 0, 99_999):,}",
    "price $12.50": lambda rng: f"${_amount(rng)}",
    "share 12%": lambda rng: f"{_n(rng, 0, 101)}%",
    "price €12.50": lambda rng: f"€{_amount(rng)}",
    "e-mail a@b.c": lambda rng: f"{_pick(rng, _NAMES)}{_n(rng, 1, 99)}@{_pick(rng, _NAMES)}.example.org",
    "URL http://…": lambda rng: f"http://{_host(rng)}",
}
# Kinds of slots whose values become many expressions.
UNCOVERED: Final[dict[str, Callable[[np.random.Generator], str]]] = {
    "date 2007-03-12T10:30Z": lambda rng: _date(rng, "{year}-{month:02}-{day:02}T") + _time(rng) + "Z",
    "date 12-Mar-2007": lambda rng: _date(rng, "{day}-{name:.3}-{year}"),
    "time 10:30pm": lambda rng: f"{_n(rng, 1, 13)}:{_n(rng, 0, 60):02}{_pick(rng, ('am', 'pm'))}",
    "count 12k": lambda rng: f"{_n(rng, 1, 999)}k",
    "user name": lambda rng: f"{_pick(rng, _NAMES)}{_n(rng, 1, 9999)}",
    "address www.…": _host,
}
OWN: Final = "the site's own"  # kind of a slot that varies on the real site; its values are those seen there
KINDS: Final = (OWN, *COVERED, *UNCOVERED)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a template whose text varies: its kind, and its values if the kind draws none."""

    kind: str
    values: tuple[str, ...] = ()

    def draw(self, rng: np.random.Generator) -> str:
        """Draw a value."""
        return _pick(rng, self.values) if self.values else (COVERED | UNCOVERED)[self.kind](rng)


Line = tuple["str | Slot", ...]  # tokens and slots of a template's line
