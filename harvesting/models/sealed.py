"""The column type for secrets. It does no encryption itself: see `harvesting.registry.credentials`."""

from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.db import models


class SealedField(models.BinaryField[bytes, bytes]):
    """A secret encrypted by `credentials.seal`, or b"" for none.

    Every secret of the database must be in such a column, so that a change of keys finds all of them.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("default", bytes)
        super().__init__(*args, **options)

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """Deconstruct as a BinaryField, so that migrations do not depend on this class."""
        name, _path, positional, options = super().deconstruct()
        return name, "django.db.models.BinaryField", positional, options


def sealed_columns() -> list[tuple[type[models.Model], str]]:
    """The (model, field name) of every column, in any table, that holds a secret."""
    fields = [(model, field) for model in apps.get_models() for field in model._meta.concrete_fields]
    return [(model, field.name) for model, field in fields if isinstance(field, SealedField)]
