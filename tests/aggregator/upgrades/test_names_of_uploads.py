"""Uploads of earlier versions, whose paths were stored, are found by their names."""

from importlib import import_module

import pytest
from django.apps import apps

from harvesting.models import Feed, Repository

MIGRATION = import_module("harvesting.migrations.0039_names_of_uploads")
HEX = "0a" * 16


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"/var/lib/aggregator/uploads/{HEX}/目録.csv", f"uploads/{HEX}/目録.csv"),
        (f"/uploads/{HEX}/a.xml", f"uploads/{HEX}/a.xml"),
        (f"/srv/{HEX}/a.xml", f"/srv/{HEX}/a.xml"),
        (f"/srv/uploads/{HEX}/b/a.xml", f"/srv/uploads/{HEX}/b/a.xml"),
        (f"https://opac.example.jp/uploads/{HEX}/a.xml", f"https://opac.example.jp/uploads/{HEX}/a.xml"),
    ],
)
def test_paths_become_names(before, after):
    repository = Repository.objects.create(number="R900000001", name="見本")
    feed = Feed.objects.create(repository=repository, protocol="file", base_url=before)
    MIGRATION.name_uploads(apps, None)
    feed.refresh_from_db()
    assert feed.base_url == after
