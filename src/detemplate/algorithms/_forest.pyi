from typing import Any

def sums(
    table: Any, uses: Any, columns: Any, limits: Any, lefts: Any, lasts: Any, values: Any
) -> Any: ...
