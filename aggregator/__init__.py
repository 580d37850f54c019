"""The merged catalogue: matching, merging, search, public pages, provision. Also the project package."""
