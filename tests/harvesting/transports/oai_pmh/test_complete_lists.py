"""Recognising whether a list that has ended was complete, and the observations about it."""

from collections.abc import Callable

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.transports.retries import RetryPolicy
from harvesting.types import Batch, HarvestRequest, TransportError
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer, Request
from tests.harvesting.transports.oai_provider import Arguments, FakeProvider
from tests.harvesting.transports.oai_responses import error, page, record, token, xml

REQUEST = HarvestRequest(metadata_prefix="oai_dc", full=True)
DATES = [f"20{year:02}-0{month}-11" for year in range(20, 26) for month in range(1, 6)]  # 30 records
type Right = Callable[[], Answer]


def identifiers(batches: list[Batch]) -> set[str]:
    return {record.identifier.rpartition(":")[2] for batch in batches for record in batch.records}


def incomplete_by_code(batches: list[Batch]) -> dict[str, bool]:
    """Return code of an observation -> whether it means that records may be missing."""
    return {observation.code: observation.incomplete for batch in batches for observation in batch.observations}


def without_token(answer: Answer) -> Answer:
    start, end = answer.body.find(b"<resumptionToken"), answer.body.find(b"</resumptionToken>")
    return answer if start < 0 else Answer(answer.body[:start] + answer.body[end + len(b"</resumptionToken>") :])


def with_size(answer: Answer, size: int) -> Answer:
    before, mark, rest = answer.body.partition(b'completeListSize="')
    return Answer(before + mark + str(size).encode() + rest[rest.find(b'"') :]) if mark else answer


# Missing tokens


@pytest.mark.parametrize("offset", ["10", "20"])
def test_list_that_ends_too_early_is_completed_by_windows(
    server: FakeServer, transport: OaiPmhTransport, offset: str
) -> None:
    fault = lambda arguments, right: without_token(right()) if arguments.get("offset") == offset else right()  # noqa: E731
    server.answer = FakeProvider(DATES, page_size=5, fault=fault)
    batches = list(transport.batches(REQUEST))
    assert len(identifiers(batches)) == 30
    assert incomplete_by_code(batches) == {"oai.windows": False}
    assert batches[-1].exhaustive


def test_provider_that_never_gives_a_token_is_detected_by_the_round_number_of_records(
    server: FakeServer, transport: OaiPmhTransport
) -> None:
    server.answer = FakeProvider(DATES, page_size=20, fault=lambda arguments, right: without_token(right()))
    batches = list(transport.batches(REQUEST))
    assert len(identifiers(batches)) == 30
    assert "oai.windows" in incomplete_by_code(batches)


def test_single_page_of_a_round_number_may_be_the_whole_list(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answer = provider = FakeProvider(DATES, page_size=30)
    (batch,) = transport.batches(REQUEST)
    assert (len(batch.records), batch.exhaustive, batch.observations) == (30, True, ())
    assert len(provider.requests) == 5


def test_list_that_is_short_where_dates_cannot_be_used_is_a_failure(
    server: FakeServer, transport: OaiPmhTransport
) -> None:
    def fault(arguments: Arguments, right: Right) -> Answer:
        if arguments.get("from") or arguments.get("until"):
            return error("badArgument")
        return without_token(right()) if arguments.get("offset") == "10" else right()

    server.answer = FakeProvider(DATES, page_size=5, fault=fault)
    batches: list[Batch] = []
    with pytest.raises(TransportError) as caught:
        batches.extend(transport.batches(REQUEST))
    assert (caught.value.code, caught.value.facts["received"], caught.value.facts["size"]) == ("oai.list_short", 15, 30)
    assert not any(batch.is_last or batch.exhaustive for batch in batches)


def test_short_list_of_which_all_dates_are_one_ends_with_a_gap(server: FakeServer, transport: OaiPmhTransport) -> None:
    fault = lambda arguments, right: without_token(right()) if arguments.get("offset") == "5" else right()  # noqa: E731
    server.answer = FakeProvider(["2024-05-05"] * 30, page_size=5, fault=fault)
    try:
        batches = list(transport.batches(REQUEST))
        assert [gap.code for batch in batches for gap in batch.gaps] or incomplete_by_code(batches).get(
            "oai.size_differs"
        )
    except TransportError as problem:
        assert problem.code == "oai.list_short"


# Wrong sizes


@pytest.mark.parametrize("size", [999, 33])
def test_size_that_is_too_large_is_reported_and_nothing_is_swept(
    server: FakeServer, transport: OaiPmhTransport, size: int
) -> None:
    server.answer = provider = FakeProvider(DATES, page_size=5, fault=lambda arguments, right: with_size(right(), size))
    batches = list(transport.batches(REQUEST))
    assert len(identifiers(batches)) == 30
    assert incomplete_by_code(batches) == {"oai.size_differs": True}
    assert not batches[-1].exhaustive
    assert len(provider.requests) <= 6 + 4 * 3


def test_size_of_which_one_percent_is_missing_is_only_reported(server: FakeServer, transport: OaiPmhTransport) -> None:
    records = [record(number) for number in range(1, 201)]
    server.answers(page(records[:100], token("a", 202)), page(records[100:], token("", 202)))
    assert incomplete_by_code(list(transport.batches(REQUEST))) == {"oai.size_differs": True}
    assert len(server.requests) == 2


def test_size_that_is_too_small_is_reported(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answer = FakeProvider(DATES, page_size=5, fault=lambda arguments, right: with_size(right(), 7))
    batches = list(transport.batches(REQUEST))
    assert (len(identifiers(batches)), incomplete_by_code(batches)) == (30, {"oai.size_differs": False})
    assert batches[-1].exhaustive


def test_wrong_size_is_no_failure_where_list_identifiers_agrees(server: FakeServer, transport: OaiPmhTransport) -> None:
    def fault(arguments: Arguments, right: Right) -> Answer:
        dated = arguments.get("from") or arguments.get("until")
        return error("badArgument") if dated else with_size(right(), 99)

    server.answer = FakeProvider(DATES, page_size=5, fault=fault)
    batches = list(transport.batches(REQUEST))
    assert (len(identifiers(batches)), incomplete_by_code(batches)) == (30, {"oai.size_differs": True})


def test_duplicate_records_in_place_of_skipped_ones_are_reported(
    server: FakeServer, transport: OaiPmhTransport
) -> None:
    records = [record(number) for number in range(1, 202)]
    server.answers(page(records[:100], token("a", 201)), page(records[99:200], token("", 201)))
    batches = list(transport.batches(REQUEST))
    assert (len(identifiers(batches)), incomplete_by_code(batches)) == (200, {"oai.duplicates": True})
    assert not batches[-1].exhaustive


def test_records_that_are_skipped_by_an_unstable_order_are_got_by_windows(
    server: FakeServer, transport: OaiPmhTransport
) -> None:
    provider = FakeProvider(DATES, page_size=5)
    right = provider.selected
    provider.selected = lambda arguments: [  # type: ignore[method-assign]
        4 if number == 9 and not arguments.get("from") and not arguments.get("until") else number
        for number in right(arguments)
    ]
    server.answer = provider
    batches = list(transport.batches(REQUEST))
    assert len(identifiers(batches)) == 30
    assert "oai.windows" in incomplete_by_code(batches)


# Other observations


@pytest.mark.parametrize("stamp", ["2026-01-01T00:00:00.123Z", "2026-01-01T09:00:00+09:00", "yesterday", "", "2026"])
@pytest.mark.parametrize("at", [0, 1])
def test_odd_datestamps_are_reported_and_kept(
    server: FakeServer, transport: OaiPmhTransport, stamp: str, at: int
) -> None:
    odd = record(9, header=f"<identifier>9</identifier><datestamp>{stamp}</datestamp>")
    pages = [[record(1)], [record(2)]]
    pages[at].append(odd)
    server.answers(page(pages[0], token("a")), page(pages[1]))
    batches = list(transport.batches(REQUEST))
    assert [record.datestamp for batch in batches for record in batch.records if record.identifier == "9"] == [stamp]
    assert incomplete_by_code(batches) == {"oai.datestamp": False}


def test_timestamp_in_place_of_datestamp_is_reported(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1, header="<identifier>1</identifier><timestamp>2026-01-01</timestamp>")]))
    assert incomplete_by_code(list(transport.batches(REQUEST))) == {"oai.timestamp": False}


def test_error_beside_records_is_reported(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(xml(f'<error code="badArgument">x</error><ListRecords>{record(1)}</ListRecords>'))
    batches = list(transport.batches(REQUEST))
    assert (identifiers(batches), incomplete_by_code(batches)) == ({"1"}, {"oai.error_beside_records": False})


# GET and POST, retries, blocked requests


@pytest.mark.parametrize("status", [405, 501, 414])
def test_provider_that_refuses_get_is_requested_by_post(
    server: FakeServer, transport: OaiPmhTransport, status: int
) -> None:
    provider = FakeProvider(DATES[:4])
    server.answer = lambda request: provider(request) if request.method == "POST" else Answer(status=status)
    batches = list(transport.batches(REQUEST))
    assert (len(identifiers(batches)), incomplete_by_code(batches)) == (4, {"oai.method": False})
    assert [request.method for request in server.requests] == ["GET", "POST", "POST"]


def test_feed_may_use_post(server: FakeServer) -> None:
    server.answer = FakeProvider(DATES[:4])
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        batches = list(OaiPmhTransport(f"{server.url}/oai", fetcher.fetch, method="POST").batches(REQUEST))
    assert (len(identifiers(batches)), {request.method for request in server.requests}) == (4, {"POST"})
    assert dict(server.requests[0].form) == {"verb": "ListRecords", "metadataPrefix": "oai_dc"}


def test_repetitions_of_one_reading_are_limited(server: FakeServer) -> None:
    def answer(request: Request) -> Answer:
        number = int(request.arguments.get("resumptionToken", "0"))
        if len(server.requests) % 3:
            return Answer(status=502)
        return page([record(number)], token(str(number + 1)))

    server.answer = answer
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        transport = OaiPmhTransport(f"{server.url}/oai", fetcher.fetch, RetryPolicy(sleep=lambda seconds: None))
        with pytest.raises(TransportError) as caught:
            list(transport.batches(REQUEST))
    assert (caught.value.code, caught.value.permanent) == ("http.502", False)
    assert len(server.requests) < 90


def test_bot_wall_gets_a_specific_error(server: FakeServer, transport: OaiPmhTransport) -> None:
    wall = b"<!doctype html><html><title>Making sure you&#39;re not a bot!</title></html>"
    server.answers(Answer(wall, headers={"Content-Type": "text/html"}))
    with pytest.raises(TransportError) as caught:
        list(transport.batches(REQUEST))
    assert (caught.value.code, len(server.requests)) == ("http.bot_wall", 1)


def test_only_list_records_is_needed(server: FakeServer, transport: OaiPmhTransport) -> None:
    provider = FakeProvider(DATES, page_size=5)
    provider.fault = lambda arguments, right: (
        error("badResumptionToken") if arguments.get("offset", "0") > "0" else right()
    )
    server.answer = lambda request: (
        provider(request) if request.arguments["verb"] == "ListRecords" else error("badVerb")
    )
    assert len(identifiers(list(transport.batches(REQUEST)))) == 30
