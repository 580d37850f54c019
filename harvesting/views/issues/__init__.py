"""Pages about issues: by rule, one rule, actions, files, letters."""
