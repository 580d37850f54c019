"""Reads the values of a message's elements, which were checked against the schema before. Pure.

Paths are those of lxml below an element, with "i:" before every name but the first.
"""

from collections.abc import Sequence
from datetime import datetime

from lxml import etree

from aggregator.loans.iso18626.errors import MessageError
from aggregator.loans.iso18626.messages import NAMESPACE, Agency, Header
from aggregator.loans.iso18626.schema import place_of
from aggregator.loans.request import Party, long_text, short_text
from aggregator.loans.states import JAPAN

_NS = {"i": NAMESPACE}
_LONGEST = 200  # characters of a number or code
_YEARS = range(1900, 2200)  # in which a date is plausible


def find(parent: etree._Element, path: str) -> etree._Element | None:
    """Return the first element of a path."""
    return parent.find(f"i:{path}", _NS)


def find_all(parent: etree._Element, path: str) -> Sequence[etree._Element]:
    """Return all elements of a path."""
    return parent.findall(f"i:{path}", _NS)


def text(parent: etree._Element, path: str, most: int = 1000) -> str:
    """Return a text on one line; "" if there is no such element."""
    return short_text(parent.findtext(f"i:{path}", "", _NS), most)


def texts(parent: etree._Element, path: str, most: int = 10) -> tuple[str, ...]:
    """Return the texts of the first elements of a path, without empty ones."""
    found = (short_text(element.text or "", _LONGEST) for element in find_all(parent, path)[:most])
    return tuple(filter(None, found))


def note(parent: etree._Element, path: str) -> str:
    """Return a text of several lines."""
    return long_text(parent.findtext(f"i:{path}", "", _NS))


def moment(parent: etree._Element, path: str) -> datetime:
    """Return a moment in Japanese time, which is assumed where no zone is stated. Raises MessageError."""
    written = parent.findtext(f"i:{path}", "", _NS).strip()
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        found = None
    if found is None or found.year not in _YEARS:
        raise MessageError("iso18626.E008", f"{place_of(parent)}/{path.replace('i:', '')}", written)
    return (found if found.tzinfo else found.replace(tzinfo=JAPAN)).astimezone(JAPAN)


def day(parent: etree._Element, path: str) -> str:
    """Return the day in Japan of a moment; "" if there is no such element."""
    return "" if find(parent, path) is None else moment(parent, path).date().isoformat()


def costs(parent: etree._Element, *paths: str) -> str:
    """Return the costs at the first of these paths that exists, as "JPY 350"."""
    element = next((found for path in paths if (found := find(parent, path)) is not None), None)
    if element is None:
        return ""
    return f"{text(element, 'currencyCode', 10)} {text(element, 'monetaryValue', 30)}"


def agency(element: etree._Element | None) -> Agency:
    """Return the code of a library."""
    if element is None:
        return Agency(scheme="")
    return Agency(scheme=text(element, "agencyIdType", 100), value=text(element, "agencyIdValue", _LONGEST))


def header(message: etree._Element) -> Header:
    """Return the header of a message. Raises MessageError."""
    element = message[0]
    request_id = text(element, "requestingAgencyRequestId", _LONGEST)
    if not request_id:
        raise MessageError("iso18626.E008", f"{place_of(element)}/requestingAgencyRequestId")
    return Header(
        supplier=agency(find(element, "supplyingAgencyId")),
        requester=agency(find(element, "requestingAgencyId")),
        request_id=request_id,
        supplier_request_id=text(element, "supplyingAgencyRequestId", _LONGEST),
        timestamp=moment(element, "timestamp"),
        account=text(element, "requestingAgencyAuthentication/i:accountId"),
        secret=text(element, "requestingAgencyAuthentication/i:securityCode"),
    )


def party(code: Agency, name: str, address: etree._Element | None = None) -> Party:
    """Return a library. address: its physicalAddress."""
    lines = (
        [text(address, line, 300) for line in ("region", "locality", "line1", "line2")] if address is not None else []
    )
    return Party(
        name=name,
        codes=((code.scheme, code.value),) if code.value else (),
        address=" ".join(filter(None, lines)),
        postal_code="" if address is None else text(address, "postalCode", 20),
    )
