"""Benchmarks, run by hand with `python3 run.py bench NAME`. RESULTS.md has the figures measured so far."""
