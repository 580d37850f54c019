"""Figures by day and the daily known-item search: what is counted, and when staff are alarmed."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from aggregator.erasing import surroundings
from aggregator.erasing.begin import begin
from aggregator.jobs import JOBS
from aggregator.live import known_item
from aggregator.live.known_item import check_all, due
from aggregator.live.measuring import BOUNDS, KEPT, Outcome, counted, forget, note, quantile
from aggregator.live.report import health_of, reports
from aggregator.live.sources import catalogues
from aggregator.models import LiveDay, LiveState
from aggregator.tasks import check_live_catalogues
from harvesting.models import NotificationEvent
from harvesting.notifications.wording import sentence
from tests.aggregator.live.conftest import found, record, registered
from tests.aggregator.views.records_with_issues import person
from tests.harvesting.fakeserver import Answer

pytestmark = pytest.mark.django_db


def days_later(number: int, monkeypatch) -> None:
    today = timezone.localdate() + timedelta(days=number)
    monkeypatch.setattr(known_item.timezone, "localdate", lambda *moment: today)


def test_latency_is_counted_by_class():
    latency: list[int] = []
    for milliseconds in (1, 100, 101, 2999, 3001, 99999):
        latency = counted(latency, milliseconds / 1000)
    assert latency == [2, 1, 0, 0, 0, 1, 2]
    assert (quantile(latency, 0.5), quantile(latency, 0.95), quantile([], 0.5)) == (250, 2 * BOUNDS[-1], 0)


def test_errors_are_counted_by_kind_and_old_days_forgotten(source):
    for code in ("", "", "net.timeout", "http.500", "net.timeout"):
        note(source.pk, Outcome(0.3, code))
    day = LiveDay.objects.get()
    assert (day.calls, day.answered, day.errors) == (5, 2, {"net.timeout": 2, "http.500": 1})
    assert forget(timezone.now()) == 0
    assert forget(timezone.now() + KEPT + timedelta(days=2)) == 1


def test_a_known_item_is_searched_once_a_day(db, server):
    registered(server, known_item="こころ")
    assert [one.number for one in due()] == ["R900000101"]
    assert check_all() == 1
    assert (due(), check_all(), len(server.requests)) == ([], 0, 1)
    assert "こころ" in server.requests[0].arguments["query"]
    assert LiveState.objects.get().checks_failed == 0
    assert LiveDay.objects.get().answered == 1


def test_two_failures_in_a_row_are_an_alarm_and_the_third_is_not_another(db, server, monkeypatch):
    registered(server, known_item="こころ")
    server.answers(found([]), Answer(status=500), Answer(status=500), found([record("こころ")]))
    for day, events in enumerate((0, 1, 1, 1)):
        days_later(day, monkeypatch)
        check_all()
        assert NotificationEvent.objects.filter(kind="live.failing").count() == events
    event = NotificationEvent.objects.get(kind="live.failing")
    assert (event.facts["code"], event.facts["days"]) == ("http.500", 2)
    state = LiveState.objects.get()
    assert (state.checks_failed, state.check_failure) == (0, "")


def test_without_a_known_item_a_catalogue_only_has_to_answer(source, server):
    server.answers(found([]))
    check_all()
    assert LiveState.objects.get().checks_failed == 0


def test_a_catalogue_that_searches_titles_only_is_asked_for_titles(db, server):
    made = registered(server, protocol="live-json", known_item="こころ 漱石", items="hits", fields={"t": "title"})
    made.feeds.update(base_url=f"{server.url}/find?t={{title}}")
    server.answers(Answer(b'{"hits": [{"t": "x"}]}', headers={"Content-Type": "application/json"}))
    check_all()
    assert server.requests[0].arguments["t"] == "こころ 漱石"
    assert LiveState.objects.get().check_failure == ""


def test_a_catalogue_with_only_a_link_is_not_checked(db, server):
    registered(server, protocol="live-link").feeds.update(base_url="https://x.example/?q={searchTerms}")
    assert due() == []


def test_the_dispatcher_has_it_done(source, server):
    (job,) = [job for job in JOBS if job.kind == "live"]
    assert list(job.waiting())
    check_live_catalogues()
    assert not list(job.waiting())


def test_the_report_says_how_a_catalogue_goes(source, server):
    now = timezone.now()
    (catalogue,) = catalogues()
    assert health_of(catalogue, now) == "untried"
    note(source.pk, Outcome(0.2))
    for _failure in range(3):
        note(source.pk, Outcome(3.5, "net.timeout", {"url": "https://x.example/"}))
    (catalogue,) = catalogues()
    (report,) = reports([catalogue], now)
    assert (report.health, report.calls, report.share) == ("paused", 4, 25)
    assert report.failure
    ((sentence_of_error, count),) = report.errors
    assert count == 3
    assert "/sru" in sentence_of_error
    assert report.by_day
    assert report.by_latency


@pytest.mark.parametrize(("language", "name"), [("ja", "外国図書館01"), ("en", "Foreign Library 01")])
def test_the_page_of_staff_shows_every_catalogue_with_plots(client, django_user_model, source, language, name):
    client.force_login(django_user_model.objects.create_superuser("admin"))
    note(source.pk, Outcome(0.2))
    note(source.pk, Outcome(3.2, "net.timeout", {"url": "https://x.example/<b>"}))
    text = client.get("/manage/live/", headers={"accept-language": language}).text
    assert name in text
    assert text.count('<figure class="plot">') == 2
    assert "<b>x" not in text
    overview = client.get("/manage/", headers={"accept-language": "en"}).text
    assert "live search keep" not in overview
    LiveState.objects.update(checks_failed=2, check_failure="live.nothing_found")
    assert "1 live source keeps failing" in client.get("/manage/", headers={"accept-language": "en"}).text


def test_everybody_sees_on_the_pages_of_providers_whether_a_catalogue_answers(client, source):
    english = {"accept-language": "en"}
    assert "Last answer" not in client.get("/repositories/", headers=english).text
    note(source.pk, Outcome(0.2))
    for address in ("/repositories/", f"/repositories/{source.number}"):
        text = client.get(address, headers=english).text
        assert "Last answer" in text
        assert "out of order" not in text
    LiveState.objects.update(checks_failed=2)
    assert "out of order" in client.get(f"/repositories/{source.number}", headers=english).text


def test_the_page_about_privacy_says_that_words_are_sent(client, source, settings):
    english = {"accept-language": "en"}
    assert "If you choose" in client.get("/privacy", headers=english).text
    settings.LIVE_ALWAYS = True
    assert "also sent to other catalogues" in client.get("/privacy", headers=english).text
    settings.LIVE_MINUTES = 0
    assert "other catalogues" not in client.get("/privacy", headers=english).text


def test_the_alarm_is_worded_in_both_languages(db, server, monkeypatch):
    registered(server, known_item="こころ")
    server.answers(found([]))
    for day in range(2):
        days_later(day, monkeypatch)
        check_all()
    event = NotificationEvent.objects.get()
    for language, words in (("ja", "2 日続けて失敗しました"), ("en", "2 days in a row")):
        with translation.override(language):
            text = sentence(event)
            assert words in text
            assert "/manage/live/" in text
            assert "%(" not in text


def test_a_librarian_sees_the_catalogues_of_their_own_providers(client, source, server):
    other = registered(server, "R900000102")
    client.force_login(person("kei", other))
    text = client.get("/manage/live/", headers={"accept-language": "en"}).text
    assert "Foreign Library 02" in text
    assert "Foreign Library 01" not in text


def test_erasing_a_provider_erases_the_notes_about_it(source):
    note(source.pk, Outcome(0.2, "net.dns", {"url": "https://x.example/"}))
    surroundings.erase(begin(source, None, "wish"))
    assert not LiveState.objects.exists()
    assert not LiveDay.objects.exists()
