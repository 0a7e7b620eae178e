"""Layouts of pages in a browser, stored for methods that ask for them: ``python -m lab.layouts``."""
