"""Secrets in all tables: a change of keys encrypts every one of them again, and none is exported."""

from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import models

from aggregator.backups.restoring import unopened_logins
from aggregator.models import Library
from aggregator.transfer.tables import HIDDEN, LEFT_OUT
from harvesting.models import Feed, Repository
from harvesting.models.sealed import SealedField, sealed_columns
from harvesting.registry.credentials import seal, unseal
from tests.aggregator.transfer.filled import fill

WORDS = ("secret", "credential", "password")


@pytest.fixture
def sealed(db, settings, tmp_path: Path) -> int:
    """Rows in every table that has secrets, encrypted with a single key. Returns the number of secrets."""
    settings.DATA_DIR, settings.CREDENTIALS_KEYS = tmp_path, [Fernet.generate_key().decode()]
    fill(list(dict.fromkeys([User, Repository, Library, *(model for model, _name in sealed_columns())])))
    return sum(model._base_manager.update(**{name: seal(f"秘密 {name}")}) for model, name in sealed_columns())


def test_after_a_change_of_keys_the_old_one_is_not_needed(sealed, settings):
    new = Fernet.generate_key().decode()
    settings.CREDENTIALS_KEYS = [new, *settings.CREDENTIALS_KEYS]
    call_command("rotate_credentials")
    settings.CREDENTIALS_KEYS = [new]
    assert unopened_logins() == 0
    for model, name in sealed_columns():
        found = model._base_manager.values_list(name, flat=True)
        assert [unseal(bytes(secret)) for secret in found] == [f"秘密 {name}"] * 2


def test_a_secret_that_no_key_decrypts_is_reported_and_nothing_is_changed(sealed, settings):
    with_lost = Feed.objects.order_by("pk").last()
    Feed.objects.filter(pk=with_lost.pk).update(credentials=Fernet(Fernet.generate_key()).encrypt(b"x"))
    settings.CREDENTIALS_KEYS = [Fernet.generate_key().decode(), *settings.CREDENTIALS_KEYS]
    with pytest.raises(CommandError, match=f"harvesting.Feed {with_lost.pk}:"):
        call_command("rotate_credentials")
    settings.CREDENTIALS_KEYS = settings.CREDENTIALS_KEYS[1:]
    assert unopened_logins() == 1


def test_every_column_that_is_called_a_secret_is_sealed():
    fields = [field for model in apps.get_models() for field in model._meta.concrete_fields]
    named = {field for field in fields if isinstance(field, models.BinaryField) and any(w in field.name for w in WORDS)}
    assert named == {field for field in fields if isinstance(field, SealedField)}
    assert named


def test_no_secret_is_in_an_export_of_everything():
    for model, name in sealed_columns():
        assert model._meta.label in LEFT_OUT or name in HIDDEN[model._meta.label]
