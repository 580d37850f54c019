"""Checks against the official XML schemas of an operator's folder."""
