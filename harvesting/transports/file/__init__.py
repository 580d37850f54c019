"""Uploaded files and files at an address: XML, MARC, JSON, tables."""
