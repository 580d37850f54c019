"""From pairs to groups: partition, doubts, works."""
