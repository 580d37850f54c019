"""Measures of the matcher on data with truth, and the training of its weights."""
