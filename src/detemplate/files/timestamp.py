"""The time now, as files state it."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def utc_now() -> str:
    """Return the time now (UTC, ISO 8601), or that of SOURCE_DATE_EPOCH, which makes files reproducible."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    timestamp = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
    return timestamp.strftime("%Y-%m-%dT%H:%M:%SZ")
