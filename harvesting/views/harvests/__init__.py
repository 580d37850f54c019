"""Pages about harvests: the lists, the page of one harvest, its actions and files."""
