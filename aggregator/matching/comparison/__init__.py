"""Comparison of two records: evidence, weights, decision."""
