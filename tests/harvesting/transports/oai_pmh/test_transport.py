"""Harvesting lists by HTTP from a provider on loopback: the requests, the end of a list, retries."""

from datetime import UTC, datetime

import pytest

from harvesting.http.fetch import Fetcher, FetchPolicy
from harvesting.transports.oai_pmh.transport import OaiPmhTransport
from harvesting.types import Batch, HarvestRequest, OaiSet, TransportError
from tests.harvesting.fakeserver import LOOPBACK, Answer, FakeServer
from tests.harvesting.transports.oai_responses import error, page, record, token, xml

DC_REQUEST = HarvestRequest(metadata_prefix="oai_dc")
HTML = Answer(
    b"<!DOCTYPE html><html><head><title>Catalogue \n search</title></head><body><p>Hello<br></body></html>",
    headers={"Content-Type": "text/html"},
)
MALFORMED = page(["<record><header></record>"])
CUT = Answer(page([record(1), record(2)]).body[:-40])


def identifiers(batches: list[Batch]) -> list[str]:
    return [record.identifier.rpartition(":")[2] for batch in batches for record in batch.records]


def failure(transport: OaiPmhTransport, request: HarvestRequest = DC_REQUEST) -> TransportError:
    with pytest.raises(TransportError) as caught:
        list(transport.batches(request))
    return caught.value


# Lists


def test_list_is_read_page_by_page(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(
        page([record(1), record(2)], token("a", 3)), page([record(3)], token("", 3), date="2026-01-02T03:05:00Z")
    )
    batches = list(transport.batches(DC_REQUEST))
    assert identifiers(batches) == ["1", "2", "3"]
    assert [batch.resumption_token for batch in batches] == ["a", ""]
    assert [batch.complete_list_size for batch in batches] == [3, 3]
    assert batches[0].response_date == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_first_request_names_what_is_wanted(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1)]))
    list(
        transport.batches(
            HarvestRequest(metadata_prefix="dcndl", from_="2026-01-01", until="2026-02-01", set_spec="a:b")
        )
    )
    assert server.requests[0].arguments == {
        "verb": "ListRecords",
        "metadataPrefix": "dcndl",
        "from": "2026-01-01",
        "until": "2026-02-01",
        "set": "a:b",
    }


def test_token_is_sent_alone_and_encoded_once(server: FakeServer, transport: OaiPmhTransport) -> None:
    text = "dcndl/2026 1&amp;2+%41=é?#"
    server.answers(page([record(1)], token(text)), page([record(2)]))
    list(transport.batches(DC_REQUEST))
    assert server.requests[1].query == (("verb", "ListRecords"), ("resumptionToken", "dcndl/2026 1&2+%41=é?#"))


def test_query_of_the_base_url_is_kept(server: FakeServer) -> None:
    server.answers(page([record(1)]))
    with Fetcher(FetchPolicy(allowed_networks=LOOPBACK, min_pause=0)) as fetcher:
        list(OaiPmhTransport(f"{server.url}/x.php?db=1", fetcher.fetch).batches(DC_REQUEST))
    assert server.requests[0].arguments == {"db": "1", "verb": "ListRecords", "metadataPrefix": "oai_dc"}


def test_list_goes_on_from_a_token(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(9)]))
    list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", from_="2026-01-01", resumption_token="t1")))
    assert server.requests[0].arguments == {"verb": "ListRecords", "resumptionToken": "t1"}


@pytest.mark.parametrize("last", ["", "<resumptionToken/>", token("  \n ")])
def test_list_ends_where_no_token_is(server: FakeServer, transport: OaiPmhTransport, last: str) -> None:
    server.answers(page([record(1)], last))
    assert [batch.resumption_token for batch in transport.batches(DC_REQUEST)] == [""]
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [200, 404, 422])
def test_no_records_match_is_an_empty_list(server: FakeServer, transport: OaiPmhTransport, status: int) -> None:
    server.answers(Answer(error("noRecordsMatch").body, status=status))
    batches = list(transport.batches(DC_REQUEST))
    assert batches == [Batch(records=(), response_date=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), exhaustive=True)]


def test_get_record(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(xml(f"<GetRecord>{record(5)}</GetRecord>"))
    batches = list(transport.batches(HarvestRequest(metadata_prefix="oai_dc", identifier="oai:provider.example:5")))
    assert identifiers(batches) == ["5"]
    assert server.requests[0].arguments == {
        "verb": "GetRecord",
        "identifier": "oai:provider.example:5",
        "metadataPrefix": "oai_dc",
    }


# Ends that providers signal by an error


def test_no_records_match_after_a_token_is_the_end(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1)], token("a", 1)), error("noRecordsMatch"))
    assert identifiers(list(transport.batches(DC_REQUEST))) == ["1"]


def test_bad_token_after_the_whole_list_is_the_end(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1), record(2)], token("a", 2)), error("badResumptionToken"))
    assert identifiers(list(transport.batches(DC_REQUEST))) == ["1", "2"]


@pytest.mark.parametrize("code", ["badResumptionToken", "noRecordsMatch"])
def test_error_before_the_end_is_a_failure(server: FakeServer, transport: OaiPmhTransport, code: str) -> None:
    server.answers(page([record(1), record(2)], token("a", 3)), error(code))
    assert failure(transport).code == f"oai.{code}"


# Loops


def test_same_page_with_the_same_token_is_a_loop(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1)], token("a")))
    problem = failure(transport)
    assert (problem.code, problem.permanent, len(server.requests)) == ("oai.loop", True, 2)


def test_pages_in_a_circle_are_a_loop(server: FakeServer, transport: OaiPmhTransport) -> None:
    first, second = page([record(1)], token("a")), page([record(2)], token("b"))
    server.answers(first, second, first)
    assert failure(transport).code == "oai.loop"


def test_same_page_under_new_tokens_is_a_loop(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answer = lambda request: page([record(1)], token(f"t{len(server.requests)}"))
    assert failure(transport).code == "oai.loop"
    assert len(server.requests) == 3


def test_same_token_with_new_pages_is_not_a_loop(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answer = lambda request: page(
        [record(len(server.requests))], token("same" if len(server.requests) < 6 else "")
    )
    assert identifiers(list(transport.batches(DC_REQUEST))) == ["1", "2", "3", "4", "5", "6"]


def test_empty_pages_are_skipped_but_not_for_ever(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answer = lambda request: page([], token(f"t{len(server.requests)}"))
    assert failure(transport).code == "oai.loop"
    assert len(server.requests) == 10


def test_single_empty_page_is_skipped(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1)], token("a")), page([], token("b")), page([record(2)]))
    assert identifiers(list(transport.batches(DC_REQUEST))) == ["1", "2"]


# Protocol errors


@pytest.mark.parametrize(
    ("code", "permanent"),
    [("idDoesNotExist", True), ("badVerb", True), ("noSetHierarchy", True), ("badResumptionToken", False)],
)
@pytest.mark.parametrize("status", [200, 400])
def test_error_keeps_its_code(
    server: FakeServer,
    transport: OaiPmhTransport,
    code: str,
    permanent: bool,
    status: int,
) -> None:
    server.answers(Answer(error(code, "the set is unknown").body, status=status))
    problem = failure(transport)
    assert (problem.code, problem.permanent, len(server.requests)) == (f"oai.{code}", permanent, 1)
    assert problem.facts["reason"] == "the set is unknown"
    assert problem.facts["url"] == transport.base_url


def test_wrong_prefix_names_the_right_ones(server: FakeServer, transport: OaiPmhTransport) -> None:
    formats = "".join(
        f"<metadataFormat><metadataPrefix>{prefix}</metadataPrefix></metadataFormat>" for prefix in ("oai_dc", "dcndl")
    )
    server.answers(error("cannotDisseminateFormat"), xml(f"<ListMetadataFormats>{formats}</ListMetadataFormats>"))
    problem = failure(transport, HarvestRequest(metadata_prefix="marc"))
    assert problem.facts["available"] == "oai_dc, dcndl"
    assert problem.facts["prefix"] == "marc"


def test_unknown_record(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(error("idDoesNotExist"))
    problem = failure(transport, HarvestRequest(metadata_prefix="oai_dc", identifier="oai:x:1"))
    assert (problem.code, problem.facts["identifier"]) == ("oai.idDoesNotExist", "oai:x:1")


def test_unknown_code_is_retried(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(error("InternalException"), page([record(1)]))
    assert identifiers(list(transport.batches(DC_REQUEST))) == ["1"]


def test_records_beside_an_error_are_kept(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(xml(f'<error code="badArgument"/><ListRecords>{record(1)}</ListRecords>'))
    assert identifiers(list(transport.batches(DC_REQUEST))) == ["1"]


# Retries


@pytest.mark.parametrize(
    "fault",
    [
        Answer(status=500),
        Answer(status=502),
        Answer(status=504),
        HTML,
        MALFORMED,
        Answer(b""),
        xml(""),
        Answer(raw=lambda out: None),
        Answer(raw=lambda out: out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<")),
    ],
    ids=["500", "502", "504", "html", "malformed", "empty", "no answer", "reset", "truncated"],
)
@pytest.mark.parametrize("at", [0, 1])
def test_temporary_fault_is_overcome_by_a_retry(
    server: FakeServer,
    transport: OaiPmhTransport,
    fault: Answer,
    at: int,
) -> None:
    answers = [page([record(1)], token("a")), page([record(2)])]
    server.answers(*answers[:at], fault, *answers[at:])
    assert identifiers(list(transport.batches(DC_REQUEST))) == ["1", "2"]
    assert server.requests[at].query == server.requests[at + 1].query


def test_lasting_fault_is_given_up_after_four_tries(
    server: FakeServer,
    transport: OaiPmhTransport,
    waits: list[float],
) -> None:
    server.answers(Answer(status=500))
    problem = failure(transport)
    assert (problem.code, problem.permanent) == ("http.500", False)
    assert [wait <= most for wait, most in zip(waits, (2, 8, 32), strict=True)] == [True, True, True]
    assert (
        len(server.requests) == 4 + 1 + 4
    )  # four attempts at the list, Identify, and one attempt at each of four date windows


def test_short_retry_after_is_obeyed(server: FakeServer, transport: OaiPmhTransport, waits: list[float]) -> None:
    server.answers(Answer(status=503, headers={"Retry-After": "7"}), page([record(1)]))
    assert identifiers(list(transport.batches(DC_REQUEST))) == ["1"]
    assert waits == [7]


@pytest.mark.parametrize(
    ("status", "header", "seconds"),
    [(503, "600", 600), (429, "61", 61), (503, "", 0), (429, "", 0), (503, "tomorrow", 0)],
)
def test_long_wait_is_left_to_the_run(
    server: FakeServer,
    transport: OaiPmhTransport,
    status: int,
    header: str,
    seconds: int,
) -> None:
    server.answers(Answer(status=status, headers={"Retry-After": header} if header else {}))
    problem = failure(transport)
    assert (problem.code, problem.permanent, problem.retry_after) == (f"http.{status}", False, seconds)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_refusal_is_not_retried(server: FakeServer, transport: OaiPmhTransport, status: int) -> None:
    server.answers(Answer(b"<html>no</html>", status=status))
    problem = failure(transport)
    assert (problem.code, problem.permanent, len(server.requests)) == (f"http.{status}", True, 1)


def test_web_page_in_place_of_the_interface_gets_a_specific_error(
    server: FakeServer, transport: OaiPmhTransport
) -> None:
    server.answers(HTML)
    problem = failure(transport)
    assert (problem.code, problem.permanent, len(server.requests)) == ("oai.not_oai", True, 2)
    assert problem.facts["found"] == "text/html, “Catalogue search”"


def test_web_page_in_the_middle_of_a_list_may_pass(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1)], token("a")), HTML)
    assert not failure(transport).permanent


@pytest.mark.parametrize(
    "body",
    [
        b"OK",
        b'{"error": "x"}',
        b"<rss version='2.0'><channel><title>News</title></channel></rss>",
        b"<html><body>Our OAI-PMH service</body></html>",
        "ここにはありません".encode("shift_jis"),
    ],
)
def test_anything_else_is_not_oai(server: FakeServer, transport: OaiPmhTransport, body: bytes) -> None:
    server.answers(Answer(body))
    assert failure(transport).code == "oai.not_oai"


def test_page_that_breaks_off_names_the_place(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1)], token("a")), CUT)
    problem = failure(transport)
    assert (problem.code, problem.permanent, len(server.requests)) == ("xml.malformed", False, 3)
    assert problem.facts["line"] == 2
    assert problem.facts["resumptionToken"] == "a"


def test_pages_before_the_fault_have_been_handed_over(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(page([record(1)], token("a")), CUT)
    batches = transport.batches(DC_REQUEST)
    assert next(batches).resumption_token == "a"
    with pytest.raises(TransportError):
        next(batches)


@pytest.mark.parametrize(
    "subset", ['<!ENTITY x "y">', '<!ENTITY % x SYSTEM "http://127.0.0.1:1/x"> %x;', "<!ELEMENT a ANY>"]
)
def test_document_type_with_declarations_is_refused(
    server: FakeServer,
    transport: OaiPmhTransport,
    subset: str,
) -> None:
    body = page([record(1)]).body.replace(b"?>\n", f"?><!DOCTYPE OAI-PMH [{subset}]>".encode(), 1)
    server.answers(Answer(body))
    assert failure(transport).code in {"xml.forbidden", "xml.malformed"}


# Identify, formats and sets


def test_identify(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(
        xml(
            "<Identify><repositoryName>図書館</repositoryName><baseURL>http://other.example/oai</baseURL>"
            "<protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail>"
            "<adminEmail>b@example.org</adminEmail><earliestDatestamp>2000-01-01</earliestDatestamp>"
            "<deletedRecord> Persistent </deletedRecord><granularity>YYYY-MM-DD</granularity></Identify>"
        )
    )
    identity = transport.identify()
    assert (identity.repository_name, identity.granularity) == ("図書館", "YYYY-MM-DD")
    assert (identity.deleted_record, identity.earliest_datestamp) == ("persistent", "2000-01-01")
    assert identity.admin_emails == ("a@example.org", "b@example.org")
    assert server.requests[0].arguments == {"verb": "Identify"}


def test_metadata_formats(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(
        xml(
            "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>s</schema>"
            "<metadataNamespace>n</metadataNamespace></metadataFormat><metadataFormat/></ListMetadataFormats>"
        )
    )
    (only,) = transport.metadata_formats()
    assert (only.prefix, only.schema, only.namespace) == ("oai_dc", "s", "n")


def test_sets_of_all_pages_each_once(server: FakeServer, transport: OaiPmhTransport) -> None:
    def sets(*specs: str) -> str:
        return "".join(f"<set><setSpec>{spec}</setSpec><setName>Set {spec}</setName></set>" for spec in specs)

    server.answers(
        xml(f"<ListSets>{sets('a', 'b')}{token('2')}</ListSets>"), xml(f"<ListSets>{sets('b', 'c')}</ListSets>")
    )
    assert transport.sets() == tuple(OaiSet(spec=spec, name=f"Set {spec}") for spec in "abc")
    assert server.requests[1].arguments == {"verb": "ListSets", "resumptionToken": "2"}


def test_provider_without_sets(server: FakeServer, transport: OaiPmhTransport) -> None:
    server.answers(error("noSetHierarchy"))
    assert transport.sets() == ()
