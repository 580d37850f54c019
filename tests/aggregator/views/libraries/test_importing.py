"""Staff import a list of libraries after a preview."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from aggregator.models import Library
from aggregator.views.libraries import importing

pytestmark = pytest.mark.django_db
PAGE = "/manage/libraries/import"
TEXT = "isil,name,FAX\nJP-1000001,=見本館,06\n"


def upload(staff, content: bytes, **more: str):
    return staff.post(PAGE, {"upload": SimpleUploadedFile("l.csv", content), **more})


def test_a_list_is_imported_after_the_preview(staff):
    page = upload(staff, TEXT.encode("cp932")).content.decode()
    assert "New: 1. Changed: 0. Unchanged: 0. With errors: 0." in page
    assert "ignored: FAX" in page
    assert not Library.objects.exists()
    assert staff.post(PAGE, {"text": TEXT, "do-import": "1"}).status_code == 302
    assert Library.objects.get().name == "=見本館"


def test_the_preview_names_fields_and_values_in_words(staff):
    text = "isil,name,prefecture\nJP-1000001,館,27\nJP-1000002,本館,27\n"
    staff.post(PAGE, {"text": text, "do-import": "1"})
    listed = b"isil,prefecture,kind,lends,parent\nJP-1000001,13,special,no,JP-1000002\n"
    page = upload(staff, listed).content.decode()
    assert "Branch of: <ins>ISIL=JP-1000002</ins>" in page
    assert "Prefecture: <del>Osaka</del> → <ins>Tokyo</ins>" in page
    assert "Kind of library: <ins>special library</ins>" in page
    assert "Lends to other libraries: <del>" not in page and "<ins>no</ins>" in page


def test_importing_an_export_changes_nothing(staff):
    staff.post(PAGE, {"text": TEXT, "do-import": "1"})
    content = staff.get("/manage/libraries/export.csv").content
    assert "'=見本館" in content.decode()
    assert "New: 0. Changed: 0. Unchanged: 1." in upload(staff, content).content.decode()


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"", "Choose a file"), (b"name\nA\n", "no column with codes"), (b"isil,name,kind\nJP-1,A,x\n", "Line 2")],
)
def test_an_error_is_told_and_nothing_is_stored(staff, content, told):
    assert told in upload(staff, content, **{"do-import": "1"}).content.decode()
    assert not Library.objects.exists()


def test_a_file_that_is_too_large_is_refused(staff, monkeypatch):
    monkeypatch.setattr(importing, "LARGEST", 30)
    assert "too large" in upload(staff, TEXT.encode()).content.decode()


def test_librarians_may_not_import(librarian):
    assert librarian.get(PAGE).status_code == 403
    assert librarian.get("/manage/libraries/export.csv").status_code == 403
