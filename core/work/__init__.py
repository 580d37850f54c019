"""Background work: jobs, workers, child processes."""
