r"""The process that fuzzes guided by coverage; :mod:`benchmarks.fuzz_guided` starts it.

    python -m benchmarks.support.guided TARGET CHOICE FOLDER [OPTION OF LIBFUZZER ...] CORPUS|INPUT ...

atheris rewrites the package's bytecode as it is imported, so nothing of the package may be imported at the
top of this module. libFuzzer ends the process: with exit code 0, or another after a fault.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(target: str, choice: str, folder: str, given: list[str]) -> None:
    """Fuzz."""
    import atheris

    # Modules that are imported while inputs run are instrumented too.
    with atheris.instrument_imports(include=["detemplate"]):
        from benchmarks.support.guidedchecks import CHECKS
        from detemplate.detectors.registry import DETECTORS, detector_class

        check = CHECKS[target]
        for name in DETECTORS:
            detector_class(name)  # imported now: it takes longer than an input may

        def run(data: bytes) -> None:
            check(data, choice, Path(folder))

        # Instrumented, because libFuzzer wants some coverage of its first, empty input.
        atheris.Setup([sys.argv[0], *given], atheris.instrument_func(run))
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
