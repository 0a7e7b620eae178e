"""A person's own word: CSS selectors of elements that stay or go, whatever a method says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np
import turbohtml

from detemplate.detectors.causes import because
from detemplate.errors import PageError, UserError, listed
from detemplate.output.settled import SettledReasons
from detemplate.page import tags
from detemplate.page.address import host
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import numpy.typing as npt

    from detemplate.detectors.causes import Reason
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

_FILE: Final = "@"  # begins the name of a file of rules
_HOSTS: Final = "##"  # stands between the hosts of a rule, joined by commas, and its selector
_COMMENT: Final = "!"  # begins a line of a file that is no rule
_KEEP: Final = 1
_DROP: Final = 2

# Numbers of the tags that are never cut, but what is in them.
_SHELL: Final = tags.numbers("html head body frameset")

_HEAD: Final = tags.IDS["head"]


class Rule(NamedTuple):
    """One selector.

    ``selector``: CSS.
    ``keep``: whether its elements stay; else they go.
    ``hosts``: hosts on which it holds, and below them (``example.org`` is also for ``www.example.org``);
        none: all.
    """

    selector: str
    keep: bool
    hosts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{','.join(self.hosts)}{_HOSTS}{self.selector}" if self.hosts else self.selector

    @property
    def option(self) -> str:
        """The rule as an option of a command."""
        return f"--{'keep' if self.keep else 'drop'} {self}"

    @property
    def code(self) -> str:
        """The name of this cause."""
        return "kept" if self.keep else "dropped"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the rules say of a page.

    ``marks``: of each node: 1 if it stays, 2 if it goes, 0 if no rule says. uint8.
    ``rules``: rules by the rows of the elements that they select, in document order.
    ``owner``: of each node: the row of the innermost selected element that it is in; -1 outside of all.
        int32.
    ``verdict``: the method's own verdict, which the rules override.
    ``used``: the rules that select something on the page, as options.
    """

    marks: npt.NDArray[np.uint8]
    rules: dict[int, Rule]
    owner: npt.NDArray[np.int32]
    verdict: Verdict
    used: tuple[str, ...] = ()

    def cut(self, page: Page, removed: Sequence[int]) -> list[int]:
        """Return the rows of the nodes to cut, where a method removes some.

        Nodes that go are cut whole, with images and forms. Of nodes with something in them that stays, the
        rest is cut.

        ``page``, ``removed``: the page, and the rows that would be cut without the rules.
        """
        columns, marks = page.columns, self.marks
        end, tag = columns.end.data, columns.tag.data
        dropped = [row for row, rule in self.rules.items() if not rule.keep]
        rows: list[int] = []
        todo = sorted({*removed, *dropped}, reverse=True)
        while todo:
            row = todo.pop()
            if rows and row < end[rows[-1]]:
                continue
            inside = marks[row : end[row]]
            if tag[row] not in _SHELL and not (inside == _KEEP).any():
                rows.append(row)
            elif marks[row] != _KEEP:
                children, child = [], row + 1
                while child < end[row]:
                    if tag[child] != _HEAD:
                        children.append(child)
                    child = end[child]
                todo += reversed(children)
        return rows


@dataclass(frozen=True, slots=True)
class Choice:
    """The rules of a run.

    ``rules``: rules that drop, then those that keep: of two that select one element, the latter hold.
    """

    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, keep: str | Iterable[str] = (), drop: str | Iterable[str] = ()) -> Self:
        """Read rules.

        ``keep``, ``drop``: rules of elements that stay, and that go: a selector (``.note``), a selector with
            the hosts that it is for (``example.org,example.com##.note``), or ``@FILE``, a file with one of
            these a line, in which lines that begin with ``!`` are comments.
        Raises UserError: a selector is none, or a file cannot be read.
        """
        return cls((*_rules(drop, "drop"), *_rules(keep, "keep")))

    def _chosen(self, page: Page, verdict: Verdict) -> Chosen | None:
        """Return what the rules say of a page; None if they say nothing."""
        name = host(page.url).lower()
        rules = [rule for rule in self.rules if not rule.hosts or _is_in(name, rule.hosts)]
        if not rules:
            return None
        document = page.document or page.parse_source()
        found = {rule: document.select(rule.selector) for rule in rules}
        selected = {element: rule for rule, elements in found.items() for element in elements}
        if not selected:
            return None
        columns = page.columns
        rows = (columns.kind == ELEMENT).nonzero()[0].tolist()
        elements = list(document.iter_elements())
        if len(elements) != len(rows):
            raise PageError(
                "unparsable", "its elements cannot be told apart, as keep and drop need it", page.url
            )
        places = {
            row: selected[element] for row, element in zip(rows, elements, strict=True) if element in selected
        }
        marks, owner = np.zeros(len(columns), np.uint8), np.full(len(columns), -1, np.int32)
        for row, rule in places.items():  # what is inside others comes later
            marks[row : columns.end[row]] = _KEEP if rule.keep else _DROP
            owner[row : columns.end[row]] = row
        used = tuple(rule.option for rule, elements in found.items() if elements)
        return Chosen(marks, places, owner, verdict, used)

    def settled(self, page: Page, verdict: Verdict) -> tuple[Verdict, Chosen | None]:
        """Return the verdict on a page with these rules, and what they say.

        Segments that stay have the score 0, those that go 1, also where the threshold would remove nothing.

        Raises PageError: the elements of the page cannot be told apart (no such page is known).
        """
        chosen = self._chosen(page, verdict)
        if chosen is None:
            return verdict, None
        marks, owner = chosen.marks[page.segments], chosen.owner[page.segments]
        stays, goes = marks == _KEEP, marks == _DROP
        scores, threshold = verdict.scores.copy(), verdict.threshold
        if threshold >= 1:
            threshold = float(np.nextafter(np.float32(1), np.float32(0)))
            scores = scores.clip(max=np.float32(threshold))
        scores[stays], scores[goes] = 0, 1
        reasons = {
            segment: _reason(chosen.rules[int(owner[segment])]) for segment in marks.nonzero()[0].tolist()
        }
        explain = SettledReasons(verdict.explain, reasons)
        return replace(verdict, scores=scores, threshold=threshold, explain=explain), chosen


def unused(choice: Choice | None, used: Collection[str], where: str = "the page") -> list[str]:
    """Say which rules select nothing.

    ``choice``: the rules; None: there are none.
    ``used``: the rules that select something, as options (:attr:`Chosen.used`).
    ``where``: what they were tried on.
    Returns: at most one sentence.
    """
    rules = dict.fromkeys(rule.option for rule in choice.rules) if choice is not None else {}
    left = [rule for rule in rules if rule not in used]
    return [f"nothing on {where} is selected by {listed(left)}"] if left else []


def _reason(rule: Rule) -> Reason:
    """Return the reason of a segment that a rule is about."""
    text = f"you said so: {'keep' if rule.keep else 'drop'} {rule.selector}"
    return because(rule.code, -1.0 if rule.keep else 1.0, text, selector=rule.selector)


def _is_in(name: str, hosts: Iterable[str]) -> bool:
    """Tell whether a host is one of some hosts, or below one."""
    return any(name == each or name.endswith(f".{each}") for each in hosts)


def _rules(given: str | Iterable[str], word: str) -> Iterator[Rule]:
    """Read rules of one word, ``keep`` or ``drop``."""
    listed = [given] if isinstance(given, str) or not isinstance(given, Iterable) else given
    for item in listed:
        if not isinstance(item, str):
            raise UserError(f"{word} is CSS, or @FILE, not {type(item).__name__}")
        if not item.startswith(_FILE):
            yield _rule(item, word, word)
            continue
        name = item.removeprefix(_FILE)
        try:
            lines = Path(name).read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise UserError(f"cannot read {name}, the rules of {word}: {error}; check the file") from error
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.lstrip().startswith(_COMMENT):
                yield _rule(line, word, f"{name}, line {number}")


def _rule(text: str, word: str, place: str) -> Rule:
    """Read one rule; raises UserError if it is no selector that the parser knows."""
    before, found, after = text.partition(_HOSTS)
    hosts, selector = (before, after.strip()) if found else ("", text.strip())
    try:
        turbohtml.parse("").select(selector)
    except (turbohtml.SelectorSyntaxError, ValueError) as error:
        raise UserError(f"{place}: {error}; write it like '.note' or 'example.org##.note'") from error
    named = (each.strip().lower() for each in hosts.split(","))
    return Rule(selector, word == "keep", tuple(filter(None, named)))
