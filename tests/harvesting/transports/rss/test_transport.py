"""The RSS transport against a server: which feed is read, how runs resume, and what absence means."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from harvesting.types import TransportError
from tests.harvesting.fakeserver import Answer, FakeServer, Request, serving
from tests.harvesting.transports.feeds import answer, codes, harvest, identifiers, item, rss, transport


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def test_every_item_becomes_a_record_identified_by_its_link(server):
    server.answers(answer(rss(item(1), item(2))))
    (batch,) = harvest(transport(server))
    assert [record.identifier for record in batch.records] == [f"https://opac.example.jp/bib/{n}" for n in (1, 2)]
    assert batch.records[0].datestamp == "2022-02-16T14:19:50Z"
    assert batch.is_last
    assert not batch.exhaustive
    assert datetime.now(UTC) - batch.response_date < timedelta(minutes=1)


def test_a_full_run_reads_the_feed_of_all_items_and_is_exhaustive(server):
    server.answers(answer(rss(item(1))))
    full = transport(server, full_url=f"{server.url}/all")
    (batch,) = harvest(full, full=True)
    assert batch.exhaustive
    harvest(full)
    assert [request.path for request in server.requests] == ["/all", "/feed"]


def test_a_full_run_without_a_feed_of_all_items_is_not_exhaustive(server):
    server.answers(answer(rss(item(1))))
    (batch,) = harvest(transport(server), full=True)
    assert not batch.exhaustive


def test_an_unchanged_feed_gives_no_records(server):
    def reply(request: Request) -> Answer:
        is_unchanged = request.headers.get("if-none-match") == '"7"' and "if-modified-since" in request.headers
        feed = answer(rss(item(1)), ETag='"7"', Last_Modified="Sun, 22 Nov 2026 03:00:00 GMT")
        return Answer(status=304) if is_unchanged else feed

    server.answer = reply
    (first,) = harvest(transport(server))
    (second,) = harvest(transport(server), memory=first.memory)
    assert (len(first.records), len(second.records), second.is_last) == (1, 0, True)
    assert second.memory == first.memory
    assert len(harvest(transport(server), memory=first.memory, full=True)[0].records) == 1


def test_a_large_feed_is_read_in_batches_and_resumes_after_any_of_them(server):
    server.answers(answer(rss(*(item(n) for n in range(450)))))
    batches = harvest(transport(server))
    assert [len(batch.records) for batch in batches] == [200, 200, 50]
    resumed = harvest(transport(server), resumption_token=batches[0].resumption_token)
    assert identifiers(resumed) == identifiers(batches)[200:]
    assert {batch.complete_list_size for batch in batches} == {450}


def test_a_feed_that_has_changed_is_read_from_its_start(server):
    server.answers(answer(rss(*(item(n) for n in range(450)))))
    token = harvest(transport(server))[0].resumption_token
    server.answers(answer(rss(item("new"), *(item(n) for n in range(450)))))
    assert len(identifiers(harvest(transport(server), resumption_token=token))) == 451


def test_the_pages_of_a_feed_are_followed(server):
    def reply(request: Request) -> Answer:
        page = int(request.arguments.get("page", 1))
        next_link = f'<atom:link rel="next" href="/feed?page={page + 1}"/>' if page < 3 else ""
        return answer(rss(item(page), channel=next_link))

    server.answer = reply
    batches = harvest(transport(server, full_url=f"{server.url}/feed"), full=True)
    assert identifiers(batches) == ["1", "2", "3"]
    assert [batch.exhaustive for batch in batches] == [False, False, True]
    assert identifiers(harvest(transport(server), resumption_token=batches[0].resumption_token)) == ["2", "3"]


@pytest.mark.parametrize("next_url", ["/feed", "/feed?page={}"])
def test_pages_that_go_in_circles_raise_rss_loop(server, next_url):
    server.answer = lambda request: answer(
        rss(item(1), channel=f'<atom:link rel="next" href="{next_url.format(len(server.requests))}"/>')
    )
    with pytest.raises(TransportError) as caught:
        harvest(transport(server))
    assert (caught.value.code, caught.value.permanent) == ("rss.loop", True)


def test_a_next_page_on_another_server_is_not_requested(server):
    server.answers(answer(rss(item(1), channel='<atom:link rel="next" href="http://127.0.0.2/feed"/>')))
    batches = harvest(transport(server, full_url=f"{server.url}/feed"), full=True)
    assert codes(batches) == ["rss.next_elsewhere"]
    assert not batches[-1].exhaustive


def test_hub_and_topic_are_remembered(server):
    links = (
        '<atom:link rel="hub" href="https://hub.example/"/><atom:link rel="self" href="https://opac.example.jp/rss"/>'
    )
    server.answers(answer(rss(item(1), channel=links)))
    memory = harvest(transport(server))[0].memory
    assert (memory["hub"], memory["topic"]) == ("https://hub.example/", "https://opac.example.jp/rss")
    server.answers(answer(rss(item(1)), Link='<https://h.example/>; rel="hub"'))
    assert harvest(transport(server))[0].memory["hub"] == "https://h.example/"


def test_a_single_record_is_found_by_its_link(server):
    server.answers(answer(rss(item(1), item(2))))
    (batch,) = harvest(transport(server), identifier="https://opac.example.jp/bib/2")
    assert identifiers([batch]) == ["2"]
    with pytest.raises(TransportError) as caught:
        harvest(transport(server), identifier="https://opac.example.jp/bib/9")
    assert caught.value.code == "rss.no_item"


def test_a_truncated_feed_is_requested_again(server):
    complete = rss(item(1), item(2))
    server.answers(answer(complete[:-40]), answer(complete))
    assert identifiers(harvest(transport(server, tries=3))) == ["1", "2"]


def test_the_same_damage_twice_is_permanent(server):
    server.answers(answer(rss(item(1), item(2))[:-40]))
    with pytest.raises(TransportError) as caught:
        harvest(transport(server, tries=4))
    assert (caught.value.code, caught.value.permanent, len(server.requests)) == ("rss.cut", True, 2)


def test_the_error_for_a_web_page_gives_its_title(server):
    server.answers(answer("<!DOCTYPE html><html><head><title>Maintenance</title></head><body/></html>"))
    with pytest.raises(TransportError) as caught:
        harvest(transport(server))
    assert (caught.value.code, caught.value.facts["found"]) == ("rss.not_feed", "Maintenance")


def test_a_server_error_is_not_an_empty_feed(server):
    server.answers(Answer(status=500))
    with pytest.raises(TransportError) as caught:
        harvest(transport(server))
    assert (caught.value.code, caught.value.permanent) == ("http.500", False)


@pytest.mark.parametrize("date", ["Fri, 31 Dec 9999 23:59:59 -1200", "Mon, 01 Jan 0101 00:00:00 +9999", "soon", ""])
def test_a_date_that_cannot_be_is_as_none(server, date):
    body = rss(item(1)).encode()
    head = f"HTTP/1.1 200 OK\r\nDate: {date}\r\nContent-Type: text/xml\r\nContent-Length: {len(body)}\r\n\r\n"
    server.answers(Answer(raw=lambda out: out.write(head.encode() + body)))
    assert identifiers(harvest(transport(server))) == ["1"]


def test_identify_returns_the_channels_title(server):
    server.answers(answer(rss(item(1))))
    rss_transport = transport(server)
    assert (rss_transport.identify().repository_name, rss_transport.identify().deleted_record) == ("新着図書", "no")
    assert [metadata_format.prefix for metadata_format in rss_transport.metadata_formats()] == ["rss"]
    assert rss_transport.sets() == ()
