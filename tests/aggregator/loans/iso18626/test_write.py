"""What is written is valid, in the order of the standard, and read back as it was."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from msgspec import structs

from aggregator.libraries.holdings import Copy
from aggregator.loans.fill import Libraries, filled
from aggregator.loans.iso18626.messages import (
    VERSION,
    Agency,
    Confirmation,
    ErrorData,
    Header,
    Message,
    MessageKind,
    RequesterMessage,
    RequestMessage,
    SupplierMessage,
    agency_of,
)
from aggregator.loans.iso18626.read import read
from aggregator.loans.iso18626.schema import check
from aggregator.loans.iso18626.write import write
from aggregator.loans.request import LoanRequest, Party, bounded
from aggregator.loans.states import Kind
from metadata.xml.parsing import parse
from tests.aggregator.loans.examples import BOOK, COPIES, SAMPLE_FOLDERS, SOURCE, sample_records
from tests.aggregator.loans.iso18626.documents import HEADER, NOW

VERSIONS = (VERSION, "1.2")  # that of 2021, which we write, and that of 2017
BORROWER = Party(
    name="見本市立図書館",
    codes=(("ISIL", "JP-1000002"),),
    address="大阪府見本市1-1",
    postal_code="577-0011",
    mail="ill@library.example.jp",
    contact="相互貸借担当",
)
LENDER = Party(name="大阪府立中央図書館", codes=(("ISIL", "JP-1000001"),))
REQUEST = structs.replace(
    filled(BOOK, COPIES, SOURCE, Libraries(BORROWER, LENDER)),
    number="2026-17",
    needed_by="2026-12-24",
    in_house_only=True,
    any_edition=True,
    note="表紙も\n奥付も",
)
ARTICLE = LoanRequest(
    kind=Kind.COPY,
    number="2026-18",
    previous="2026-17",
    title="図書館雑誌",
    issn="03854000",
    article="相互貸借の現在",
    article_author="見本, 花子",
    article_volume="12",
    issue="3",
    pages="45-52",
    copyright_declared=True,
    holdings="1-40",
    borrower=BORROWER,
    lender=LENDER,
)


def names(path: str, message: Message) -> list[str]:
    """The names of the children at a path of a written message."""
    [node] = parse(write(message)).iterfind("/".join(f"{{*}}{step}" for step in path.split("/")))
    return [etree.QName(child).localname for child in node]


def test_a_request_has_its_elements_in_the_order_of_the_standard() -> None:
    message = RequestMessage(header=HEADER, request=REQUEST)
    assert names("request", message) == [
        "header",
        "bibliographicInfo",
        "publicationInfo",
        "serviceInfo",
        "supplierInfo",
        "requestedDeliveryInfo",
        "requestedDeliveryInfo",
        "requestingAgencyInfo",
    ]
    assert names("request/bibliographicInfo", message) == [
        "supplierUniqueRecordId",
        "title",
        "author",
        "seriesTitle",
        "edition",
        "volume",
        "bibliographicItemId",
        "informationSource",
        *["bibliographicRecordId"] * 4,
    ]


def test_the_versions_differ_where_the_standard_changed() -> None:
    old, new = (RequestMessage(header=HEADER, request=REQUEST, version=version) for version in ("1.2", "2021-2"))
    ids = ["supplyingAgencyId", "requestingAgencyId", "timestamp", "requestingAgencyRequestId"]
    assert names("request/header", new) == ids
    assert names("request/header", old) == [*ids[:2], "multipleItemRequestId", *ids[2:], "supplyingAgencyRequestId"]
    pair = ["bibliographicItemIdentifierCode", "bibliographicItemIdentifier"]
    assert names("request/bibliographicInfo/bibliographicItemId", new) == pair
    assert names("request/bibliographicInfo/bibliographicItemId", old) == pair[::-1]
    service = ["requestType", "serviceType", "needBeforeDate"]
    assert names("request/serviceInfo", new) == [*service, "preferredEdition", "loanCondition", "note"]
    assert names("request/serviceInfo", old) == [*service, "anyEdition", "note"]


def test_the_version_is_an_attribute_with_the_namespace() -> None:
    assert b'ill:version="1.2"' in write(RequesterMessage(header=HEADER, action="Received", version="1.2"))


def test_a_request_for_a_loan_is_read_back() -> None:
    message = RequestMessage(header=structs.replace(HEADER, supplier_request_id=""), request=REQUEST, costs="JPY 1000")
    back = read(write(message))
    expected = structs.replace(REQUEST, reading="", note="表紙も\n奥付も\nタイトルよみ: ギンガ テツドウ ノ ヨル")
    assert back == structs.replace(message, request=expected)


def test_a_request_for_a_copy_is_read_back() -> None:
    message = RequestMessage(
        header=structs.replace(HEADER, request_id="2026-18", supplier_request_id="", account="a", secret="s"),
        request=ARTICLE,
        type="Retry",
        service="Copy",
    )
    assert read(write(message)) == message


def test_what_the_standard_has_no_element_for_is_in_the_note() -> None:
    request = structs.replace(REQUEST, copying_allowed=True, fee_agreed=True)
    note = read(write(RequestMessage(header=HEADER, request=request, version="1.2"))).request.note
    assert "館内利用" in note
    assert "複写の許可" in note
    assert "料金を負担" in note


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("folder", SAMPLE_FOLDERS)
def test_requests_for_real_records_of_every_kind_are_valid_and_read_back(samples, folder, version) -> None:
    for record in sample_records(samples, folder):
        copies = [Copy(record="", item=item) for item in record.items]
        request = filled(record, copies, SOURCE, Libraries(BORROWER, LENDER))
        service = "Copy" if request.kind is Kind.COPY else "Loan"
        document = write(RequestMessage(header=HEADER, request=request, service=service, version=version))
        check(parse(document))
        back = read(document).request
        for name in (
            "kind",
            "title",
            "author",
            "article",
            "isbns",
            "jpno",
            "ncid",
            "record_id",
            "call_number",
            "pages",
        ):
            assert getattr(back, name) == getattr(request, name), name


SUPPLIER = SupplierMessage(
    header=HEADER,
    reason="StatusChange",
    status="Loaned",
    changed=NOW,
    note="2冊口です",
    due="2026-12-24",
    expected="2026-11-27",
    sent="2026-11-24",
    item_id="110001",
    conditions=("LibraryUseOnly",),
    costs="JPY 350",
    return_to=Party(name="本館", codes=(("ISIL", "JP-1000009"),), address="大阪府見本市2-2", postal_code="577-0012"),
)
MESSAGES: list[Message] = [
    SUPPLIER,
    SupplierMessage(header=HEADER, reason="RequestResponse", status="Unfilled", changed=NOW, unfilled="NotOnShelf"),
    SupplierMessage(header=HEADER, reason="RenewResponse", status="Loaned", changed=NOW, answer="Y", due="2027-01-24"),
    SupplierMessage(
        header=HEADER,
        reason="RequestResponse",
        status="RetryPossible",
        changed=NOW,
        retry="CostExceedsMaxCost",
        costs="JPY 350",
    ),
    RequesterMessage(header=structs.replace(HEADER, account="a", secret="s"), action="Renew", note="あと2週間"),
    *(
        Confirmation(of=kind, header=structs.replace(HEADER, supplier_request_id=""), received=NOW, errors=errors)
        for kind, errors in product(MessageKind, ((), (ErrorData(type="UnrecognisedDataValue", value="status"),)))
    ),
    Confirmation(of=MessageKind.REQUESTER, header=Header(timestamp=NOW, supplier=Agency(scheme="")), received=NOW),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("message", MESSAGES)
def test_messages_and_confirmations_are_valid_and_read_back(message, version) -> None:
    message = structs.replace(message, version=version)
    document = write(message)
    check(parse(document))
    header = message.header
    if isinstance(message, Confirmation) and not header.requester.value:
        message = structs.replace(message, header=structs.replace(header, requester=Agency(scheme="")))
    assert read(document) == message


def test_an_electronic_copy_has_its_address() -> None:
    message = structs.replace(SUPPLIER, status="CopyCompleted", url="https://ill.example.jp/copies/1")
    assert read(write(message)).url == "https://ill.example.jp/copies/1"


TEXTS = st.text(max_size=300)


@given(TEXTS, TEXTS, st.text(max_size=3000), st.text(min_size=1, max_size=60))
def test_whatever_people_type_is_written_as_a_valid_message(title, author, note, number) -> None:
    request = bounded(LoanRequest(title=title, author=author, note=note, needed_by=title, borrower=Party(name=author)))
    header = structs.replace(HEADER, request_id=f"1{number}", requester=agency_of(Party(name=f"館{author}")))
    check(parse(write(RequestMessage(header=header, request=request))))


def test_a_library_is_named_by_its_code_or_its_name() -> None:
    assert agency_of(LENDER) == Agency(scheme="ISIL", value="JP-1000001")
    assert agency_of(Party(name="見本文庫")) == Agency(scheme="name", value="見本文庫")
