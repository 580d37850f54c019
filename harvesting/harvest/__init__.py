"""Harvest runs from start to outcome: reading the list, storing its batches, and stopping or resuming by people."""
