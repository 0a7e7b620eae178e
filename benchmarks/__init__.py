"""Commands that measure quality, speed and memory: ``python -m benchmarks.<name>``.

Each module of this folder is a command, but :mod:`lab.harness.command`, which all of them use. What they need
beside it is in :mod:`benchmarks.support`; what they measured, in ``results/``. The quality floors are in
``floors.json``.
"""
