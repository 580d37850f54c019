"""Copies of a whole site in one file, and the way back. What is in such a file: see `manifest`; docs/backup.md.

The search index is not in it (it is built anew), and no key: a copy of the file `credentials_key` is kept elsewhere,
without it the passwords of providers in a backup cannot be read.
"""

from aggregator.backups.notes import LastBackup, last_backup

__all__ = ["LastBackup", "last_backup"]
