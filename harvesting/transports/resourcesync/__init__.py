"""Harvesting by ResourceSync 1.1: lists, changes, dumps and the linking of metadata."""
