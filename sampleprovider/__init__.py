"""A sample provider for demos, trials, tests and benchmarks, well-behaved or with faults on purpose.

Serves loopback only; no Django, no database.
"""
