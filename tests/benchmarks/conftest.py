"""The fixture of made labelled sets."""

from tests.support.made_sets import labelled_data

__all__ = ["labelled_data"]
