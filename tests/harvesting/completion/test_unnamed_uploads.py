"""Uploads that no row names are deleted: a process was killed between storing a file and writing its row."""

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from harvesting import dispatcher
from harvesting.completion.retention import UNNAMED_KEPT, discard_unnamed_uploads
from harvesting.models import Draft, Push
from harvesting.registry import uploads
from tests.harvesting.pushes.pushed import pushing_feed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def stored(name: str) -> str:
    return uploads.store(SimpleUploadedFile(name, b"abc"))


def test_only_old_uploads_that_no_row_names_are_discarded():
    feed = pushing_feed()
    feed.base_url = stored("feed.csv")
    feed.save()
    draft = Draft.objects.create(owner=get_user_model().objects.create_user("taro"), upload=stored("draft.csv"))
    push = Push.objects.create(feed=feed, content=Push.Content.WHOLE, size=3, file=stored("push.csv"))
    lost = stored("lost.csv")
    assert discard_unnamed_uploads(timezone.now() + UNNAMED_KEPT / 2) == 0
    assert discard_unnamed_uploads(timezone.now() + UNNAMED_KEPT * 2) == 1
    assert set(uploads.stored_uploads()) == {feed.base_url, draft.upload, push.file}
    assert lost not in uploads.stored_uploads()


def test_upkeep_discards_them(monkeypatch):
    stored("lost.csv")
    later = timezone.now() + UNNAMED_KEPT * 2
    monkeypatch.setattr(timezone, "now", lambda: later)
    dispatcher.upkeep()
    assert uploads.stored_uploads() == []
