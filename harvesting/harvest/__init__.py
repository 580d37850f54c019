"""A harvest from its start to its outcome: the run, its batches, its control by people."""
