"""Handing DOIs over to JaLC: once, whatever it answers, and whatever happens in between."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from harvesting.doi import deliveries
from harvesting.doi.deliveries import NotReady, prepare, prepare_automatically, resolve, seal_login, work_off
from harvesting.doi.states import check_changed
from harvesting.models import DoiAgreement, DoiDelivery, DoiEvent, RequestedDoi
from harvesting.records.compression import unpack_payload
from tests.harvesting.doi.fake_jalc import FakeJalc, answer, result, running
from tests.harvesting.doi.papers import harvest, new_provider, paper, states
from tests.harvesting.fakeserver import Answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def jalc(settings) -> Iterator[FakeJalc]:
    settings.HARVEST_ALLOWED_NETWORKS, settings.HARVEST_MIN_PAUSE = ["127.0.0.0/8"], 0
    with running() as fake:
        settings.JALC_URL = fake.server.url
        yield fake


@pytest.fixture
def agreement() -> DoiAgreement:
    """Of a provider with two papers, both ready, after a dry run."""
    feed = new_provider(hand_over="api", credentials=seal_login("user", "secret-word"))
    harvest(feed, paper("a"), paper("b"))
    check_changed()
    found = DoiAgreement.objects.get()
    prepare(found, rehearsal=True)
    return found


def go_on() -> None:
    """Do the next steps now, without waiting."""
    DoiDelivery.objects.filter(ended_at=None).update(due=timezone.now())
    work_off()
    check_changed()


def newest() -> DoiDelivery:
    return DoiDelivery.objects.filter(rehearsal=False).first()


def test_dois_are_sent_once_and_their_result_is_asked_for(jalc, agreement):
    prepare(agreement, rehearsal=False)
    go_on()
    assert states() == {"a": "sent", "b": "sent"}
    assert (newest().state, newest().number) == ("sent", "1")
    go_on()  # no result yet
    assert states() == {"a": "sent", "b": "sent"}
    jalc.worked_off, jalc.refused = True, {"10.14977/b"}
    go_on()
    assert states() == {"a": "registered", "b": "refused"}
    assert "E12" in RequestedDoi.objects.get(doi="10.14977/b").message
    assert jalc.sent == ["a", "b"]
    prepare(agreement, rehearsal=False)
    go_on()
    assert jalc.sent == ["a", "b"]
    history = DoiEvent.objects.filter(requested_doi__doi="10.14977/a").values_list("state", flat=True)
    assert list(history) == ["ready", "sent", "registered"]


def test_only_what_has_changed_is_sent_again(jalc, agreement):
    jalc.worked_off = True
    prepare(agreement, rehearsal=False)
    go_on()
    go_on()
    feed = agreement.repository.feeds.get()
    harvest(feed, paper("a", issued="1908"), paper("b"), datestamp="2026-01-11T00:00:00Z")
    check_changed()
    assert states() == {"a": "changed", "b": "registered"}
    assert prepare_automatically() == 1
    go_on()
    go_on()
    assert (jalc.sent, states()) == (["a", "b", "a"], {"a": "registered", "b": "registered"})


def test_a_record_that_changes_while_its_result_is_awaited_is_sent_again(jalc, agreement):
    prepare(agreement, rehearsal=False)
    go_on()
    harvest(agreement.repository.feeds.get(), paper("a", issued="1908"), datestamp="2026-01-11T00:00:00Z")
    check_changed()
    assert states()["a"] == "sent"
    assert prepare(agreement, rehearsal=False) == []
    jalc.worked_off = True
    go_on()
    assert states() == {"a": "changed", "b": "registered"}


def test_nothing_is_sent_before_a_dry_run(jalc, agreement):
    rehearsal = DoiDelivery.objects.get()
    assert b"<doi>10.14977/a</doi>" in unpack_payload(bytes(rehearsal.document))
    go_on()
    assert jalc.server.requests == []
    rehearsal.delete()
    with pytest.raises(NotReady) as raised:
        prepare(agreement, rehearsal=False)
    assert raised.value.code == "dry_run"


@pytest.mark.parametrize(("change", "code"), [({"hand_over": "files"}, "off"), ({"site_id": ""}, "site_id")])
def test_a_provider_without_the_interface_sends_nothing(agreement, change, code):
    DoiAgreement.objects.update(**change)
    with pytest.raises(NotReady) as raised:
        prepare(DoiAgreement.objects.get(), rehearsal=False)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("said", "state", "dois"),
    [
        (answer("<errcd>*</errcd>"), "failed", "ready"),
        (Answer(status=503), "waiting", "ready"),
        (Answer(status=500), "uncertain", "sent"),
        (Answer(b"<html><p>maintenance</p></html>"), "uncertain", "sent"),
        (Answer(b"not XML, password=secret-word"), "uncertain", "sent"),
        (answer("<totalcnt>2</totalcnt>"), "uncertain", "sent"),
        (Answer(raw=lambda out: None), "uncertain", "sent"),
        (Answer(status=302, headers={"Location": "https://elsewhere.example.com/"}), "uncertain", "sent"),
    ],
    ids=["login", "503", "500", "page", "text", "no number", "hangs up", "redirect"],
)
def test_a_wrong_answer_never_leads_to_a_second_document_by_itself(jalc, agreement, said, state, dois):
    jalc.instead = [said]
    prepare(agreement, rehearsal=False)
    go_on()
    assert newest().state == state
    assert set(states().values()) == {dois}
    assert "secret-word" not in newest().message
    jalc.instead = []
    arrived = len(jalc.sent)
    assert prepare_automatically() == 0
    go_on()
    assert len(jalc.sent) == arrived + (2 if state == "waiting" else 0)


def test_what_was_refused_without_words_for_a_doi_is_not_taken_for_registered(jalc, agreement):
    prepare(agreement, rehearsal=False)
    go_on()
    twice = result("10.14977/A") + result("10.14977/a", "9", "<errmsg>locked</errmsg>") + result("10.99999/strange")
    jalc.instead = [answer("<status>1</status>", twice)]
    go_on()
    assert states() == {"a": "refused", "b": "refused"}
    messages = dict(RequestedDoi.objects.values_list("doi", "message"))
    assert "locked" in messages["10.14977/a"]
    assert messages["10.14977/b"] == deliveries.NOT_MENTIONED
    assert "10.99999/strange" in newest().message


def test_a_question_that_fails_is_asked_again_and_finally_left_to_a_person(jalc, agreement):
    prepare(agreement, rehearsal=False)
    go_on()
    for said in (Answer(status=500), Answer(b"?"), Answer(raw=lambda out: None)):
        jalc.instead = [said]
        go_on()
        assert newest().state == "sent"
    DoiDelivery.objects.update(sent_at=timezone.now() - timedelta(days=15))
    go_on()
    assert newest().state == "uncertain"
    assert jalc.sent == ["a", "b"]


@pytest.mark.parametrize(("arrived", "state"), [(True, "registered"), (False, "ready")])
def test_a_person_settles_what_is_uncertain(jalc, agreement, arrived, state):
    jalc.instead = [Answer(status=500)]
    prepare(agreement, rehearsal=False)
    go_on()
    assert resolve(newest(), arrived=arrived)
    assert not resolve(newest(), arrived=arrived)
    check_changed()
    assert states() == {"a": state, "b": state}
    assert len(prepare(agreement, rehearsal=False)) == (0 if arrived else 1)
