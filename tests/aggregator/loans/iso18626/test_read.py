"""Messages that anyone may send: what is wrong is named, and nothing but MessageError is raised."""

import random
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.loans.iso18626.errors import ERRORS, MessageError
from aggregator.loans.iso18626.messages import Agency, Confirmation, MessageKind, RequesterMessage, SupplierMessage
from aggregator.loans.iso18626.read import MOST_BYTES, read
from aggregator.loans.states import JAPAN, Kind
from tests.aggregator.loans.iso18626.documents import CONFIRMED, LOANED, RECEIVED, REQUEST, document
from tests.seeds import seeds

VALID = [RECEIVED, LOANED, REQUEST, CONFIRMED]


def error(data: bytes) -> MessageError:
    with pytest.raises(MessageError) as caught:
        read(data)
    return caught.value


def test_the_messages_of_another_system_are_read() -> None:
    received = read(document(RECEIVED))
    assert isinstance(received, RequesterMessage)
    assert (received.action, received.header.request_id, received.version) == ("Received", "2026-17", "1.2")
    assert received.header.supplier == Agency(value="JP-1000001")
    loaned = read(document(LOANED))
    assert isinstance(loaned, SupplierMessage)
    assert (loaned.status, loaned.due) == ("Loaned", "2026-12-24")
    assert loaned.changed == datetime(2026, 11, 24, 10, 30, tzinfo=JAPAN)
    confirmed = read(document(CONFIRMED))
    assert isinstance(confirmed, Confirmation)
    assert (confirmed.of, confirmed.ok) == (MessageKind.REQUEST, True)


def test_attributes_without_namespace_prefixes_and_foreign_attributes_are_read() -> None:
    data = document(RECEIVED).replace(b"ill:version", b"version")
    assert read(data).version == "1.2"
    location = b'xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:schemaLocation="a b" ill:version'
    assert read(document(RECEIVED).replace(b"ill:version", location)).version == "1.2"
    prefixed = document(RECEIVED).decode().replace("<", "<ill:").replace("<ill:/", "</ill:").encode()
    assert read(prefixed) == read(document(RECEIVED))


def test_nothing_about_a_reader_is_kept() -> None:
    reader = "<patronInfo><patronId>P77</patronId><surname>山田</surname></patronInfo></request>"
    message = read(document(REQUEST.replace("</request>", reader)))
    assert message.request.title == "銀河鉄道の夜"
    assert "P77" not in repr(message)
    assert "山田" not in repr(message)


def test_a_request_that_leaves_the_choice_is_a_loan() -> None:
    message = read(document(REQUEST.replace("Loan</", "CopyOrLoan</")))
    assert (message.request.kind, message.service) == (Kind.LOAN, "CopyOrLoan")
    without = REQUEST.replace("<serviceInfo><serviceType>Loan</serviceType></serviceInfo>", "")
    assert read(document(without)).service == "Loan"


def test_a_time_without_a_zone_is_japanese() -> None:
    message = read(document(RECEIVED.replace("01:30:00Z", "10:30:00.5")))
    assert message.header.timestamp == datetime(2026, 11, 24, 10, 30, 0, 500_000, tzinfo=JAPAN)


def test_an_invalid_isbn_is_left_out() -> None:
    numbers = "".join(
        f"<bibliographicItemId><bibliographicItemIdentifier>{number}</bibliographicItemIdentifier>"
        "<bibliographicItemIdentifierCode>ISBN</bibliographicItemIdentifierCode></bibliographicItemId>"
        for number in ("4-00-310101-4", "123")
    )
    message = read(document(REQUEST.replace("</title>", f"</title>{numbers}")))
    assert message.request.isbns == ("9784003101018",)


ENTITY = b'<!DOCTYPE x [<!ENTITY a "b">]>'
FAULTS = [
    (b"", "iso18626.E001", "", ""),
    (b"{}", "iso18626.E001", "1:1", ""),
    (document(RECEIVED)[:-5], "iso18626.E001", "", ""),
    (document(RECEIVED).replace(b"Received", b"\xff"), "iso18626.E001", "", ""),
    (ENTITY + document(RECEIVED), "iso18626.E002", "", ""),
    (
        b"<!DOCTYPE x SYSTEM 'file:///etc/passwd'>" + document(RECEIVED).replace(b"Received", b"&x;"),
        "iso18626.E002",
        "",
        "",
    ),
    (document(" " * MOST_BYTES), "iso18626.E003", "", "bytes"),
    (document("<a/>" * 2000), "iso18626.E003", "", "elements"),
    (document("<a>" * 9 + "</a>" * 9), "iso18626.E003", "", "levels"),
    (document("<a>" * 500 + "</a>" * 500), "iso18626.E003", "", ""),
    (b"<html/>", "iso18626.E004", "", "html"),
    (document(RECEIVED).replace(b"2013", b"2014"), "iso18626.E004", "", "2014"),
    (document("<bogus/>"), "iso18626.E005", "ISO18626Message", "bogus"),
    (document(RECEIVED.replace("</action>", "</action><bogus/>")), "iso18626.E005", "requestingAgencyMessage", "bogus"),
    (document(RECEIVED.replace("action>", "ACTION>")), "iso18626.E005", "requestingAgencyMessage", "ACTION"),
    (
        document(RECEIVED.replace("</action>", '</action><x:a xmlns:x="urn:x"/>')),
        "iso18626.E005",
        "requestingAgencyMessage",
        "{urn:x}a",
    ),
    (document(RECEIVED + RECEIVED), "iso18626.E006", "ISO18626Message", "requestingAgencyMessage"),
    (
        document(RECEIVED.replace("</action>", "</action><note>a</note><note>b</note>")),
        "iso18626.E006",
        "requestingAgencyMessage",
        "note",
    ),
    (
        document(REQUEST.replace("<title>", "<author>x</author><title>")),
        "iso18626.E006",
        "request/bibliographicInfo",
        "title",
    ),
    (document(""), "iso18626.E007", "ISO18626Message", "request"),
    (document("<request/>"), "iso18626.E007", "request", "header, bibliographicInfo"),
    (
        document(RECEIVED.replace("<timestamp>2026-11-24T01:30:00Z</timestamp>", "")),
        "iso18626.E007",
        "requestingAgencyMessage/header",
        "timestamp",
    ),
    (
        document(
            REQUEST.replace("</serviceInfo>", "</serviceInfo><requestingAgencyInfo><address/></requestingAgencyInfo>")
        ),
        "iso18626.E007",
        "request/requestingAgencyInfo/address",
        "electronicAddress / physicalAddress",
    ),
    (
        document(RECEIVED.replace("2026-11-24T01:30:00Z", "yesterday")),
        "iso18626.E008",
        "requestingAgencyMessage/header/timestamp",
        "yesterday",
    ),
    (
        document(RECEIVED.replace("2026-11-24T01:30:00Z", "99999-11-24T01:30:00Z")),
        "iso18626.E008",
        "requestingAgencyMessage/header/timestamp",
        "99999",
    ),
    (
        document(RECEIVED.replace("2026-11-24T01:30:00Z", "0001-01-01T00:00:00+14:00")),
        "iso18626.E008",
        "requestingAgencyMessage/header/timestamp",
        "0001",
    ),
    (
        document(LOANED.replace("2026-12-24T14:59:00Z", "2026-12-24T24:00:00Z")),
        "iso18626.E008",
        "supplyingAgencyMessage/statusInfo/dueDate",
        "24:00",
    ),
    (
        document(RECEIVED.replace("2026-17", "")),
        "iso18626.E008",
        "requestingAgencyMessage/header/requestingAgencyRequestId",
        "",
    ),
    (
        document(RECEIVED.replace("2026-17", "&#x200b;")),
        "iso18626.E008",
        "requestingAgencyMessage/header/requestingAgencyRequestId",
        "",
    ),
    (
        document(RECEIVED.replace("</action>", f"</action><note>{'x' * 5001}</note>")),
        "iso18626.E008",
        "requestingAgencyMessage/note",
        "xxx",
    ),
    (document(LOANED.replace("Loaned", "Lent")), "iso18626.E008", "supplyingAgencyMessage/statusInfo/status", "Lent"),
    (document(RECEIVED.replace("Received", "Burn")), "iso18626.E009", "requestingAgencyMessage/action", "Burn"),
    (
        document(LOANED.replace("StatusChange", "Whim")),
        "iso18626.E010",
        "supplyingAgencyMessage/messageInfo/reasonForMessage",
        "Whim",
    ),
    (document(RECEIVED).replace(b'ill:version="1.2"', b""), "iso18626.E011", "ISO18626Message", ""),
    (document(RECEIVED.replace("<action>", '<action x="1">')), "iso18626.E011", "requestingAgencyMessage/action", ""),
]


@pytest.mark.parametrize(("data", "code", "place", "value"), FAULTS)
def test_faults_are_named_with_their_place(data, code, place, value) -> None:
    found = error(data)
    assert found.code == code
    assert place in found.place
    assert value in found.value
    assert place in found.message("ja")
    assert found.message("en") == str(found)
    assert found.data().type == ERRORS[code].iso


def test_every_error_of_a_document_can_happen() -> None:
    of_exchange = {"iso18626.E012", "iso18626.E013", "iso18626.E014"}  # see test_exchange
    assert {code for _data, code, _place, _value in FAULTS} == set(ERRORS) - of_exchange


def test_a_fault_names_the_request_if_that_can_be_read() -> None:
    found = error(document(RECEIVED.replace("Received", "Burn")))
    assert (found.kind, found.header.request_id) == (MessageKind.REQUESTER, "2026-17")
    assert found.header.requester == Agency(value="JP-1000002")
    assert error(b"<html/>").kind is None
    assert error(document("<request/>")).kind is MessageKind.REQUEST


def test_a_long_value_is_shortened_in_the_message() -> None:
    found = error(document(RECEIVED.replace("Received", "B" * 900)))
    assert len(found.message("en")) < 400


@pytest.mark.parametrize("message", VALID)
@seeds(40, always=8)
def test_damaged_messages_raise_nothing_else(message, seed) -> None:
    chance = random.Random(seed)
    data = bytearray(document(message))
    for _number in range(chance.randint(1, 6)):
        place = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                del data[place : place + chance.randrange(40)]
            case _:
                data[place:place] = data[chance.randrange(len(data)) :][: chance.randrange(60)]
    _read_or_refuse(bytes(data))


TAGS = [
    "request",
    "header",
    "timestamp",
    "bibliographicInfo",
    "title",
    "address",
    "note",
    "action",
    "agencyIdType",
    "x",
]
TREES = st.recursive(
    st.text(st.characters(categories=["L", "N", "P", "Z"]), max_size=20).map(
        lambda text: text.replace("&", "").replace("<", "")
    ),
    lambda inner: st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=4)).map(
        lambda node: f"<{node[0]}>{''.join(node[1])}</{node[0]}>"
    ),
    max_leaves=30,
)


@given(TREES)
def test_any_tree_of_elements_is_read_or_refused(tree) -> None:
    _read_or_refuse(document(tree))


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data) -> None:
    _read_or_refuse(data)


@given(st.text(max_size=100), st.sampled_from(["01:30:00Z", "2026-11-24T01:30:00Z", "2026-17", "Received", "ISIL"]))
def test_any_value_is_read_or_refused(text, place) -> None:
    escaped = "".join(f"&#{ord(char)};" for char in text)
    _read_or_refuse(document(RECEIVED.replace(place, escaped)))


def _read_or_refuse(data: bytes) -> None:
    try:
        message = read(data)
    except MessageError as refused:
        assert refused.code in ERRORS
        assert refused.message("ja") != refused.message("en")
    else:
        assert message.header.request_id or isinstance(message, Confirmation)
