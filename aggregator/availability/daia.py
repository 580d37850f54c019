"""Reads DAIA, the Document Availability Information API of GBV: version 1.0 in JSON, version 0.5 in JSON and XML. Pure.

https://purl.org/NET/DAIA: a document has items; an item names the services (loan, presentation, interloan …) that are
available or unavailable for it. Loan decides here; presentation is reading in the library.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lxml import etree

from aggregator.availability.answers import (
    MOST_COPIES,
    Availability,
    State,
    UnreadableAnswer,
    date_of,
    join_texts,
    link_of,
    number_of,
    text_of,
    together,
)
from aggregator.availability.json_values import as_list, decode
from metadata.xml.parsing import XmlError, parse

LOAN, PRESENTATION, INTERLOAN = "loan", "presentation", "interloan"
NAMESPACE = "{http://ws.gbv.de/daia/}"


@dataclass(frozen=True, slots=True)
class Service:
    """A service of an item, with its values as sent: texts of the answer, checked where they are used."""

    name: str
    href: object = ""
    expected: object = ""
    queue: object = ""
    delay: object = ""
    note: str = ""


type Services = dict[str, Service]


def read_daia(body: bytes) -> Availability:
    """Return what an answer says. Raises UnreadableAnswer. An answer without documents says nothing: unknown."""
    read = _from_xml if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else _from_json
    return read(body)


def _copy(available: Services, unavailable: Services, place: str) -> Availability:
    """Return the state of one item."""
    interloan = INTERLOAN in available
    loan = available.get(LOAN)
    if loan:
        return Availability(
            state=State.AVAILABLE,
            copies=1,
            lendable=1,
            delayed=bool(text_of(loan.delay)),
            interloan=interloan,
            place=place,
            note=loan.note,
            href=link_of(loan.href),
        )
    present, lent = available.get(PRESENTATION), unavailable.get(LOAN, Service(LOAN))
    reason = present or lent
    return Availability(
        state=_state(lent, present is not None, LOAN in unavailable),
        copies=1,
        due=date_of(lent.expected),
        queue=number_of(lent.queue),
        interloan=interloan,
        place=place,
        note=reason.note,
        href=link_of(lent.href) or link_of(reason.href),
    )


def _state(lent: Service, can_be_read: bool, is_said: bool) -> State:
    """The state of an item that cannot be borrowed now. It is on loan if it is expected back, whenever that is."""
    if can_be_read and not text_of(lent.expected):
        return State.IN_HOUSE
    if number_of(lent.queue):
        return State.RESERVED
    if text_of(lent.expected):
        return State.ON_LOAN
    return State.NOT_LENT if is_said else State.UNKNOWN


def _named(services: Iterable[Service]) -> Services:
    """The services by name, the first of each. Names may be URIs of the Document Service Ontology."""
    named: Services = {}
    for service in islice(services, 50):
        name = service.name.replace("#", "/").rstrip("/").rpartition("/")[2].lower()
        named.setdefault(name, service)
    return named


def _service(values: Mapping[Any, Any], note: str) -> Service:
    """A service by its members in JSON, or by its attributes in XML."""
    said = {name: values.get(name) for name in ("href", "expected", "queue", "delay")}
    return Service(text_of(values.get("service")), note=note, **said)


# JSON


def _from_json(body: bytes) -> Availability:
    root = decode(body)
    if not isinstance(root, dict) or "document" not in root:
        raise UnreadableAnswer("availability.no_daia")
    documents = [document for document in as_list(root["document"])[:MOST_COPIES] if isinstance(document, dict)]
    items = [(item, document) for document in documents for item in as_list(document.get("item"))]
    copies = [_json_copy(item) for item, _document in items[:MOST_COPIES] if isinstance(item, dict)]
    return together(copies, next((href for document in documents if (href := link_of(document.get("href")))), ""))


def _json_copy(item: dict[str, Any]) -> Availability:
    storage = item.get("storage")
    place = (storage.get("content") if isinstance(storage, dict) else "", *as_list(item.get("label")))
    return _copy(_json_services(item, "available"), _json_services(item, "unavailable"), join_texts(place))


def _json_services(item: dict[str, Any], name: str) -> Services:
    return _named(
        _service(service, join_texts(_content(limitation) for limitation in as_list(service.get("limitation"))[:5]))
        for service in as_list(item.get(name))
        if isinstance(service, dict)
    )


def _content(entity: object) -> object:
    return entity.get("content") if isinstance(entity, dict) else entity


# XML


def _from_xml(body: bytes) -> Availability:
    try:
        root = parse(body)
    except XmlError as error:
        raise UnreadableAnswer("availability.no_xml", str(error)) from error
    if root.tag != f"{NAMESPACE}daia":
        raise UnreadableAnswer("availability.no_daia")
    documents = root.findall(f"{NAMESPACE}document")
    items = islice(root.iterfind(f"{NAMESPACE}document/{NAMESPACE}item"), MOST_COPIES)
    href = next((href for document in documents if (href := link_of(document.get("href", "")))), "")
    return together([_xml_copy(item) for item in items], href)


def _xml_copy(item: etree._Element) -> Availability:
    place = join_texts(_texts(item, "storage", "label"))
    return _copy(_xml_services(item, "available"), _xml_services(item, "unavailable"), place)


def _xml_services(item: etree._Element, name: str) -> Services:
    services = item.iterfind(f"{NAMESPACE}{name}")
    return _named(_service(dict(service.attrib), join_texts(_texts(service, "limitation"))) for service in services)


def _texts(parent: etree._Element, *names: str) -> Iterator[str]:
    for name in names:
        yield parent.findtext(f"{NAMESPACE}{name}") or ""
