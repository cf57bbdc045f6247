"""s2s beside hand-written adjoints and other systems: `python -m benchmarks`."""
