"""An experiment as a command, and how its report is written into a folder."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.errors import DetemplateError
from lab.harness.charts import require_matplotlib, save_charts
from lab.harness.command import Parser
from lab.harness.common import make_folder, write_results
from lab.harness.made import Made
from lab.harness.tables import join_sections
from lab.labelled.bootstrap import Estimate

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Report:
    """What an experiment found: `rows` for ``table.csv``, `record` for ``results.json``, charts by name."""

    intro: str
    sections: Sequence[str]
    rows: Sequence[Mapping[str, object]]
    charts: Mapping[str, Figure]
    record: Mapping[str, object] = field(default_factory=dict)
    note: str = ""

    def markdown(self, made: Made) -> str:
        """Write ``table.md``; it says how it was made."""
        return join_sections(self.intro, "\n\n".join(filter(None, (self.note, made.sentence))), self.sections)

    def write(self, out: Path, made: Made) -> list[Path]:
        """Write all files into a folder and return them."""
        texts = {
            "table.md": self.markdown(made),
            "table.csv": csv_text(self.rows),
            "results.json": plain({"made": made, **self.record, "rows": self.rows}),
        }
        return write_results(out, texts, lambda folder: save_charts(self.charts.items(), folder))


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment: the command ``python -m lab.NAME``."""

    name: str
    about: str | None  # its description, as ``--help`` shows it
    options: Callable[[Parser], object] | Mapping[str, Any]  # adds options; or what `add_experiment` takes
    measure: Callable[[Namespace], Report]  # measures with the chosen options, and reports
    example: str = "--out results/"  # an example of options

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Run the command and print the names of the written files; return the exit code."""
        chosen = self._parser().read(arguments)
        for path in self._run(chosen, chosen.command):
            print(path)
        return 0

    def run(self, out: Path, **options: object) -> list[Path]:
        """Run the experiment with options by destination; others have their defaults. Return the files."""
        chosen = self._parser().parse_args([])
        for name, value in {"out": out, **options}.items():
            if not hasattr(chosen, name):
                message = f"{self.name} has no option {name}"
                raise TypeError(message)
            setattr(chosen, name, value)
        given = ", ".join(f"{name}={value!r}" for name, value in options.items() if name != "data")
        return self._run(chosen, f"lab.{self.name}: EXPERIMENT.run(out, {given})")

    def _parser(self) -> Parser:
        example = f"example:\n  python -m lab.{self.name} {self.example}\n"
        parser = Parser(f"lab.{self.name}", self.about, example)
        if isinstance(self.options, Mapping):
            parser.add_experiment(**self.options)
        else:
            self.options(parser)
        return parser

    def _run(self, chosen: Namespace, command: str) -> list[Path]:
        require_matplotlib()
        out: Path = chosen.out
        new = not out.exists()
        make_folder(out)
        made = Made.now(command)  # before the run: the code may change meanwhile
        try:
            report = self.measure(chosen)
        except DetemplateError:
            if new:
                out.rmdir()
            raise
        return report.write(out, made)


def plain(value: Any) -> Any:  # noqa: ANN401
    """Convert a value to what JSON can represent: six decimals, None for NaN, named tuples as mappings."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        return None if math.isnan(value) else value if math.isinf(value) else round(value, 6)
    if isinstance(value, Estimate):
        return [plain(part) for part in value]
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return value


def csv_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Write rows as CSV: six decimals, an empty cell for None and NaN, three columns for an `Estimate`."""
    flat = []
    for row in rows:
        cells: dict[str, object] = {}
        for name, value in row.items():
            if isinstance(value, Estimate):
                cells |= {name: value.mean, f"{name} low": value.low, f"{name} high": value.high}
            elif not isinstance(value, Mapping | list | tuple | np.ndarray):
                cells[name] = value
        flat.append(plain(cells))
    text = io.StringIO()
    writer = csv.DictWriter(text, dict.fromkeys(name for row in flat for name in row), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()
