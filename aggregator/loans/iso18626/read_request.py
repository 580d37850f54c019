"""Reads the `request` of ISO 18626 as a `LoanRequest`. Pure. What it says about a reader (patronInfo) is not kept."""

from collections.abc import Mapping

from lxml import etree
from msgspec import structs

from aggregator.loans.iso18626 import elements
from aggregator.loans.iso18626.messages import Header, RequestMessage
from aggregator.loans.request import LoanRequest, Party, bounded
from aggregator.loans.states import Kind
from metadata.identifiers import normalise

_BOOK, _SERVICE = "bibliographicInfo/i:", "serviceInfo/i:"
# Field of the request -> element
TEXTS: Mapping[str, str] = {
    "previous": f"{_SERVICE}requestingAgencyPreviousRequestId",
    "edition": f"{_BOOK}edition",
    "series": f"{_BOOK}seriesTitle",
    "author": f"{_BOOK}author",
    "publisher": "publicationInfo/i:publisher",
    "place": "publicationInfo/i:placeOfPublication",
    "year": "publicationInfo/i:publicationDate",
    "record_id": f"{_BOOK}supplierUniqueRecordId",
    "call_number": "supplierInfo/i:callNumber",
    "location": "supplierInfo/i:availabilityNote",
    "holdings": "supplierInfo/i:summaryHoldings",
    "article": f"{_BOOK}titleOfComponent",
    "article_author": f"{_BOOK}authorOfComponent",
    "issue": f"{_BOOK}issue",
    "pages": f"{_BOOK}pagesRequested",
}
# Field of the request -> code of a bibliographicRecordId
RECORD_NUMBERS: Mapping[str, str] = {
    "jpno": "JNB",
    "ncid": "NCID",
    "somoku_bib_id": "somokuBibID",
    "somoku_sub_id": "somokuSubID",
}
_OTHER_EDITIONS = frozenset(("AnyEdition", "MostRecentEdition"))


def read_request(message: etree._Element, version: str) -> RequestMessage:
    """Return the message of a `request` element."""
    header = elements.header(message)
    service = elements.text(message, f"{_SERVICE}serviceType") or "Loan"
    request = LoanRequest(
        kind=Kind.COPY if service == "Copy" else Kind.LOAN,
        number=header.request_id,
        source=elements.text(message, f"{_BOOK}informationSource"),
        needed_by=elements.day(message, f"{_SERVICE}needBeforeDate"),
        copyright_declared=bool(elements.text(message, f"{_SERVICE}copyrightCompliance")),
        any_edition=_any_edition(message),
        in_house_only="LibraryUseOnly" in elements.texts(message, f"{_SERVICE}loanCondition"),
        note=elements.note(message, f"{_SERVICE}note"),
        borrower=_borrower(message, header),
        lender=elements.party(header.supplier, elements.text(message, "supplierInfo/i:supplierDescription")),
    )
    request = structs.replace(request, **{field: elements.text(message, path) for field, path in TEXTS.items()})
    return RequestMessage(
        header=header,
        request=bounded(_with_volume(_with_numbers(request, message), message)),
        type=elements.text(message, f"{_SERVICE}requestType") or "New",
        service=service,
        costs=elements.costs(message, "billingInfo/i:maximumCosts"),
        version=version,
    )


def _any_edition(message: etree._Element) -> bool:
    preferred = elements.text(message, f"{_SERVICE}preferredEdition")
    return preferred in _OTHER_EDITIONS or elements.text(message, f"{_SERVICE}anyEdition") == "Y"


def _with_volume(request: LoanRequest, message: etree._Element) -> LoanRequest:
    """The request with title and volume: the journal's volume if a part of a journal is wanted, else the book's."""
    title = (elements.text(message, f"{_BOOK}{name}") for name in ("title", "subtitle"))
    volume = " ; ".join(elements.texts(message, f"{_BOOK}volume"))
    of_journal = not request.isbns and (request.article or request.issue or request.kind is Kind.COPY)
    field = "article_volume" if of_journal else "volume"
    return structs.replace(request, title=" : ".join(filter(None, title)), **{field: volume})


def _with_numbers(request: LoanRequest, message: etree._Element) -> LoanRequest:
    """The request with the numbers of the book and of its records; an invalid ISBN or ISSN is left out."""
    items = _numbers(message, "bibliographicItemId", "bibliographicItemIdentifier")
    records = dict(reversed(_numbers(message, "bibliographicRecordId", "bibliographicRecordIdentifier")))
    isbns = (normalise("ISBN", value) for scheme, value in items if scheme == "ISBN")
    issns = (normalise("ISSN", value) for scheme, value in items if scheme == "ISSN")
    found = {field: records.get(code, "") for field, code in RECORD_NUMBERS.items()}
    return structs.replace(request, isbns=tuple(filter(None, isbns)), issn=next(filter(None, issns), ""), **found)


def _numbers(message: etree._Element, name: str, inner: str) -> list[tuple[str, str]]:
    """Pairs of scheme and number."""
    found = elements.find_all(message, f"{_BOOK}{name}")
    return [(elements.text(element, f"{inner}Code", 100), elements.text(element, inner, 200)) for element in found]


def _borrower(message: etree._Element, header: Header) -> Party:
    """The borrowing library; its address is that of the delivery, else its own."""
    places = ("requestedDeliveryInfo", "requestingAgencyInfo")
    physical = (elements.find(message, f"{place}/i:address/i:physicalAddress") for place in places)
    mails = (
        elements.text(address, "electronicAddressData", 200)
        for place in places
        for address in elements.find_all(message, f"{place}/i:address/i:electronicAddress")
        if elements.text(address, "electronicAddressType") == "Email"
    )
    address = next((found for found in physical if found is not None), None)
    library = elements.party(header.requester, elements.text(message, "requestingAgencyInfo/i:name"), address)
    contact = elements.text(message, "requestingAgencyInfo/i:contactName")
    return structs.replace(library, contact=contact, mail=next(mails, ""))
