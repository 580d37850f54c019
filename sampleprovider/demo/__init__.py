"""The providers of `run.py demo`: three small ones with faults, and the large ones with many real books."""
