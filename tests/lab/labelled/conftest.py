"""The fixture ``labelled_data``: a folder of labelled sets."""

from tests.support.made_sets import labelled_data

__all__ = ["labelled_data"]
