"""Live search: converts a question into a request to a live source, and reads the answer. No network access.

A live source (横断検索先) is a catalogue that is not harvested but searched while a reader waits. `aggregator.live`
sends the requests.
"""
