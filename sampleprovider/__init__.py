"""A well-behaved provider for demos, trials, tests and benchmarks. Serves loopback only; no Django, no database."""
