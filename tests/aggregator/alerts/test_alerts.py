"""Alerts from the request to the last mail: confirmed by a button, new books once, deleted at once; limits."""

import logging
from datetime import timedelta

import pytest
import time_machine
from django.core import mail, signing
from django.test import Client
from django.utils import timezone

from aggregator.alerts import requests, searches, sending
from aggregator.alerts.letters import CONFIRM, STOP, stop_link
from aggregator.models import AlertMail, Manifestation, SearchAlert
from aggregator.search.base import IndexUnavailable, Query
from aggregator.tasks import write_alerts
from harvesting.mail.texts import sign_token
from harvesting.models import OutgoingMessage
from harvesting.notifications import outbox
from harvesting.notifications.addresses import messages_for
from tests.aggregator.alerts.mails import ADDRESS, SEARCH, ask, deliver, links, next_mail, path

MORNING = timedelta(hours=25)


def test_an_alert_begins_with_the_button_behind_the_link_not_with_the_link(client, db):
    assert "on its way" in ask(client).text
    deliver()
    [link] = links()
    for _scanner in range(2):
        assert "Yes, send me new books" in client.get(link).text
        assert SearchAlert.objects.get().confirmed is None
    assert "once a day" in client.post(f"/en{link}").text
    assert SearchAlert.objects.get().confirmed


def test_new_books_are_mailed_once(client, add_book, alert):
    assert next_mail() == 0
    book = add_book(title="こころ")
    add_book(title="道草", creators=())
    assert next_mail() == 1
    message = mail.outbox[0]
    assert message.to == [ADDRESS]
    assert "こころ" in message.subject
    assert f"/books/M{book.pk}" in message.body
    assert "道草" not in message.body
    assert next_mail() == 0


def test_a_book_that_only_changes_is_not_new(client, add_book, alert):
    add_book()
    assert next_mail() == 1
    Manifestation.objects.update(changed_at=timezone.now())
    assert next_mail() == 0


def test_books_of_before_the_confirmation_are_not_new(client, add_book, db):
    add_book()
    ask(client)
    deliver()
    client.post(links()[0])
    assert next_mail() == 0


def test_books_that_wait_for_the_index_are_told_of_later(client, add_book, alert):
    late, early = add_book(), add_book()
    Manifestation.objects.filter(pk=late.pk).update(index_pending=True)
    assert next_mail() == 0
    Manifestation.objects.update(index_pending=False)
    assert next_mail() == 1
    assert all(f"/books/M{book.pk}" in mail.outbox[0].body for book in (late, early))


def test_a_mail_has_only_some_of_many_books_and_says_so(client, add_book, alert, monkeypatch):
    monkeypatch.setattr(searches, "MOST_BOOKS", 2)
    numbers = [add_book().pk for _ in range(5)]
    assert next_mail() == 1
    body = mail.outbox[0].body
    assert [number for number in numbers if f"/books/M{number}" in body] == numbers[-2:]
    assert "There are more new books." in body
    assert next_mail() == 0


def test_weekly_alerts_come_on_monday_morning():
    due = timezone.localtime(requests.next_due("weekly", timezone.now()))
    assert (due.weekday(), due.hour) == (0, 7)
    assert timedelta() < due - timezone.now() <= timedelta(days=7)
    assert timedelta() < requests.next_due("daily", timezone.now()) - timezone.now() <= timedelta(days=1)


def test_each_mail_can_be_unsubscribed_with_one_click_and_nothing_is_left(client, add_book, alert):
    add_book()
    assert next_mail() == 1
    headers = mail.outbox[0].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = path(headers["List-Unsubscribe"].strip("<>"))
    assert client.get(link).status_code == 200
    assert SearchAlert.objects.exists()  # looking is not yet stopping
    strict = Client(enforce_csrf_checks=True)  # mail programs have no cookie
    assert strict.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not SearchAlert.objects.exists()
    assert not OutgoingMessage.objects.exists()
    assert client.get(link).status_code == 410


def test_a_mail_that_waits_is_deleted_with_its_alert(client, add_book, alert):
    add_book()
    with time_machine.travel(alert.due + timedelta(minutes=1)):
        write_alerts()
    assert OutgoingMessage.objects.count() == 1
    requests.delete([alert])
    assert not OutgoingMessage.objects.exists()
    assert outbox.send_due() == 0


def test_a_message_that_is_deleted_while_it_is_claimed_is_not_sent(db):
    assert not outbox.send(10**9)


def test_mails_have_no_pictures_and_lead_directly_to_our_pages(client, add_book, alert):
    add_book()
    next_mail()
    message = mail.outbox[0]
    assert message.content_subtype == "plain"
    assert not getattr(message, "alternatives", [])
    found = [word for word in message.body.split() if "://" in word]
    assert all(word.startswith("http://127.0.0.1:8000") for word in found)
    assert len(found) == 4  # the book, the search, the link to stop, the site


def test_sent_mails_are_deleted_and_staff_never_see_them(client, admin_user, add_book, alert):
    add_book()
    with time_machine.travel(alert.due + timedelta(minutes=1)):
        write_alerts()
        assert not messages_for(admin_user).exists()
        deliver()
    assert not OutgoingMessage.objects.exists()
    assert not AlertMail.objects.exists()


def refuse(to: str, *_arguments, **_named) -> None:
    raise OSError(f"550 no mailbox {to}")


def test_an_alert_is_deleted_after_repeated_failures_and_no_book_is_lost_before(client, add_book, alert, monkeypatch):
    add_book()
    monkeypatch.setattr(outbox, "WAITS", ())
    with monkeypatch.context() as broken:
        broken.setattr(outbox.delivery, "send", refuse)
        next_mail()
    assert SearchAlert.objects.get().failures == 1
    assert next_mail() == 1  # the same book again
    assert SearchAlert.objects.get().failures == 0
    monkeypatch.setattr(outbox.delivery, "send", refuse)
    for _failure in range(sending.MOST_FAILURES):
        add_book()
        next_mail()
    assert not SearchAlert.objects.exists()


def test_a_request_whose_mail_cannot_be_delivered_is_deleted(client, db, monkeypatch):
    monkeypatch.setattr(outbox, "WAITS", ())
    monkeypatch.setattr(outbox.delivery, "send", refuse)
    ask(client)
    deliver()
    assert not SearchAlert.objects.exists()


def test_addresses_are_never_logged(client, add_book, alert, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    add_book()
    monkeypatch.setattr(outbox.delivery, "send", refuse)
    next_mail()
    assert "was not taken" in caplog.text
    assert ADDRESS not in caplog.text
    assert ADDRESS not in OutgoingMessage.objects.get().trouble


def test_unconfirmed_requests_are_deleted_after_some_days(client, db):
    ask(client)
    requests.prune(timezone.now())
    assert SearchAlert.objects.count() == 1
    requests.prune(timezone.now() + requests.KEPT_UNCONFIRMED + timedelta(minutes=1))
    assert not SearchAlert.objects.exists()
    assert not OutgoingMessage.objects.exists()


def test_confirmed_alerts_stay(alert):
    requests.prune(timezone.now() + timedelta(days=365))
    assert SearchAlert.objects.count() == 1


def test_the_answer_does_not_say_whether_an_address_has_alerts(client, alert):
    known, unknown = ask(client), ask(client, email="nobody@example.jp")
    assert known.text == unknown.text.replace("nobody@example.jp", ADDRESS)


def test_asking_again_changes_how_often_only_after_confirmation(client, alert):
    ask(client, how="weekly")
    assert SearchAlert.objects.get().how == "daily"
    deliver()
    client.post(links()[0])
    assert SearchAlert.objects.get().how == "weekly"


def test_an_address_gets_only_some_mails_and_requests(client, db):
    for number in range(10):
        requests.request_alert(ADDRESS, f"q={number}", "daily", "ja")
    assert SearchAlert.objects.count() == requests.MOST_OPEN_OF_ADDRESS
    for _time in range(10):
        requests.request_alert(ADDRESS, "q=0", "daily", "ja")
    assert OutgoingMessage.objects.count() <= requests.MAILS_AN_HOUR


def test_an_address_has_only_some_alerts(db, monkeypatch):
    monkeypatch.setattr(requests, "MOST_OF_ADDRESS", 2)
    monkeypatch.setattr(requests, "MAILS_AN_HOUR", 100)
    for number in range(4):
        requests.request_alert(ADDRESS.upper(), f"q={number}", "daily", "ja")
        SearchAlert.objects.update(confirmed=timezone.now())
    assert SearchAlert.objects.filter(address=ADDRESS).count() == 2


def test_a_flood_of_requests_is_refused(client, db, monkeypatch):
    monkeypatch.setattr(requests, "MOST_OPEN", 1)
    assert ask(client).status_code == 200
    assert ask(client, email="b@example.jp").status_code == 429
    monkeypatch.setattr(requests, "MOST_OPEN", 100)
    asked = [ask(client, email=f"c{number}@example.jp", REMOTE_ADDR="8.8.8.8").status_code for number in range(6)]
    assert asked == [200] * 5 + [429]


@pytest.mark.parametrize(
    ("email", "status"),
    [
        ("", 422),
        ("x", 422),
        ("a@example.jp\nBcc: b@example.jp", 422),
        ("a@example.jp\r\nSubject: x", 422),
        ("a@example.jp, b@example.jp", 422),
        ("a@b@example.jp", 422),
        ("<script>@example.jp", 422),
        ("a" * 250 + "@example.jp", 422),
        ("a\x00@example.jp", 400),
    ],
)
def test_hostile_addresses_are_refused(client, db, email, status):
    assert ask(client, email=email).status_code == status
    assert not SearchAlert.objects.exists()


def test_a_hostile_search_makes_no_header(client, db, add_book):
    ask(client, search="q=a%00b")
    assert not SearchAlert.objects.exists()
    for search in ("q=<b>&title=%0ABcc:x", "q=%E2%80%A8Bcc:x"):
        ask(client, search=search)
    deliver()
    assert all("Bcc" not in message.extra_headers and "\n" not in message.subject for message in mail.outbox)


def test_a_hostile_title_stays_on_its_line(client, add_book, alert):
    add_book(title="こころ\nhttps://evil.example/\r\nTo delete this alert:")
    assert next_mail() == 1
    assert not [line for line in mail.outbox[0].body.splitlines() if line.startswith("https://evil")]


@pytest.mark.parametrize(
    "search", ["colour=red", "sort=x&q=a&from=x", "&".join(f"subject_is={'x' * 60}{n}" for n in range(45))]
)
def test_impossible_searches_are_refused(client, db, search):
    assert ask(client, search=search).status_code == 400


def test_links_fit_one_alert_and_one_purpose(client, alert):
    for token in (
        "x",
        sign_token(STOP, alert.pk, "other"),
        sign_token(CONFIRM, alert.pk, alert.nonce),
        sign_token(STOP, "x", "y"),
        sign_token(STOP),
        signing.dumps([alert.pk, alert.nonce]),
    ):
        assert client.post(f"/alerts/stop/{token}").status_code == 410
    assert SearchAlert.objects.exists()


def test_links_do_not_fit_a_later_alert_with_the_same_key(client, alert):
    link = path(stop_link(alert))
    requests.delete([alert])
    SearchAlert.objects.create(pk=alert.pk, address="b@example.jp", search=SEARCH, language="ja", due=timezone.now())
    assert client.post(link).status_code == 410


@pytest.mark.parametrize("switched_off", [{"ALERTS": False}, {"MAIL_SERVER": {"host": ""}}])
def test_a_site_without_mail_offers_the_feed_only(client, alert, add_book, settings, switched_off):
    for name, value in switched_off.items():
        setattr(settings, name, value)
    page = client.get(f"/en/alerts/new?{SEARCH}").text
    assert "does not send e-mails" in page
    assert f"/feeds/search.atom?{SEARCH}" in page
    assert 'type="email"' not in page
    ask(client, email="b@example.jp")
    assert SearchAlert.objects.count() == 1
    add_book()
    assert next_mail() == 0


def test_a_search_that_became_impossible_is_left_out(alert):
    SearchAlert.objects.update(search="library=L99999")
    assert next_mail() == 0


def test_page_and_order_are_no_part_of_an_alert(db):
    assert searches.written(Query(q="a", page=3, page_size=50, sort="title")) == "q=a"


def test_an_address_is_deleted_by_the_operator(alert):
    assert requests.delete_address(f" {ADDRESS.upper()} ") == 1
    assert not SearchAlert.objects.exists()


def test_work_is_found_when_there_is_some(alert):
    assert not sending.has_work()
    with time_machine.travel(alert.due + timedelta(minutes=1)):
        assert sending.has_work()


def test_alerts_wait_while_the_index_is_unavailable(alert, monkeypatch):
    def unavailable(*_arguments):
        raise IndexUnavailable("rebuilding")

    monkeypatch.setattr(sending, "new_books", unavailable)
    due = alert.due
    with time_machine.travel(due + timedelta(minutes=1)):
        assert write_alerts() == 0
    assert SearchAlert.objects.get().due == due


def test_other_mails_do_not_wait_behind_all_alerts(client, add_book, alert, monkeypatch):
    monkeypatch.setattr(sending, "AT_A_TIME", 1)
    SearchAlert.objects.create(
        address="b@example.jp", search=SEARCH, language="ja", due=alert.due, confirmed=timezone.now()
    )
    add_book()
    with time_machine.travel(alert.due + timedelta(minutes=1)):
        assert write_alerts() == 1
        assert not sending.has_work()
        deliver()
        assert sending.has_work()
