"""The merged catalogue: matching, merging, search, public pages, provision. Also the project package."""

__version__ = "0.1.0"  # the same as in pyproject.toml; written into backups and exports
