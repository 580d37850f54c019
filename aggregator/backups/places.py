"""Data that depends on the machine: the paths of uploaded files, and the key that decrypts credentials."""

from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from harvesting.models import Draft, Feed
from harvesting.models.sealed import sealed_columns
from harvesting.registry import uploads
from harvesting.registry.credentials import unseal
from harvesting.types import TransportError


def moved_uploads(folder: Path) -> int:
    """Change the paths of uploads in feeds and drafts to those on this machine. Return how many were changed.

    folder: AGGREGATOR_DATA on the machine of the backup.
    """
    return _moved(Feed.objects.all(), "base_url", folder) + _moved(Draft.objects.all(), "upload", folder)


def _moved(rows: QuerySet[Any], column: str, folder: Path) -> int:
    old_prefix = f"{folder / 'uploads'}/"
    stored = rows.filter(**{f"{column}__startswith": old_prefix}).values_list("pk", column)
    new_folder = uploads.folder()
    changes = [(pk, str(new_folder / path.removeprefix(old_prefix))) for pk, path in stored]
    for pk, path in changes:
        rows.filter(pk=pk).update(**{column: path})
    return len(changes)


def unopened_logins() -> int:
    """Return the number of stored credentials and other secrets that the keys of this machine cannot decrypt."""
    return sum(
        not _opens(bytes(sealed))
        for model, name in sealed_columns()
        for sealed in model._base_manager.exclude(**{name: b""}).values_list(name, flat=True)
    )


def _opens(sealed: bytes) -> bool:
    try:
        unseal(sealed)
    except TransportError:
        return False
    return True
