"""Reads messages of ISO 18626 (versions 1.0 to 2021-2) that anyone may have sent. Pure.

Size and depth are limited before anything else is looked at, then the message is checked against the schema.
"""

from collections.abc import Callable
from typing import Any

from lxml import etree

from aggregator.loans.iso18626 import elements
from aggregator.loans.iso18626.errors import MessageError
from aggregator.loans.iso18626.messages import (
    NAMESPACE,
    Confirmation,
    ErrorData,
    Header,
    Message,
    MessageKind,
    RequesterMessage,
    SupplierMessage,
)
from aggregator.loans.iso18626.read_request import read_request
from aggregator.loans.iso18626.schema import check
from aggregator.loans.request import Party, short_text
from metadata.xml.parsing import XmlError, parse

MOST_BYTES = 128 * 1024
MOST_NODES = 1500  # elements and attributes
MOST_DEPTH = 8  # levels of elements; the standard has seven
_CODES = {"xml.E001": "iso18626.E001", "xml.E003": "iso18626.E003"}  # all other errors of the parser: E002
_count = etree.XPath("count(descendant-or-self::*) + count(descendant-or-self::*/@*)")
_too_deep = etree.XPath(f"boolean({'/'.join('*' * (MOST_DEPTH + 1))})")


def read(data: bytes) -> Message:
    """Return the message in a document. Raises MessageError, and nothing else, if it cannot be read."""
    root = _root(data)
    try:
        check(root)
        message = root[0]
        return _READERS[etree.QName(message).localname](message, _version(root))
    except MessageError as error:
        error.kind, error.header = _about(root)
        raise


def _root(data: bytes) -> etree._Element:
    if len(data) > MOST_BYTES:
        raise MessageError("iso18626.E003", value=f"{len(data)} > {MOST_BYTES} bytes")
    try:
        root = parse(data)
    except XmlError as error:
        code = _CODES.get(error.code, "iso18626.E002")
        raise MessageError(code, f"{error.line}:{error.column}", error.reason) from error
    if root.tag != f"{{{NAMESPACE}}}ISO18626Message":
        raise MessageError("iso18626.E004", value=root.tag)
    nodes: Any = _count(root)
    if nodes > MOST_NODES:
        raise MessageError("iso18626.E003", value=f"{int(nodes)} > {MOST_NODES} elements and attributes")
    if _too_deep(root):
        raise MessageError("iso18626.E003", value=f"more than {MOST_DEPTH} levels")
    return root


def _about(root: etree._Element) -> tuple[MessageKind | None, Header]:
    """What can be read of a faulty message, for its confirmation."""
    name = etree.QName(root[0]).localname if len(root) else ""
    if name not in set(MessageKind):
        return None, Header()
    header = elements.find(root[0], "header")
    if header is None:
        return MessageKind(name), Header()
    return MessageKind(name), Header(
        supplier=elements.agency(elements.find(header, "supplyingAgencyId")),
        requester=elements.agency(elements.find(header, "requestingAgencyId")),
        request_id=elements.text(header, "requestingAgencyRequestId", 200),
    )


def _version(root: etree._Element) -> str:
    return short_text(root.get(f"{{{NAMESPACE}}}version") or root.get("version") or "", 50)


def _supplier_message(message: etree._Element, version: str) -> SupplierMessage:
    conditions = (elements.texts(message, f"{part}/i:loanCondition") for part in ("retryInfo", "deliveryInfo"))
    return SupplierMessage(
        header=elements.header(message),
        reason=elements.text(message, "messageInfo/i:reasonForMessage"),
        status=elements.text(message, "statusInfo/i:status"),
        changed=elements.moment(message, "statusInfo/i:lastChange"),
        answer=elements.text(message, "messageInfo/i:answerYesNo"),
        note=elements.note(message, "messageInfo/i:note"),
        unfilled=elements.text(message, "messageInfo/i:reasonUnfilled"),
        retry=elements.text(message, "messageInfo/i:reasonRetry"),
        expected=elements.day(message, "statusInfo/i:expectedDeliveryDate"),
        due=elements.day(message, "statusInfo/i:dueDate"),
        sent=elements.day(message, "deliveryInfo/i:dateSent"),
        item_id=elements.text(message, "deliveryInfo/i:itemId"),
        url=elements.text(message, "deliveryInfo/i:URL"),
        conditions=tuple(condition for part in conditions for condition in part),
        costs=elements.costs(message, *_COSTS),
        return_to=_return_to(message),
        version=version,
    )


_COSTS = ("messageInfo/i:offeredCosts", "retryInfo/i:offeredCosts", "deliveryInfo/i:deliveryCosts")


def _return_to(message: etree._Element) -> Party:
    element = elements.find(message, "returnInfo")
    if element is None:
        return Party()
    code = elements.agency(elements.find(element, "returnAgencyId"))
    return elements.party(code, elements.text(element, "name"), elements.find(element, "physicalAddress"))


def _requester_message(message: etree._Element, version: str) -> RequesterMessage:
    return RequesterMessage(
        header=elements.header(message),
        action=elements.text(message, "action"),
        note=elements.note(message, "note"),
        version=version,
    )


def _confirmation(message: etree._Element, version: str) -> Confirmation:
    header = message[0]
    errors = tuple(
        ErrorData(type=elements.text(error, "errorType"), value=elements.note(error, "errorValue"))
        for error in elements.find_all(message, "errorData")
    )
    failed = elements.text(header, "messageStatus") == "ERROR"
    return Confirmation(
        of=MessageKind(etree.QName(message).localname.removesuffix("Confirmation")),
        header=Header(
            supplier=elements.agency(elements.find(header, "supplyingAgencyId")),
            requester=elements.agency(elements.find(header, "requestingAgencyId")),
            request_id=elements.text(header, "requestingAgencyRequestId", 200),
            timestamp=elements.moment(header, "timestamp"),
        ),
        received=elements.moment(header, "timestampReceived"),
        detail=elements.text(message, "reasonForMessage") or elements.text(message, "action"),
        errors=(errors or _UNKNOWN) if failed else (),
        version=version,
    )


_UNKNOWN = (ErrorData(type="BadlyFormedMessage"),)  # for a confirmation that says ERROR without a reason
_READERS: dict[str, Callable[[etree._Element, str], Message]] = {
    MessageKind.REQUEST: read_request,
    MessageKind.SUPPLIER: _supplier_message,
    MessageKind.REQUESTER: _requester_message,
    **{f"{kind}Confirmation": _confirmation for kind in MessageKind},
}
