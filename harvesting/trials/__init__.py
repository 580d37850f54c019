"""Trials of a provider that store no records: protocol detection, probe, self-test and its report."""
