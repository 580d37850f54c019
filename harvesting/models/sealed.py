"""The kind of column that holds a secret. Knows no keys: see `harvesting.registry.credentials`."""

from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.db import models


class SealedField(models.BinaryField[bytes, bytes]):
    """What `credentials.seal` gave, or b"" for none. Every secret is in such a column: so new keys find all of them."""

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("default", bytes)
        super().__init__(*args, **options)

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """As the database has it: bytes, so that migrations need not know of it."""
        name, _path, positional, options = super().deconstruct()
        return name, "django.db.models.BinaryField", positional, options


def sealed_columns() -> list[tuple[type[models.Model], str]]:
    """Every column of every table that holds a secret."""
    fields = [(model, field) for model in apps.get_models() for field in model._meta.concrete_fields]
    return [(model, field.name) for model, field in fields if isinstance(field, SealedField)]
