"""Checks against the official XML schemas of a folder: the operator's, or those that are shipped here."""
