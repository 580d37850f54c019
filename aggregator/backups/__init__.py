"""Backup of a whole site in one file, and restoring it. For the contents see `manifest` and docs/how-to/back-up.md.

A backup contains neither the search index, which is rebuilt, nor any key. Keep a copy of the file `credentials_key`
elsewhere: without it the providers' passwords in a backup cannot be read.
"""

from aggregator.backups.history import LastBackup, copy_age, last_backup

__all__ = ["LastBackup", "copy_age", "last_backup"]
