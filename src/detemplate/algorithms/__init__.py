"""Algorithms on numbers and arrays, some compiled. None of them knows of web pages."""
