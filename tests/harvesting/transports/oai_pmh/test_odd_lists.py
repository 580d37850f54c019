"""Responses of an odd shape: records in unexpected lists, and lists that end with an error."""

from collections.abc import Callable

import pytest

from harvesting.transports.oai_pmh import stream
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.types import Batch, HarvestRequest, TransportError
from tests.harvesting.fakeserver import Answer, FakeServer
from tests.harvesting.transports.oai_provider import Arguments, FakeProvider
from tests.harvesting.transports.oai_responses import error, page, record, token, xml

REQUEST = HarvestRequest(metadata_prefix="oai_dc", full=True)
DATES = [f"20{year:02}-0{month}-11" for year in range(20, 26) for month in range(1, 6)]  # 30 records
type Right = Callable[[], Answer]


def incomplete_by_code(batches: list[Batch]) -> dict[str, bool]:
    return {observation.code: observation.incomplete for batch in batches for observation in batch.observations}


def identifiers(batches: list[Batch]) -> set[str]:
    return {record.identifier for batch in batches for record in batch.records}


# Records in unexpected lists


def in_two_lists(*records: str) -> str:
    return f"<ListRecords>{records[0]}</ListRecords><ListRecords>{''.join(records[1:])}{token('', 3)}</ListRecords>"


def in_the_other_list(*records: str) -> str:
    return f"<ListIdentifiers>{''.join(records)}{token('', 3)}</ListIdentifiers>"


ODD_LISTS = pytest.mark.parametrize(
    ("lists", "code"), [(in_two_lists, "oai.lists"), (in_the_other_list, "oai.other_list")]
)


@ODD_LISTS
@pytest.mark.parametrize("large", [False, True])
def test_records_of_odd_lists_are_read_and_reported(
    server: FakeServer,
    transport: OaiPmhTransport,
    monkeypatch: pytest.MonkeyPatch,
    lists: Callable[..., str],
    code: str,
    large: bool,
) -> None:
    monkeypatch.setattr(stream, "LARGE_PAGE", 0 if large else stream.LARGE_PAGE)
    server.answers(xml(lists(record(1), record(2), record(3))))
    (batch,) = transport.batches(REQUEST)
    assert ([record.identifier[-1] for record in batch.records], batch.complete_list_size) == (["1", "2", "3"], 3)
    assert [observation.code for observation in batch.observations] == [code]


@ODD_LISTS
def test_only_the_bad_record_of_broken_odd_lists_is_quarantined(
    server: FakeServer, transport: OaiPmhTransport, lists: Callable[..., str], code: str
) -> None:
    server.answers(xml(lists(record(1), record(2, "<a>&</a>"), record(3))))
    (batch,) = transport.batches(REQUEST)
    assert [bool(record.issues) for record in batch.records] == [False, True, False]


def test_token_of_the_second_list_is_followed(server: FakeServer, transport: OaiPmhTransport) -> None:
    two = f"<ListRecords>{record(1)}</ListRecords><ListRecords>{record(2)}{token('a', 3)}</ListRecords>"
    server.answers(xml(two), page([record(3)], token("", 3)))
    assert [len(batch.records) for batch in transport.batches(REQUEST)] == [2, 1]


# Lists that end with an error


def behind(offset: int, answer: Answer, times: int = 1_000) -> Callable[[Arguments, Right], Answer]:
    """Return a fault: the token for this offset gets this answer, at most `times` times."""
    left = [answer] * times
    return lambda arguments, right: left.pop() if arguments.get("offset") == str(offset) and left else right()


@pytest.mark.parametrize("dates", [DATES, ["2024-05-05"] * 30])
def test_list_of_unknown_size_that_ends_with_an_error_is_requested_once_more(
    server: FakeServer, transport: OaiPmhTransport, dates: list[str]
) -> None:
    server.answer = FakeProvider(dates, page_size=5, sizes=False, fault=behind(15, error("noRecordsMatch"), 1))
    batches = list(transport.batches(REQUEST))
    assert len(identifiers(batches)) == 30
    assert {"oai.windows", "oai.restarted"} & set(incomplete_by_code(batches))


@pytest.mark.parametrize("dates", [DATES[:15], ["2024-05-05"] * 15])
def test_error_after_the_end_of_a_list_of_unknown_size_is_reported(
    server: FakeServer, transport: OaiPmhTransport, dates: list[str]
) -> None:
    provider = FakeProvider(dates, page_size=5, sizes=False)
    provider.fault = lambda arguments, right: (
        error("noRecordsMatch")
        if arguments.get("offset") == "15"
        else Answer(right().body.replace(b"<resumptionToken></resumptionToken>", token("||15").encode()))
    )
    server.answer = provider
    batches = list(transport.batches(REQUEST))
    assert len(identifiers(batches)) == 15
    assert incomplete_by_code(batches)["oai.ended_by_error"]
    assert not batches[-1].exhaustive
    assert len(provider.requests) < 25


def test_incremental_list_that_ends_with_an_error_is_not_compared_with_older_records(
    server: FakeServer, transport: OaiPmhTransport
) -> None:
    provider = FakeProvider(DATES, page_size=5, sizes=False)
    provider.fault = lambda arguments, right: (
        error("noRecordsMatch")
        if arguments.get("offset") == "10"
        else Answer(right().body.replace(b"<resumptionToken></resumptionToken>", token("2024-01-01||10").encode()))
    )
    server.answer = provider
    batches = list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", from_="2024-01-01")))
    assert (len(identifiers(batches)), incomplete_by_code(batches)) == (10, {"oai.ended_by_error": True})


NOTHING = xml("")


@pytest.mark.parametrize("answer", [NOTHING, error("idDoesNotExist"), error("badArgument"), error("oops")])
def test_odd_answer_after_the_whole_list_is_the_end(
    server: FakeServer, transport: OaiPmhTransport, answer: Answer
) -> None:
    server.answers(page([record(1), record(2)], token("a", 2)), answer)
    batches = list(transport.batches(REQUEST))
    assert (len(identifiers(batches)), incomplete_by_code(batches), len(server.requests)) == (
        2,
        {"oai.odd_end": False},
        2,
    )
    assert batches[-1].exhaustive


@pytest.mark.parametrize("answer", [NOTHING, error("idDoesNotExist")])
def test_odd_answer_before_the_end_is_a_failure(server: FakeServer, transport: OaiPmhTransport, answer: Answer) -> None:
    server.answers(page([record(1), record(2)], token("a", 9)), answer)
    with pytest.raises(TransportError) as caught:
        list(transport.batches(REQUEST))
    assert caught.value.code in {"oai.no_answer", "oai.idDoesNotExist"}


def test_odd_answer_to_the_token_of_an_earlier_run_is_no_end(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(2)], token("b")), error("idDoesNotExist"))
    with pytest.raises(TransportError) as caught:
        list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", full=True, resumption_token="a")))
    assert caught.value.code == "oai.idDoesNotExist"


# Protocol errors with the HTTP status of a failure


@pytest.mark.parametrize("status", [500, 502])
def test_no_records_match_with_a_status_of_failure_is_an_empty_list(
    server: FakeServer, transport: OaiPmhTransport, status: int
) -> None:
    server.answers(Answer(error("noRecordsMatch").body, status=status))
    (batch,) = transport.batches(REQUEST)
    assert (batch.records, len(server.requests)) == ((), 1)


def test_error_with_a_status_of_failure_is_accepted_if_it_lasts(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(Answer(error("cannotDisseminateFormat").body, status=500))
    with pytest.raises(TransportError) as caught:
        list(transport.batches(REQUEST))
    assert (caught.value.code, caught.value.permanent) == ("oai.cannotDisseminateFormat", True)
    assert len([request for request in server.requests if request.arguments["verb"] == "ListRecords"]) == 4


@pytest.mark.parametrize("answer", [error("oops"), error("noRecordsMatch")])
def test_unknown_error_with_a_status_of_failure_and_any_with_503_are_the_status(
    server: FakeServer, transport: OaiPmhTransport, answer: Answer
) -> None:
    status = 503 if b"noRecordsMatch" in answer.body else 500
    server.answers(Answer(answer.body, status=status))
    with pytest.raises(TransportError) as caught:
        list(transport.batches(REQUEST))
    assert caught.value.code == f"http.{status}"
