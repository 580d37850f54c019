"""Live search: what a catalogue that is asked while a reader waits can take, and what it answers. No network access."""
