"""Commands that measure quality, speed and memory: ``python -m benchmarks.<name>``.

Each module of this folder is a command. What they share is in :mod:`lab.harness` and
:mod:`benchmarks.support`; what they measured, in ``results/``. The quality floors are in ``floors.json``.
"""
