"""The command ``detemplate``, and ``python -m detemplate``: signals are heard before anything else is loaded."""

from __future__ import annotations

import sys

from detemplate.errors import Stopped
from detemplate.run.stopping import Stop


def main() -> int:
    """Run the command; return its exit code."""
    try:
        with Stop() as stop:
            from detemplate.cli import main as command

            code = command()
            stop.close(for_good=True)
            return code
    except Stopped as stopped:  # before the command has begun
        print(f"detemplate: interrupted; {stopped.advice}", file=sys.stderr)
        return 128 + stopped.number


if __name__ == "__main__":
    sys.exit(main())
