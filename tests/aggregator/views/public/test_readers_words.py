"""A reader says on the page of reasons whether two records are the same book; robots and floods get nowhere."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from aggregator.grouping.aggregate import aggregate_pending
from aggregator.models import ErrorReport
from aggregator.presentation.error_report_form import OLDEST, stamp, stamp_pair
from aggregator.review.readers_words import sender
from aggregator.views.public import error_report
from harvesting.models import SourceRecord
from tests.aggregator.shelves import Shelf, doubtful
from tests.books import record

pytestmark = pytest.mark.django_db
ISBN = "9784003101018"
EN = {"accept-language": "en"}
STAMP = re.compile(r'name="stamp" value="([^"]*)"')


@pytest.fixture
def pair() -> tuple[str, str]:
    """The ids of two records of one group, in order."""
    shelf = Shelf()
    first, second = (shelf.put(f"library {name}", name, record(name, isbn=ISBN)).public_id for name in "12")
    sum(aggregate_pending())
    return min(first, second), max(first, second)


@pytest.fixture
def say(pair, client, time_machine):
    """Open the page, press a button half a minute later: say(word, remark=…, reader=client, seconds=…)."""

    def said(word: str, reader: Client = client, seconds: int = 30, **fields: str):
        start = timezone.now()
        time_machine.move_to(start, tick=False)
        html = reader.get(f"/books/{pair[0]}/why", headers=EN).text
        data = {"word": word, "stamp": unescape(STAMP.search(html)[1]), "remark": "", "website": ""} | fields
        time_machine.move_to(start + timedelta(seconds=seconds), tick=False)
        return reader.post(f"/books/{pair[0]}/why", data, headers=EN)

    return said


def words() -> list[tuple[str, str]]:
    return list(ErrorReport.objects.order_by("pk").values_list("kind", "text"))


def test_a_word_is_stored_for_the_pair_and_the_reader_is_thanked(client, say, pair):
    answer = say("not_same", remark="巻が違います")
    assert answer.status_code == 302
    html = client.get(answer["Location"], headers=EN).text
    assert "Thank you" in html and 'name="word"' not in html
    row = ErrorReport.objects.get()
    assert (row.public_id, row.other, row.kind, row.text, row.email) == (*pair, "not_same", "巻が違います", "")


def test_a_similar_record_kept_apart_can_be_called_the_same(client, time_machine):
    shelf = Shelf()
    own, other = (shelf.put(str(place), str(place), it) for place, it in enumerate(doubtful("料理入門", "乙山, 花子")))
    sum(aggregate_pending())
    html = client.get(f"/books/{own.public_id}/why").text
    time_machine.move_to(timezone.now() + timedelta(seconds=30))
    client.post(f"/books/{own.public_id}/why", {"word": "same", "stamp": unescape(STAMP.search(html)[1])})
    row = ErrorReport.objects.get()
    assert {row.public_id, row.other} == {own.public_id, other.public_id}


def test_a_reader_who_says_something_else_changes_the_first_word(say):
    say("same")
    say("not_same", remark="よく見ると別の版")
    assert words() == [("not_same", "よく見ると別の版")]


def test_two_readers_are_two_words(say):
    say("not_same")
    say("not_same", reader=Client())
    assert words() == [("not_same", ""), ("not_same", "")]


def test_what_is_stored_of_a_reader_cannot_be_compared_between_pairs(client, say, pair):
    say("same")
    stored = ErrorReport.objects.get().sender
    secret = client.cookies["csrftoken"].value
    assert len(stored) == 32 and stored not in secret and secret not in stored
    assert stored != sender(secret, (pair[0], pair[1] + "x"))


def test_a_form_with_the_hidden_field_filled_is_dropped(say):
    assert say("same", website="https://spam.example").status_code == 302
    assert words() == []


@pytest.mark.parametrize("seconds", [0, OLDEST + 5])
def test_a_form_sent_too_early_or_too_late_must_be_sent_again(say, seconds):
    answer = say("same", seconds=seconds, remark="同じ装丁です")
    assert answer.status_code == 400
    assert "send it again" in answer.text and "同じ装丁です" in answer.text
    assert words() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"stamp": "made up"},
        {"stamp": ""},
        {"remark": "あ" * 501},
        {"remark": "a\0b"},
        {"stamp": stamp("R900000001-Ix")},
    ],
)
def test_hostile_input_is_refused(say, fields):
    assert say("same", **fields).status_code == 400
    assert words() == []


@pytest.mark.parametrize("word", ["", "description", "lock", "<script>"])
def test_nothing_but_the_two_words_is_accepted(say, word):
    assert say(word).status_code == 400
    assert words() == []


def test_a_pair_that_no_page_showed_cannot_be_sent(say, settings, pair):
    settings.SECRET_KEY, real = "of another site", settings.SECRET_KEY
    forged = stamp_pair(*pair)
    settings.SECRET_KEY = real
    assert say("same", stamp=forged).status_code == 400


def test_a_form_without_its_token_is_refused(pair):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(f"/books/{pair[0]}/why", {"word": "same", "stamp": stamp_pair(*pair)}).status_code == 403


@pytest.mark.parametrize("gone", [{"deleted": True}, {"suppressed_at": timezone.now()}])
def test_a_record_deleted_meanwhile_is_named_as_the_reason(client, pair, gone, time_machine):
    data = {"word": "same", "stamp": stamp_pair(*pair)}
    SourceRecord.objects.filter(public_id=pair[1]).update(**gone)
    time_machine.move_to(timezone.now() + timedelta(seconds=30))
    answer = client.post(f"/books/{pair[0]}/why", data, headers=EN)
    assert answer.status_code == 409
    assert "no longer in the catalogue" in answer.text
    assert words() == []


def test_too_many_words_are_refused_with_the_remark_kept(say, monkeypatch):
    monkeypatch.setattr(error_report, "MOST_IN_AN_HOUR", 1)
    say("same", reader=Client())
    answer = say("not_same", remark="次の知らせです")
    assert answer.status_code == 429
    assert "次の知らせです" in answer.text
    assert len(words()) == 1


def test_a_network_cannot_send_many_words_at_once(say):
    statuses = [say("same", reader=Client(REMOTE_ADDR="198.41.0.4"), seconds=3).status_code for _time in range(6)]
    assert statuses == [302] * 5 + [429]


def test_an_address_that_claims_thanks_shows_no_text_of_its_own(client, pair):
    html = client.get(f"/books/{pair[0]}/why?sent=<script>alert(1)</script>", headers=EN).text
    assert "Thank you" in html and "<script>alert(1)" not in html


def test_the_general_form_offers_no_words_about_pairs(client, pair):
    html = client.get(f"/books/{pair[0]}/report").text
    assert 'value="not_same"' not in html
