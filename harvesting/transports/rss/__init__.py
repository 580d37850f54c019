"""Harvesting of RSS and Atom feeds."""
