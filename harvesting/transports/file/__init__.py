"""Harvesting of files, uploaded or at an address: XML, MARC, JSON and tables."""
