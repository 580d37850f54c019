"""Pages for what readers keep: their list, a result set as a file, alerts."""
