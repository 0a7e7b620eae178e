from typing import Any

def write_codes(
    text_array: Any, codes_array: Any, widths_array: Any, written_array: Any, begins_array: Any
) -> None: ...
def keep_symbols(array_array: Any, begins_array: Any) -> int: ...
def common_prefixes(text_array: Any, suffixes_array: Any) -> Any: ...
def close_intervals(
    suffixes_array: Any,
    prefixes_array: Any,
    before_array: Any,
    document_array: Any,
    documents: int,
    min_documents: int,
    min_length: int,
) -> int: ...
