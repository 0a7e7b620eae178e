"""``python -m detemplate``."""

import sys

from detemplate.cli import main

sys.exit(main())
