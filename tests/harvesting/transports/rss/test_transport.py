"""The RSS transport against a server: which feed is asked, how it is resumed, what it concludes."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer, Asked, FakeServer, serving
from tests.harvesting.transports.feeds import answer, batches, codes, identifiers, item, rss, transport


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def test_every_item_becomes_a_record_known_by_its_link(server):
    server.answers(answer(rss(item(1), item(2))))
    (batch,) = batches(transport(server))
    assert [record.identifier for record in batch.records] == [f"https://opac.example.jp/bib/{n}" for n in (1, 2)]
    assert batch.records[0].datestamp == "2022-02-16T14:19:50Z"
    assert batch.is_last
    assert not batch.exhaustive
    assert datetime.now(UTC) - batch.response_date < timedelta(minutes=1)


def test_a_full_run_asks_the_feed_of_everything_and_sees_all(server):
    server.answers(answer(rss(item(1))))
    full = transport(server, full_url=f"{server.url}/all")
    (batch,) = batches(full, full=True)
    assert batch.exhaustive
    batches(full)
    assert [asked.path for asked in server.asked] == ["/all", "/feed"]


def test_a_full_run_without_a_feed_of_everything_concludes_nothing_from_absence(server):
    server.answers(answer(rss(item(1))))
    (batch,) = batches(transport(server), full=True)
    assert not batch.exhaustive


def test_a_feed_that_has_not_changed_gives_nothing(server):
    def reply(asked: Asked) -> Answer:
        known = asked.headers.get("if-none-match") == '"7"' and "if-modified-since" in asked.headers
        feed = answer(rss(item(1)), ETag='"7"', Last_Modified="Sun, 22 Nov 2026 03:00:00 GMT")
        return Answer(status=304) if known else feed

    server.answer = reply
    (first,) = batches(transport(server))
    (second,) = batches(transport(server), memory=first.memory)
    assert (len(first.records), len(second.records), second.is_last) == (1, 0, True)
    assert second.memory == first.memory
    assert len(batches(transport(server), memory=first.memory, full=True)[0].records) == 1


def test_a_large_feed_comes_in_parts_and_goes_on_where_it_stopped(server):
    server.answers(answer(rss(*(item(n) for n in range(450)))))
    found = batches(transport(server))
    assert [len(batch.records) for batch in found] == [200, 200, 50]
    rest = batches(transport(server), resumption_token=found[0].resumption_token)
    assert identifiers(rest) == identifiers(found)[200:]
    assert {batch.complete_list_size for batch in found} == {450}


def test_a_feed_that_changed_meanwhile_is_read_from_its_start(server):
    server.answers(answer(rss(*(item(n) for n in range(450)))))
    token = batches(transport(server))[0].resumption_token
    server.answers(answer(rss(item("new"), *(item(n) for n in range(450)))))
    assert len(identifiers(batches(transport(server), resumption_token=token))) == 451


def test_the_pages_of_a_feed_are_followed(server):
    def reply(asked: Asked) -> Answer:
        page = int(asked.arguments.get("page", 1))
        following = f'<atom:link rel="next" href="/feed?page={page + 1}"/>' if page < 3 else ""
        return answer(rss(item(page), channel=following))

    server.answer = reply
    found = batches(transport(server, full_url=f"{server.url}/feed"), full=True)
    assert identifiers(found) == ["1", "2", "3"]
    assert [batch.exhaustive for batch in found] == [False, False, True]
    assert identifiers(batches(transport(server), resumption_token=found[0].resumption_token)) == ["2", "3"]


@pytest.mark.parametrize("following", ["/feed", "/feed?page={}"])
def test_pages_that_go_in_circles_are_a_named_failure(server, following):
    server.answer = lambda asked: answer(
        rss(item(1), channel=f'<atom:link rel="next" href="{following.format(len(server.asked))}"/>')
    )
    with pytest.raises(TransportError) as caught:
        batches(transport(server))
    assert (caught.value.code, caught.value.permanent) == ("rss.loop", True)


def test_a_page_on_another_server_is_not_asked(server):
    server.answers(answer(rss(item(1), channel='<atom:link rel="next" href="http://127.0.0.2/feed"/>')))
    found = batches(transport(server, full_url=f"{server.url}/feed"), full=True)
    assert codes(found) == ["rss.next_elsewhere"]
    assert not found[-1].exhaustive


def test_hub_and_topic_are_remembered(server):
    links = (
        '<atom:link rel="hub" href="https://hub.example/"/><atom:link rel="self" href="https://opac.example.jp/rss"/>'
    )
    server.answers(answer(rss(item(1), channel=links)))
    memory = batches(transport(server))[0].memory
    assert (memory["hub"], memory["topic"]) == ("https://hub.example/", "https://opac.example.jp/rss")
    server.answers(answer(rss(item(1)), Link='<https://h.example/>; rel="hub"'))
    assert batches(transport(server))[0].memory["hub"] == "https://h.example/"


def test_one_record_is_found_by_its_link(server):
    server.answers(answer(rss(item(1), item(2))))
    (batch,) = batches(transport(server), identifier="https://opac.example.jp/bib/2")
    assert identifiers([batch]) == ["2"]
    with pytest.raises(TransportError) as caught:
        batches(transport(server), identifier="https://opac.example.jp/bib/9")
    assert caught.value.code == "rss.no_item"


def test_a_feed_that_was_cut_once_is_asked_for_again(server):
    whole = rss(item(1), item(2))
    server.answers(answer(whole[:-40]), answer(whole))
    assert identifiers(batches(transport(server, tries=3))) == ["1", "2"]


def test_the_same_damage_twice_is_final(server):
    server.answers(answer(rss(item(1), item(2))[:-40]))
    with pytest.raises(TransportError) as caught:
        batches(transport(server, tries=4))
    assert (caught.value.code, caught.value.permanent, len(server.asked)) == ("rss.cut", True, 2)


def test_a_web_page_is_named(server):
    server.answers(answer("<!DOCTYPE html><html><head><title>Maintenance</title></head><body/></html>"))
    with pytest.raises(TransportError) as caught:
        batches(transport(server))
    assert (caught.value.code, caught.value.facts["found"]) == ("rss.not_feed", "Maintenance")


def test_a_server_error_is_no_empty_feed(server):
    server.answers(Answer(status=500))
    with pytest.raises(TransportError) as caught:
        batches(transport(server))
    assert (caught.value.code, caught.value.permanent) == ("http.500", False)


def test_the_channel_says_who_it_is(server):
    server.answers(answer(rss(item(1))))
    asked = transport(server)
    assert (asked.identify().repository_name, asked.identify().deleted_record) == ("新着図書", "no")
    assert [each.prefix for each in asked.metadata_formats()] == ["rss"]
    assert asked.sets() == ()
