"""Reasons: one sentence for people, and the causes behind it for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Value = int | float | str
"""A value of a cause: a count, a share in [0, 1], or a text."""


class Cause(NamedTuple):
    """Something that moved the score of a segment.

    ``code``: its name, such as ``"repeated"``. ``docs/explain.md`` lists the codes of all methods.
    ``weight``: share of this cause in all that speaks for the same side, in [-1, 1]; two decimals. Above 0:
        it speaks for template.
    ``values``: the numbers and names that the sentence tells.
    """

    code: str
    weight: float
    values: Mapping[str, Value]

    def as_dict(self) -> dict[str, Value]:
        """Return the cause as a JSON object: ``cause``, ``weight``, and its values."""
        return {"cause": self.code, "weight": self.weight, **self.values}


class Reason(str):
    """The reason of a score: a text that knows its causes.

    ``text``: one sentence, without its stop.
    ``causes``: the causes that it names, the strongest first.
    """

    __slots__ = ("causes",)
    causes: tuple[Cause, ...]

    def __new__(cls, text: str, causes: Iterable[tuple[str, float, Mapping[str, Value]]] = ()) -> Self:
        """Make a reason; it is a string like any other."""
        made = super().__new__(cls, text)
        made.causes = tuple([Cause(code, round(weight, 2), values) for code, weight, values in causes])
        return made

    def __reduce__(self) -> tuple[Callable[..., Reason], tuple[object, ...]]:
        return Reason, (str(self), self.causes)


def causes_of(reason: str) -> tuple[Cause, ...]:
    """Return the causes of a reason; none for a plain text, which a method of others may give."""
    return reason.causes if isinstance(reason, Reason) else ()


def because(code: str, weight: float, text: str, **values: Value) -> Reason:
    """Make a reason of one cause.

    ``code``, ``weight``: as in :class:`Cause`.
    ``text``: the sentence.
    ``**values``: the cause's values.
    """
    return Reason(text, (Cause(code, float(weight), values),))
