"""Measurements, run by hand: each file is one command that prints its figures and how it got them."""
