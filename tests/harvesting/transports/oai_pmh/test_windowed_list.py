"""Lists that must be read by date windows: expired tokens, refused windows, pages that always fail."""

from collections.abc import Callable
from datetime import date
from itertools import count

import pytest

from harvesting.transports.oai_pmh.date_windows import PLAN_PREFIX
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.types import Batch, HarvestRequest, TransportError
from tests.harvesting.fakeserver import Answer, FakeServer
from tests.harvesting.transports.oai_provider import Arguments, FakeProvider
from tests.harvesting.transports.oai_responses import error, page, record, token

REQUEST = HarvestRequest(metadata_prefix="oai_dc", full=True)
DATES = [f"20{year:02}-0{month}-11" for year in range(20, 26) for month in range(1, 4)]  # 18 records, six years
EVERYTHING = {str(number) for number in range(1, len(DATES) + 1)}
type Right = Callable[[], Answer]


def identifiers(batches: list[Batch]) -> set[str]:
    return {record.identifier.rpartition(":")[2] for batch in batches for record in batch.records}


def codes(batches: list[Batch]) -> set[str]:
    return {observation.code for batch in batches for observation in batch.observations}


def put(server: FakeServer, provider: FakeProvider) -> FakeProvider:
    server.answer = provider
    return provider


def until_failure(transport: OaiPmhTransport, request: HarvestRequest = REQUEST) -> tuple[list[Batch], TransportError]:
    batches: list[Batch] = []
    with pytest.raises(TransportError) as caught:
        batches.extend(transport.batches(request))
    return batches, caught.value


def test_whole_list_is_exhaustive(server: FakeServer, transport: OaiPmhTransport) -> None:
    put(server, FakeProvider(DATES))
    batches = list(transport.batches(REQUEST))
    assert identifiers(batches) == EVERYTHING
    assert [batch.exhaustive for batch in batches] == [False] * 8 + [True]
    assert not codes(batches)


def test_incremental_list_is_not_exhaustive(server: FakeServer, transport: OaiPmhTransport) -> None:
    put(server, FakeProvider(DATES))
    batches = list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", from_="2024-01-01")))
    assert len(identifiers(batches)) == 6
    assert not any(batch.exhaustive for batch in batches)


# Expired tokens


@pytest.mark.parametrize("offset", ["2", "16"])
def test_list_begins_again_where_a_token_has_expired(
    server: FakeServer, transport: OaiPmhTransport, offset: str
) -> None:
    provider = put(server, FakeProvider(DATES))
    expired = [offset]

    def fault(arguments: Arguments, right: Right) -> Answer:
        return error("badResumptionToken") if expired == [arguments.get("offset")] and expired.pop() else right()

    provider.fault = fault
    batches = list(transport.batches(REQUEST))
    assert identifiers(batches) == EVERYTHING
    assert codes(batches) == {"oai.restarted"}
    assert batches[-1].exhaustive


def test_tokens_that_always_expire_lead_to_date_windows(server: FakeServer, transport: OaiPmhTransport) -> None:
    fault = lambda arguments, right: error("badResumptionToken") if arguments.get("offset", "0") > "0" else right()  # noqa: E731
    put(server, FakeProvider(DATES, fault=fault))
    batches = list(transport.batches(REQUEST))
    assert identifiers(batches) == EVERYTHING
    assert {"oai.restarted", "oai.windows"} <= codes(batches)
    assert batches[-1].exhaustive
    assert ("", "") not in {window for batch in batches for window in batch.covered}


def test_run_goes_on_between_any_two_windows(server: FakeServer, transport: OaiPmhTransport) -> None:
    fault = lambda arguments, right: error("badResumptionToken") if arguments.get("offset", "0") > "0" else right()  # noqa: E731
    put(server, FakeProvider(DATES, fault=fault))
    found: set[str] = set()
    position = ""
    for _ in count():
        batch = next(
            batch
            for batch in transport.batches(HarvestRequest(metadata_prefix="oai_dc", resumption_token=position))
            if batch.resumption_token.startswith(PLAN_PREFIX) or batch.is_last
        )
        found |= identifiers([batch])
        position = batch.resumption_token
        if batch.is_last:
            break
    assert EVERYTHING - found <= {"1", "2"}  # these were received before the first checkpoint of this test


def test_expired_token_of_an_earlier_run_begins_the_list_again(server: FakeServer, transport: OaiPmhTransport) -> None:
    provider = put(server, FakeProvider(DATES))
    provider.fault = lambda arguments, right: (
        error("badResumptionToken") if arguments.get("offset") == "99" else right()
    )
    request = HarvestRequest(metadata_prefix="oai_dc", full=True, resumption_token="||99")
    batches = list(transport.batches(request))
    assert identifiers(batches) == EVERYTHING
    assert batches[-1].exhaustive


def test_list_that_is_empty_after_it_has_begun_again_is_a_failure(
    server: FakeServer, transport: OaiPmhTransport
) -> None:
    server.answers(page([record(1)], token("a", 9)), error("badResumptionToken"), error("noRecordsMatch"))
    batches, problem = until_failure(transport)
    assert (identifiers(batches), problem.code, problem.permanent) == ({"1"}, "oai.noRecordsMatch", True)


# Pages that always fail


@pytest.mark.parametrize("bad", [1, 9, 18])
def test_record_that_breaks_the_provider_loses_its_day_only(
    server: FakeServer, transport: OaiPmhTransport, bad: int
) -> None:
    provider = put(server, FakeProvider(DATES))

    def fault(arguments: Arguments, right: Right) -> Answer:
        offset = int(arguments.get("offset", "0"))
        return Answer(status=500) if bad in provider.selected(arguments)[offset : offset + 2] else right()

    provider.fault = fault
    batches = list(transport.batches(REQUEST))
    assert identifiers(batches) == EVERYTHING - {str(bad)}
    gaps = {(gap.from_, gap.until, gap.code) for batch in batches for gap in batch.gaps}
    assert (DATES[bad - 1], DATES[bad - 1], "http.500") in gaps
    assert len(gaps) <= 2  # the day of the bad record and perhaps the day before
    assert batches[-1].is_last
    assert not batches[-1].exhaustive


def test_provider_that_fails_in_mid_list_ends_the_run(server: FakeServer, transport: OaiPmhTransport) -> None:
    provider = FakeProvider(DATES)
    server.answer = lambda asked: provider(asked) if len(server.requests) < 3 else Answer(status=500)
    batches, problem = until_failure(transport)
    assert (problem.code, problem.permanent, len(batches)) == ("http.500", False, 2)
    assert len(server.requests) < 20


@pytest.mark.parametrize("at", [1, 8])
def test_lost_page_of_a_server_that_keeps_the_position_is_not_skipped(
    server: FakeServer, transport: OaiPmhTransport, at: int
) -> None:
    """The token is always the same text, so when a lost page is requested again, the server returns the next one."""
    pages = [page([record(n)], token("same" if n < 9 else "", 9 if n < 9 else None)) for n in range(1, 10)]
    state = {"next": 0, "lose": True}

    def answer(asked: object) -> Answer:
        if "resumptionToken" not in server.requests[-1].arguments:
            state["next"] = 0
        number = state["next"]
        state["next"] = min(number + 1, 8)
        if number == at and state["lose"]:
            state["lose"] = False
            return Answer(status=502)
        return pages[number]

    server.answer = answer
    batches = list(transport.batches(REQUEST))
    assert identifiers(batches) == {str(n) for n in range(1, 10)}
    assert "oai.restarted" in codes(batches)


# Refused windows


@pytest.mark.parametrize(
    ("refusal", "days"),
    [
        (error("badArgument", "one year at most"), 366),
        (Answer(status=400), 366),
        pytest.param(error("badArgument"), 40, marks=pytest.mark.slow),
    ],
)
def test_provider_that_allows_small_windows_only(
    server: FakeServer, transport: OaiPmhTransport, refusal: Answer, days: int
) -> None:
    def fault(arguments: Arguments, right: Right) -> Answer:
        start, end = arguments.get("from", ""), arguments.get("until", "")
        wide = not start or not end or _days(end) - _days(start) > days
        return refusal if wide else right()

    put(server, FakeProvider(DATES, earliest="2021-01-01", fault=fault))  # with a wrong earliestDatestamp
    batches = list(transport.batches(REQUEST))
    assert identifiers(batches) == EVERYTHING
    assert "oai.windows" in codes(batches)
    assert not batches[-1].gaps


def test_too_large_windows_are_halved(server: FakeServer, transport: OaiPmhTransport) -> None:
    provider = put(server, FakeProvider(DATES))
    provider.fault = lambda arguments, right: Answer(status=413) if len(provider.selected(arguments)) > 4 else right()
    batches = list(transport.batches(REQUEST))
    assert identifiers(batches) == EVERYTHING
    assert batches[-1].exhaustive


def test_refused_dates_lead_to_the_whole_list(server: FakeServer, transport: OaiPmhTransport) -> None:
    put(
        server,
        FakeProvider(
            DATES,
            fault=lambda arguments, right: error("badArgument") if arguments.get("from") else right(),
        ),
    )
    batches = list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", from_="2025-01-01")))
    assert identifiers(batches) == EVERYTHING
    assert codes(batches) == {"oai.dates_refused"}
    assert not batches[-1].exhaustive


@pytest.mark.parametrize(
    ("since", "length"), [("2025-01-01T00:00:00Z", len("2025-01-01")), ("2025-01-01", len("2025-01-01T00:00:00Z"))]
)
def test_granularity_that_is_refused_is_changed(
    server: FakeServer, transport: OaiPmhTransport, since: str, length: int
) -> None:
    fault = lambda arguments, right: right() if len(arguments["from"]) == length else error("badArgument")  # noqa: E731
    provider = put(server, FakeProvider(DATES, fault=fault))
    batches = list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", from_=since)))
    assert identifiers(batches) == {"16", "17", "18"}
    assert codes(batches) == {"oai.granularity"}
    assert len({request["from"] for request in provider.requests}) == 2


def test_provider_that_ignores_from_is_reported(server: FakeServer, transport: OaiPmhTransport) -> None:
    provider = put(server, FakeProvider(DATES))
    provider.selected = lambda arguments: list(range(1, 19))  # type: ignore[method-assign]
    batches = list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", from_="2025-01-01")))
    assert identifiers(batches) == EVERYTHING
    assert codes(batches) == {"oai.dates_ignored"}


def test_lasting_bad_argument_fails_with_the_provider_s_reason(server: FakeServer, transport: OaiPmhTransport) -> None:
    put(server, FakeProvider(DATES, fault=lambda arguments, right: error("badArgument", "never")))
    batches, problem = until_failure(transport)
    assert (batches, problem.code, problem.permanent, problem.facts["reason"]) == ([], "oai.badArgument", True, "never")
    assert len(server.requests) < 12


# Sets


def test_vanished_set_is_reported_and_deletes_nothing(server: FakeServer, transport: OaiPmhTransport) -> None:
    put(server, FakeProvider(DATES, sets=("other",), fault=lambda arguments, right: error("noRecordsMatch")))
    batches = list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", set_spec="old", full=True)))
    assert [(n.code, n.incomplete) for batch in batches for n in batch.observations] == [("oai.set_gone", True)]
    assert not batches[-1].exhaustive


def test_refused_set_that_is_no_longer_listed_is_reported(server: FakeServer, transport: OaiPmhTransport) -> None:
    put(server, FakeProvider(DATES, sets=("other",), fault=lambda arguments, right: error("badArgument")))
    _, problem = until_failure(transport, HarvestRequest(metadata_prefix="oai_dc", set_spec="old"))
    assert (problem.code, problem.facts["set"], problem.permanent) == ("oai.set_gone", "old", True)


def test_empty_set_that_is_listed_is_just_empty(server: FakeServer, transport: OaiPmhTransport) -> None:
    put(server, FakeProvider([], sets=("old:part",)))
    batches = list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", set_spec="old", full=True)))
    assert (codes(batches), batches[-1].exhaustive) == (set(), True)


def test_requested_set_is_a_membership(server: FakeServer, transport: OaiPmhTransport) -> None:
    put(server, FakeProvider(DATES[:1]))
    (batch,) = transport.batches(HarvestRequest(metadata_prefix="oai_dc", set_spec="a"))
    assert batch.records[0].set_specs == ("a",)


def _days(date: str) -> int:
    year, month, day = map(int, date[:10].split("-"))
    return year * 365 + month * 30 + day


@pytest.mark.parametrize("answer", [Answer(status=413), Answer(status=400), Answer(status=502)])
def test_provider_that_refuses_every_window_is_given_up_soon(
    server: FakeServer, transport: OaiPmhTransport, answer: Answer
) -> None:
    put(server, FakeProvider(DATES, fault=lambda arguments, right: answer))
    batches, problem = until_failure(transport)
    assert (batches, problem.code) == ([], f"http.{answer.status}")
    assert len(server.requests) < 40


def test_large_window_is_cut_to_what_the_provider_can_answer(server: FakeServer, transport: OaiPmhTransport) -> None:
    provider = put(server, FakeProvider(DATES * 3, page_size=9))
    provider.fault = lambda arguments, right: Answer(status=413) if len(provider.selected(arguments)) > 9 else right()
    assert identifiers(list(transport.batches(REQUEST))) == {str(number) for number in range(1, 55)}


@pytest.mark.parametrize("at", [1, 2])
def test_datestamp_in_the_future_is_reported(server: FakeServer, transport: OaiPmhTransport, at: int) -> None:
    put(server, FakeProvider(["2999-01-01" if number == at else "2024-01-01" for number in (1, 2)], page_size=1))
    batches = list(transport.batches(REQUEST))
    assert codes(batches) == {"oai.datestamp_ahead"}
    assert len(identifiers(batches)) == 2


@pytest.mark.parametrize(("earliest", "missing"), [("2023-01-01", 0), ("2025-03-01", 5)])
def test_only_short_windows_begin_a_year_before_the_earliest_datestamp(
    server: FakeServer, transport: OaiPmhTransport, earliest: str, missing: int
) -> None:
    def fault(arguments: Arguments, right: Right) -> Answer:
        ends = [arguments.get(name, "")[:10] for name in ("from", "until")]
        if not all(ends):
            return error("badArgument")
        start, end = map(date.fromisoformat, ends)
        return error("badArgument") if (end - start).days > 31 else right()

    provider = put(server, FakeProvider(DATES[9:], earliest=earliest, fault=fault))  # from 2023-01-11 on
    batches = list(transport.batches(REQUEST))
    assert len(identifiers(batches)) == 9 - missing
    assert "oai.not_before" in codes(batches)
    assert not batches[-1].exhaustive
    assert len(provider.requests) < 150
