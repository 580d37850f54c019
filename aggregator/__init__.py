"""The merged catalogue: matching, merging, search, public pages, provision. Also the project package."""

__version__ = "0.1.0"  # as pyproject.toml has it; a backup and an export say which program wrote them
