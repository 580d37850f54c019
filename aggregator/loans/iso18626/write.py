"""Writes messages of ISO 18626 as XML, in version 2021-2 or 1.2. Pure.

What the standard has no element for (the reading of a title, agreement to fees) goes into the note, in words.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any

from lxml import etree

from aggregator.loans.iso18626.messages import (
    NAMESPACE,
    Agency,
    Confirmation,
    Header,
    Message,
    MessageKind,
    RequesterMessage,
    RequestMessage,
    SupplierMessage,
    agency_of,
)
from aggregator.loans.request import LoanRequest, Party
from aggregator.loans.states import JAPAN, Kind
from metadata.xml.parsing import serialise, strip_illegal

type Node = tuple[str, str | list[Node]]  # name, text or children; without any it is left out

_KEPT = frozenset(("bibliographicInfo", "multipleItemRequestId"))  # elements that are written even if empty
_LONGEST = {"errorValue": 1000, "agencyIdValue": 200, "requestingAgencyRequestId": 200}
_PREFIXES: Any = {None: NAMESPACE, "ill": NAMESPACE}  # attributes need a prefix
COPYRIGHT = "著作権法第31条"
_IN_HOUSE = "LibraryUseOnly"  # a condition of a loan, in the standard's list


def write(message: Message) -> bytes:
    """Return a message as an XML document in UTF-8."""
    root = etree.Element(f"{{{NAMESPACE}}}ISO18626Message", nsmap=_PREFIXES)
    root.set(f"{{{NAMESPACE}}}version", message.version)
    _append(root, _node(message))
    return serialise(root)


def _node(message: Message) -> Node:
    match message:
        case RequestMessage():
            return MessageKind.REQUEST, list(_request(message))
        case SupplierMessage():
            return MessageKind.SUPPLIER, list(_supplier_message(message))
        case RequesterMessage():
            header = _header(message.header, message.version, MessageKind.REQUESTER)
            return MessageKind.REQUESTER, [header, ("action", message.action), ("note", message.note)]
        case Confirmation():
            return f"{message.of}Confirmation", list(_confirmation(message))


def _is_old(version: str) -> bool:
    """Whether a version is before that of 2021."""
    return version.startswith("1.")


def _append(parent: etree._Element, node: Node) -> None:
    name, content = node
    child = etree.Element(f"{{{NAMESPACE}}}{name}")
    if isinstance(content, str):
        child.text = strip_illegal(content)[: _LONGEST.get(name, 5000)]
    else:
        for inner in content:
            _append(child, inner)
    if len(child) or child.text or name in _KEPT:
        parent.append(child)


def _header(header: Header, version: str, kind: MessageKind) -> Node:
    old = _is_old(version)
    nodes: list[Node] = [
        _agency("supplyingAgencyId", header.supplier),
        _agency("requestingAgencyId", header.requester),
        *([("multipleItemRequestId", "")] if old else []),
        ("timestamp", _time(header.timestamp)),
        ("requestingAgencyRequestId", header.request_id),
        ("supplyingAgencyRequestId", "" if kind is MessageKind.REQUEST and not old else header.supplier_request_id),
    ]
    if kind is not MessageKind.SUPPLIER:
        login: list[Node] = [("accountId", header.account), ("securityCode", header.secret)]
        nodes.append(("requestingAgencyAuthentication", login))
    return "header", nodes


def _confirmation(message: Confirmation) -> Iterator[Node]:
    header = message.header
    nodes: list[Node] = [
        _agency("supplyingAgencyId", header.supplier),
        _agency("requestingAgencyId", header.requester),
        ("timestamp", _time(header.timestamp)),
        ("requestingAgencyRequestId", header.request_id),
        *([("multipleItemRequestId", "")] if _is_old(message.version) else []),
        ("timestampReceived", _time(message.received)),
        ("messageStatus", "OK" if message.ok else "ERROR"),
    ]
    yield "confirmationHeader", nodes
    if message.of is MessageKind.SUPPLIER:
        yield "reasonForMessage", message.detail
    if message.of is MessageKind.REQUESTER:
        yield "action", message.detail
    # version 1.2 allows one error
    for error in message.errors[: 1 if _is_old(message.version) else None]:
        yield "errorData", [("errorType", error.type), ("errorValue", error.value)]


def _supplier_message(message: SupplierMessage) -> Iterator[Node]:
    old = _is_old(message.version)
    yield _header(message.header, message.version, MessageKind.SUPPLIER)
    offered = [_costs("offeredCosts", message.costs)] if message.retry else []
    info: list[Node] = [
        ("reasonForMessage", message.reason),
        ("answerYesNo", message.answer),
        ("note", message.note),
        ("reasonUnfilled", message.unfilled),
        ("reasonRetry", message.retry),
        *(offered if old else []),
    ]
    yield "messageInfo", info
    status: list[Node] = [
        ("status", message.status),
        ("expectedDeliveryDate", _end_of(message.expected)),
        ("dueDate", _end_of(message.due)),
        ("lastChange", _time(message.changed)),
    ]
    yield "statusInfo", status
    yield "retryInfo", [] if old else offered
    yield "deliveryInfo", list(_delivery(message, old)) if message.sent else []
    party = message.return_to
    if party != Party():
        agency = [_agency("returnAgencyId", agency_of(party))] if party.codes else []
        yield "returnInfo", [*agency, ("name", party.name), _physical(party)]


def _delivery(message: SupplierMessage, old: bool) -> Iterator[Node]:
    yield "dateSent", _end_of(message.sent)
    yield "itemId", message.item_id
    if not old:
        yield "URL", message.url
    for condition in message.conditions[: 1 if old else None]:
        yield "loanCondition", condition
    if not message.retry:
        yield _costs("deliveryCosts", message.costs)


def _request(message: RequestMessage) -> Iterator[Node]:
    request, old = message.request, _is_old(message.version)
    yield _header(message.header, message.version, MessageKind.REQUEST)
    yield "bibliographicInfo", list(_bibliographic(request, old))
    publication: list[Node] = [
        ("publisher", request.publisher),
        ("publicationType", _publication_type(request)),
        ("publicationDate", request.year),
        ("placeOfPublication", request.place),
    ]
    yield "publicationInfo", publication
    yield "serviceInfo", list(_service(message, old))
    supplier: list[Node] = [
        ("sortOrder", "1"),
        _agency("supplierCode", message.header.supplier),
        ("supplierDescription", request.lender.name),
        ("callNumber", request.call_number),
        ("summaryHoldings", request.holdings),
        ("availabilityNote", request.location),
    ]
    yield "supplierInfo", supplier
    borrower = request.borrower
    addresses = list(_addresses(borrower))
    for number, address in enumerate(addresses, 1):
        yield "requestedDeliveryInfo", [("sortOrder", str(number)), address]
    yield "requestingAgencyInfo", [("name", borrower.name), ("contactName", borrower.contact), *addresses]
    yield "billingInfo", [_costs("maximumCosts", message.costs)]


def _bibliographic(request: LoanRequest, old: bool) -> Iterator[Node]:
    yield "supplierUniqueRecordId", request.record_id
    yield "title", request.title
    yield "author", request.author
    yield "seriesTitle", request.series
    yield "edition", request.edition
    yield "titleOfComponent", request.article
    yield "authorOfComponent", request.article_author
    yield "volume", request.article_volume or request.volume
    yield "issue", request.issue
    yield "pagesRequested", request.pages
    for scheme, value in (*(("ISBN", isbn) for isbn in request.isbns), ("ISSN", request.issn)):
        pair: list[Node] = [("bibliographicItemIdentifierCode", scheme), ("bibliographicItemIdentifier", value)]
        yield "bibliographicItemId", (pair[::-1] if old else pair) if value else []
    yield "informationSource", request.source
    numbers = (
        ("JNB", request.jpno),
        ("NCID", request.ncid),
        ("somokuBibID", request.somoku_bib_id),
        ("somokuSubID", request.somoku_sub_id),
    )
    for code, value in numbers:
        identifier: list[Node] = [("bibliographicRecordIdentifierCode", code), ("bibliographicRecordIdentifier", value)]
        yield "bibliographicRecordId", identifier if value else []


def _service(message: RequestMessage, old: bool) -> Iterator[Node]:
    request = message.request
    yield "requestType", message.type
    yield "requestingAgencyPreviousRequestId", request.previous
    yield "serviceType", message.service
    yield "needBeforeDate", _end_of(request.needed_by)
    yield "copyrightCompliance", COPYRIGHT if request.copyright_declared else ""
    if old:
        yield "anyEdition", "Y" if request.any_edition else "N"
    else:
        yield "preferredEdition", "AnyEdition" if request.any_edition else "ThisEdition"
        yield "loanCondition", _IN_HOUSE if request.in_house_only else ""
    yield "note", "\n".join(filter(None, (request.note, *_remarks(request, old))))


def _remarks(request: LoanRequest, old: bool) -> Iterator[str]:
    """What the standard has no element for."""
    if request.reading:
        yield f"タイトルよみ: {request.reading}"
    if request.article_volume and request.volume:
        yield f"巻次: {request.volume}"
    if request.in_house_only and old:
        yield "館内利用に限ります (use in the library only)"
    if request.copying_allowed:
        yield "複写の許可を希望します (permission to copy is asked for)"
    if request.fee_agreed:
        yield "料金を負担します (costs are accepted)"


def _publication_type(request: LoanRequest) -> str:
    if request.article:
        return "Chapter" if request.isbns else "Article"
    return "Journal" if request.issn and request.kind is Kind.COPY else ""


def _agency(name: str, agency: Agency) -> Node:
    return name, [("agencyIdType", agency.scheme), ("agencyIdValue", agency.value)] if agency.value else []


def _addresses(party: Party) -> Iterator[Node]:
    if party.address or party.postal_code:
        yield "address", [_physical(party)]
    if party.mail:
        mail: list[Node] = [("electronicAddressType", "Email"), ("electronicAddressData", party.mail)]
        yield "address", [("electronicAddress", mail)]


def _physical(party: Party) -> Node:
    return "physicalAddress", [("line1", party.address), ("postalCode", party.postal_code)]


def _costs(name: str, costs: str) -> Node:
    """Costs as "JPY 350"."""
    currency, _blank, amount = costs.partition(" ")
    return name, [("currencyCode", currency), ("monetaryValue", amount)] if amount else []


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _end_of(day: str) -> str:
    """The last minute of a day in Japan; "" if the text is no date."""
    try:
        return datetime.combine(date.fromisoformat(day), time(23, 59), JAPAN).isoformat()
    except ValueError:
        return ""
