"""Readers report errors in a book; robots cannot."""

from datetime import timedelta

import pytest
from django.utils import timezone

from aggregator.models import ErrorReport
from aggregator.presentation.error_report_form import OLDEST, stamp
from aggregator.views.public import error_report

EN = {"accept-language": "en"}


@pytest.fixture
def source(shelf, library):
    made = shelf.record(library)
    shelf.book(made)
    return made


@pytest.fixture
def send(client, source, time_machine):
    """Send the form, by default as a person does: half a minute after it was opened."""

    def posted(seconds: int = 30, **values):
        start = timezone.now()
        time_machine.move_to(start, tick=False)
        filled = {"kind": "description", "text": "出版年が違います。", "email": "", "website": ""}
        data = filled | {"stamp": stamp(source.public_id)} | values
        time_machine.move_to(start + timedelta(seconds=seconds), tick=False)
        return client.post(f"/books/{source.public_id}/report", data, headers=EN)

    return posted


def test_a_report_is_stored_with_its_record_and_the_reader_is_thanked(client, send, source):
    answer = send(email="reader@example.jp")
    assert answer.status_code == 302
    assert "Thank you" in client.get(answer["Location"], headers=EN).text
    [row] = ErrorReport.objects.all()
    assert (row.public_id, row.title, row.kind) == (source.public_id, "こころ", "description")
    assert (row.text, row.email) == ("出版年が違います。", "reader@example.jp")


def test_the_book_links_to_the_form_and_the_form_is_not_cached(client, source):
    assert f'href="/books/{source.public_id}/report"' in client.get(f"/books/{source.public_id}").text
    form = client.get(f"/books/{source.public_id}/report", headers=EN)
    assert "no-store" in form["Cache-Control"]
    assert 'name="stamp"' in form.text


def test_a_report_with_the_hidden_field_filled_is_dropped(send):
    assert send(website="https://spam.example").status_code == 302
    assert not ErrorReport.objects.exists()


@pytest.mark.parametrize("seconds", [0, OLDEST + 5])
def test_a_form_sent_too_early_or_too_late_must_be_sent_again(send, seconds):
    answer = send(seconds=seconds)
    assert answer.status_code == 400
    assert "send it again" in answer.text
    assert "出版年が違います。" in answer.text
    assert not ErrorReport.objects.exists()


@pytest.mark.parametrize(
    "values",
    [{"text": "  "}, {"text": "x"}, {"kind": "nothing"}, {"email": "no"}, {"stamp": "made up"}, {"text": "あ" * 2001}],
)
def test_errors_are_shown_and_nothing_is_stored(send, values):
    answer = send(**values)
    assert answer.status_code == 400
    assert "The report has not been sent yet." in answer.text
    assert not ErrorReport.objects.exists()


def test_a_stamp_of_another_record_is_refused(send):
    assert send(stamp=stamp("R900000001-Iother")).status_code == 400


def test_the_same_report_sent_twice_is_stored_once(send):
    send()
    send()
    assert ErrorReport.objects.count() == 1


def test_too_many_reports_are_refused_with_the_text_kept(send, monkeypatch):
    monkeypatch.setattr(error_report, "MOST_IN_AN_HOUR", 1)
    send(text="はじめの知らせ")
    answer = send(text="次の知らせです")
    assert answer.status_code == 429
    assert "次の知らせです" in answer.text


def test_an_unknown_record_has_no_form(client, shelf):
    assert client.get("/books/R900000001-Iabcdefghijklmnop/report").status_code == 404


def test_markup_in_a_report_is_shown_as_text_to_staff(admin_client, send):
    send(text="<script>alert(1)</script> ここが違う")
    page = admin_client.get("/admin/aggregator/errorreport/").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def test_staff_mark_a_report_as_handled(admin_client, send):
    send()
    [row] = ErrorReport.objects.all()
    data = {"action": "mark_handled", "_selected_action": [str(row.pk)]}
    admin_client.post("/admin/aggregator/errorreport/", data)
    row.refresh_from_db()
    assert row.handled is not None
    assert row.handled_by.is_superuser
