"""Pages about issues: the lists, their actions and files, the letter to a provider."""
