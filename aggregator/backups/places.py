"""What in the database depends on the machine: where uploads are, and which key opens logins."""

from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from harvesting.models import Draft, Feed
from harvesting.models.sealed import sealed_columns
from harvesting.registry import uploads
from harvesting.registry.credentials import open_sealed
from harvesting.types import TransportError


def moved_uploads(folder: Path) -> int:
    """Feeds and drafts of uploads name them where they are here. folder: AGGREGATOR_DATA where they were; how many."""
    return _moved(Feed.objects.all(), "base_url", folder) + _moved(Draft.objects.all(), "upload", folder)


def _moved(rows: QuerySet[Any], column: str, folder: Path) -> int:
    before = f"{folder / 'uploads'}/"
    found = rows.filter(**{f"{column}__startswith": before}).values_list("pk", column)
    here = uploads.folder()
    moved = [(pk, str(here / path.removeprefix(before))) for pk, path in found]
    for pk, path in moved:
        rows.filter(pk=pk).update(**{column: path})
    return len(moved)


def unopened_logins() -> int:
    """How many stored logins and other secrets the keys of this machine do not open."""
    return sum(
        not _opens(bytes(sealed))
        for model, name in sealed_columns()
        for sealed in model._base_manager.exclude(**{name: b""}).values_list(name, flat=True)
    )


def _opens(sealed: bytes) -> bool:
    try:
        open_sealed(sealed)
    except TransportError:
        return False
    return True
