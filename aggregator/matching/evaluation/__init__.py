"""Evaluation of the matcher on data with known groups, and training of its weights."""
