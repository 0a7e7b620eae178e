"""A cleaned page: its verdict, its renderings and its output record."""

from __future__ import annotations

import pickle
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import zstandard

from detemplate.detectors.causes import causes_of
from detemplate.detectors.segmentframe import frame_of
from detemplate.errors import UserError
from detemplate.output.cutting import removed_nodes, sanitized, to_html
from detemplate.output.options import DEFAULT, Rendering, formats_of, with_metadata
from detemplate.output.text import to_markdown, to_text
from detemplate.page.address import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.detectors.segmentframe import Library
    from detemplate.detectors.verdict import Verdict
    from detemplate.output.choice import Chosen
    from detemplate.output.options import Format, Images, Links, Tables
    from detemplate.page.metadata.record import Metadata
    from detemplate.page.page import Page


# Properties that a pickled result keeps if they were computed.
_RENDERINGS: Final = ("text", "html", "markdown")


class Result:
    """A page and its verdict; everything else is computed on first use.

    A pickled result is compressed. It holds the page's markup, the verdict, and the renderings that were
    computed. Unpickled, it gives all that it gave before; the page is parsed when that is needed.

    Attributes
    ----------
    page : Page
        The parsed page.
    verdict : Verdict
        Templateness of its segments.
    method : str
        Name of the method that gave the verdict.
    rendering : Rendering
        What its record has, and how text, Markdown and HTML are written.
    chosen : Chosen or None
        What rules of ``keep`` and ``drop`` say of the page.
    """

    def __init__(
        self,
        page: Page,
        verdict: Verdict,
        method: str,
        rendering: Rendering = DEFAULT,
        chosen: Chosen | None = None,
    ) -> None:
        if len(verdict) != len(page.segments):
            raise ValueError(
                f"the verdict is on {len(verdict)} segments for a page of {len(page.segments)}; pass its own"
            )
        self.page = page
        self.verdict = verdict
        self.method = method
        self.rendering = rendering
        self.chosen = chosen

    def __repr__(self) -> str:
        return f"Result({shortened(self.url)}, template_share={self.template_share:.3f})"

    def __getstate__(self) -> bytes:
        names = ("page", "verdict", "method", "rendering", "chosen", *_RENDERINGS)
        state = {name: self.__dict__[name] for name in names if name in self.__dict__}
        return zstandard.compress(pickle.dumps(state, pickle.HIGHEST_PROTOCOL))

    def __setstate__(self, state: bytes) -> None:
        self.__dict__.update(pickle.loads(zstandard.decompress(state)))

    @property
    def judged(self) -> Verdict:
        """The method's own verdict, without the rules of ``keep`` and ``drop``."""
        return self.verdict if self.chosen is None else self.chosen.verdict

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of ``keep`` and ``drop`` that select something on the page, as options."""
        return () if self.chosen is None else self.chosen.used

    @property
    def url(self) -> str:
        """The page's URL."""
        return self.page.url

    @property
    def site(self) -> str:
        """The page's site, whose other pages it is compared with."""
        return self.page.site

    @property
    def title(self) -> str:
        """Text of the page's ``title`` element."""
        return self.page.title

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says of itself: title, author, days, language and more. It is read on first use."""
        from detemplate.page.metadata.read import page_metadata

        return page_metadata(self.page, self.verdict.shared)

    @property
    def segments(self) -> int:
        """Number of text segments."""
        return len(self.page.segments)

    @cached_property
    def template_segments(self) -> int:
        """Number of text segments that are template."""
        return int(self.verdict.template.sum())

    @cached_property
    def chars(self) -> tuple[int, int]:
        """Characters of all segments and of the template segments, white space collapsed."""
        chars = self.page.segment_chars
        return int(chars.sum()), int(chars[self.verdict.template].sum())

    @property
    def template_share(self) -> float:
        """Share of the text's characters that are template, in [0, 1]; 0 for a page without text."""
        total, template = self.chars
        return template / total if total else 0.0

    @cached_property
    def _removed(self) -> list[int]:
        return removed_nodes(self.page, self.verdict.template, self.chosen)

    @cached_property
    def html(self) -> str:
        """The cleaned page as HTML, without scripts unless they are to be kept; or sanitized."""
        html = to_html(self.page, self._removed, keep_scripts=self.rendering.keep_scripts)
        return sanitized(html) if self.rendering.sanitize else html

    @cached_property
    def text(self) -> str:
        """The cleaned page as plain text."""
        return to_text(self.page, self._removed, self.rendering)

    @cached_property
    def markdown(self) -> str:
        """The cleaned page as Markdown."""
        return to_markdown(self.page, self._removed, self.rendering)

    def render(
        self,
        format: Literal["text", "markdown", "txt", "md"] = "markdown",  # noqa: A002
        *,
        links: Links | None = None,
        images: Images | None = None,
        tables: Tables | None = None,
    ) -> str:
        """Render the cleaned page with other options than those of the result.

        Parameters
        ----------
        format
            ``"text"`` or ``"markdown"``.
        links
            ``"none"``: their text alone; ``"inline"``: with their addresses; ``"reference"``: with the
            addresses at the end.
        images
            ``"none"``, ``"alt"``: their descriptions, or ``"inline"``: with their addresses.
        tables
            ``"none"``, ``"tsv"``: cells between tabs, or ``"markdown"``.

        Returns
        -------
        str
            None for an option: its default in this format (:class:`~detemplate.output.options.Rendering`).

        Raises
        ------
        UserError
            For an unknown format or value.
        """
        writers = {"text": to_text, "markdown": to_markdown}
        (name, *others) = formats_of(format)
        if others or name not in writers:
            raise UserError(f"cannot render as {format!r} (choose from {', '.join(writers)})")
        return writers[name](self.page, self._removed, Rendering(links, images, tables))

    def removed_texts(self) -> list[str]:
        """Return the texts of the removed segments, white space collapsed, in document order."""
        return [self.page.segment_text(index) for index in self.verdict.template.nonzero()[0].tolist()]

    def removed(self) -> list[dict[str, object]]:
        """Return what was removed and why, in document order.

        Returns
        -------
        list of dict
            ``text``, ``score``, ``reason`` (a sentence) and ``causes`` of each removed segment: what the
            sentence names, each with ``cause``, ``weight`` and the numbers of the sentence
            (:class:`~detemplate.detectors.causes.Cause`).
        """
        return [self.explained(index) for index in self.verdict.template.nonzero()[0].tolist()]

    def explained(self, segment: int) -> dict[str, object]:
        """Return ``text``, ``score``, ``reason`` and ``causes`` of one segment, as :meth:`removed` does."""
        reason = self.verdict.explain(segment)
        return {
            "text": self.page.segment_text(segment),
            "score": round(float(self.verdict.scores[segment]), 4),
            "reason": str(reason),
            "causes": [cause.as_dict() for cause in causes_of(reason)],
        }

    def to_frame(self, library: Library | None = None) -> Any:  # noqa: ANN401  # a table of one of three libraries
        """Return the page's segments as a table, a row a segment.

        Parameters
        ----------
        library
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None: the first of these that is installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Columns ``url``, ``text`` and ``chars`` (characters of the text), and those of
            :meth:`~detemplate.Verdict.to_frame`.

        Raises
        ------
        UserError
            The library is unknown, or not installed.
        """
        columns = {
            "url": [self.url] * self.segments,
            "text": [self.page.segment_text(segment) for segment in range(self.segments)],
            "chars": self.page.segment_chars.tolist(),
        }
        return frame_of(columns | self.verdict.columns(), library)

    def _repr_html_(self) -> str:
        from detemplate.output.notebook import result_html

        return result_html(self.page, self.verdict, self.method, self.template_share)

    @cached_property
    def sections(self) -> list[list[int]] | None:
        """The sections of the page: the numbers of the segments of each section.

        Sections are in the order of their first segments. Each segment is in one section; segments that the
        method knows nothing about are in one section together. None if the method has no sections.
        """
        if self.verdict.sections is None:
            return None
        sections: dict[int, list[int]] = {}
        for segment, start in enumerate(self.verdict.sections.tolist()):
            sections.setdefault(start, []).append(segment)
        return list(sections.values())

    def _section_rows(self, sections: list[list[int]]) -> list[dict[str, object]]:
        scores, template = self.verdict.scores, self.verdict.template
        return [
            {
                "text": " ".join(self.page.segment_text(segment) for segment in section),
                "score": round(float(scores[section[0]]), 4),
                "template": bool(template[section[0]]),
            }
            for section in sections
        ]

    def as_dict(
        self,
        format: Format | Sequence[Format] | None = None,  # noqa: A002  # the word of the command line
        *,
        explain: bool | None = None,
        metadata: bool | Literal["basic", "none"] | None = None,
    ) -> dict[str, object]:
        """Return the page as an output record, as ``detemplate clean`` writes it.

        Parameters
        ----------
        format
            ``"text"``, ``"html"`` or ``"markdown"``, or several of them: the renderings, and the keys that
            hold them.
        explain
            Whether to add ``removed``, the removed segments with scores and reasons; ``kept``, the same of
            segments that only a rule of ``keep`` has saved, if there are any; and for methods with sections
            ``sections``, each with ``text``, ``score`` and ``template``.
        metadata
            Whether to add the fields of :attr:`metadata`. ``title`` is then the page's own title, without the
            name of its site; else it is the text of the ``title`` element.

        Returns
        -------
        dict
            Values by key. None for an argument: as was said where the result was made
            (:attr:`rendering`), by default text with metadata.

        Raises
        ------
        UserError
            For an unknown format.
        """
        own = self.rendering
        names = own.format if format is None else formats_of(format)
        explain = own.explain if explain is None else explain
        told = (
            self.metadata.as_dict() if with_metadata(own.metadata if metadata is None else metadata) else {}
        )
        row: dict[str, object] = {
            "url": self.url,
            "site": self.site,
            **told,
            "title": told.get("title") or self.title,
            **{name: getattr(self, name) for name in names},
            "template_share": round(self.template_share, 6),
            "segments": self.segments,
            "template_segments": self.template_segments,
            "method": self.method,
        }
        if explain:
            row["removed"] = self.removed()
            saved = (self.judged.template & ~self.verdict.template).nonzero()[0].tolist()
            if saved:
                row["kept"] = [self.explained(segment) for segment in saved]
            if self.sections is not None:
                row["sections"] = self._section_rows(self.sections)
        return row


def carry(row: dict[str, object], carried: Mapping[str, object]) -> None:
    """Add an input record's other keys to an output record; a key that exists there becomes ``source_…``."""
    for key, value in carried.items():
        while key in row:
            key = f"source_{key}"  # noqa: PLW2901
        row[key] = value
