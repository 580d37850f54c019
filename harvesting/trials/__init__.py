"""Trials that store nothing: probe, self-test, protocol check."""
