"""The laboratory: the papers' experiments, labelled sets, peers, training of ``auto``, browser layouts.

It imports the package, never the reverse, and is not in the wheel: ``python -m lab.NAME`` from a checkout.
"""
