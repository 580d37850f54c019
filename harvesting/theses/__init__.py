"""Doctoral theses that the NDL collects: which there are, whether they are complete, and what was handed over."""
