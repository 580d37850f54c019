"""The pages of harvesting outside the admin, one module or folder per subject."""
