"""A small source with sets and a deletion, and helpers to send requests to it."""

from collections.abc import Callable

import pytest
from lxml import etree

from sampleprovider.protocols.oai import answer
from sampleprovider.source import SampleRecord, SampleSet, SampleSource

OAI = "{http://www.openarchives.org/OAI/2.0/}"
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title>'
    "<dc:identifier>{identifier}</dc:identifier></oai_dc:dc>"
)

Ask = Callable[..., etree._Element]


def dublin_core(title: str, identifier: str = "") -> dict[str, bytes]:
    return {"oai_dc": DC.format(title=title, identifier=identifier).encode()}


def sample(number: int, day: str, *sets: str, deleted: bool = False, isbn: str = "") -> SampleRecord:
    payloads = {} if deleted else dublin_core(f"本 {number}", isbn)
    return SampleRecord(
        identifier=f"oai:x.example:{number}", datestamp=day, deleted=deleted, sets=sets, payloads=payloads
    )


@pytest.fixture
def source() -> SampleSource:
    return SampleSource(
        name="x",
        title="見本 <&> 館",
        records=[
            sample(1, "2024-01-01T10:00:00Z", "a"),
            sample(2, "2024-01-02T10:00:00Z", "a:b", isbn="ISBN:978-4-00-310101-8"),
            sample(3, "2024-01-03T10:00:00Z", "ab"),
            sample(4, "2024-01-03T11:00:00Z", "a", deleted=True),
            sample(5, "2024-01-04T23:59:59Z"),
        ],
        sets=(SampleSet("a", "甲"), SampleSet("a:b", "乙"), SampleSet("ab", "丙")),
        page_size=2,
    )


@pytest.fixture
def ask(source: SampleSource) -> Ask:
    """Send a request to the source: ask("ListRecords", metadataPrefix=…) returns the root of the response."""

    def ask_source(verb: str, **arguments: str) -> etree._Element:
        parameters = {name.rstrip("_"): value for name, value in arguments.items()}
        return etree.fromstring(answer(source, [("verb", verb), *parameters.items()]))

    return ask_source


def identifiers(root: etree._Element) -> list[str]:
    """The last parts of the identifiers in the headers of a response."""
    return [element.text.rpartition(":")[2] for element in root.iter(f"{OAI}identifier")]


def error(root: etree._Element) -> str:
    """The code of the error element, "" if there is none."""
    element = root.find(f"{OAI}error")
    return "" if element is None else element.get("code", "")


def token(root: etree._Element) -> str:
    return root.findtext(f".//{OAI}resumptionToken") or ""
