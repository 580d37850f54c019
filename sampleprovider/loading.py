"""Makes a source from folders of collected XML: RDF files, SRU and OAI-PMH responses. No network.

Unreadable files and records are reported with the reason and left out; they do not stop the loading of the rest.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from lxml import etree

from metadata.xml.parsing import XmlError, parse
from sampleprovider.arguments import DATE
from sampleprovider.source import SampleRecord, SampleSet, SampleSource

SUFFIXES = frozenset({".xml", ".rdf"})
ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
HEADER = ("identifier", "datestamp")
START_TAG = re.compile(rb"<[^\s/>]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or record that was left out, and why."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading. repeated: number of records that occurred before, byte for byte; they are served once."""

    source: SampleSource
    problems: tuple[Problem, ...]
    repeated: int


def load_folders(prefix: str, folders: Sequence[Path]) -> Loaded:
    """Load all records below the folders as one source named loaded-<prefix>."""
    records: dict[str, SampleRecord] = {}
    problems: list[Problem] = []
    repeated = 0
    for loaded in chain.from_iterable(_read_folder(prefix, folder) for folder in folders):
        if isinstance(loaded, Problem):
            problems.append(loaded)
            continue
        record = _with_unique_identifier(loaded, records)
        repeated += record.identifier in records
        records[record.identifier] = record
    specs = sorted({spec for record in records.values() for spec in record.sets})
    source = SampleSource(
        name=f"loaded-{prefix}",
        records=records.values(),
        prefixes=(prefix,),
        sets=tuple(SampleSet(spec, spec) for spec in specs),
        title=f"{', '.join(folder.name for folder in folders)} ({prefix})",
    )
    return Loaded(source, tuple(problems), repeated)


def _with_unique_identifier(record: SampleRecord, records: dict[str, SampleRecord]) -> SampleRecord:
    """The record under an unused identifier: a collection may hold several versions of a record."""
    identifier, number = record.identifier, 1
    while identifier in records and records[identifier].payloads != record.payloads:
        number += 1
        identifier = f"{record.identifier}~{number}"
    return replace(record, identifier=identifier)


def _read_folder(prefix: str, folder: Path) -> Iterator[SampleRecord | Problem]:
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in SUFFIXES or not path.is_file():
            continue
        place = str(path.relative_to(folder))
        try:
            root = parse(path.read_bytes())
            changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except (OSError, XmlError) as error:
            yield Problem(place, str(error))
            continue
        yield from _from_document(root, prefix, place, f"{changed:%Y-%m-%dT%H:%M:%SZ}")


def _from_document(root: etree._Element, prefix: str, place: str, changed: str) -> Iterator[SampleRecord | Problem]:
    """The records of one file: those of a response; any other document is one record."""
    name = etree.QName(root).localname
    if name == "OAI-PMH":
        parts = [_from_oai(header, prefix, place) for header in root.iterfind(".//{*}record/{*}header")]
    elif name == "searchRetrieveResponse":
        parts = [_from_sru(data, prefix, place, changed) for data in root.iterfind(".//{*}recordData")]
    else:
        parts = [_from_payload(root, prefix, place, changed)]
    for position, part in enumerate(parts):
        # Several records without an identifier in one file
        if isinstance(part, SampleRecord) and part.identifier == place and len(parts) > 1:
            yield replace(part, identifier=f"{place}#{position + 1}")
        else:
            yield part
    if not parts:
        yield Problem(place, f"no record in this {name}: {_reason(root)}")


def _from_oai(header: etree._Element, prefix: str, place: str) -> SampleRecord | Problem:
    """A record of an OAI-PMH response: its header, as far as it is usable, and its metadata."""
    identifier, datestamp = ("".join((header.findtext(f"{{*}}{name}") or "").split()) for name in HEADER)
    if not identifier:
        return Problem(place, "a header without an identifier")
    payload = header.find("../{*}metadata/*")
    deleted = header.get("status") == "deleted"
    if payload is None and not deleted:
        return Problem(f"{place} {identifier}", "neither metadata nor deleted")
    return SampleRecord(
        identifier=identifier,
        datestamp=datestamp if DATE.fullmatch(datestamp) else "1970-01-01",
        deleted=deleted,
        sets=tuple(spec.text.strip() for spec in header.iterfind("{*}setSpec") if spec.text and spec.text.strip()),
        payloads={} if payload is None or deleted else {prefix: standalone(payload)},
    )


def _from_sru(data: etree._Element, prefix: str, place: str, changed: str) -> SampleRecord | Problem:
    """The record in a recordData element: as XML, or as escaped text (recordPacking "string")."""
    if len(data):
        return _from_payload(data[0], prefix, place, changed)
    try:
        return _from_payload(parse((data.text or "").strip().encode()), prefix, place, changed)
    except XmlError as error:
        return Problem(f"{place} recordData", str(error))


def _from_payload(root: etree._Element, prefix: str, place: str, changed: str) -> SampleRecord:
    about = next((child.get(ABOUT) for child in root if child.get(ABOUT)), "") or ""
    identifier = "".join(about.partition("#")[0].split())
    return SampleRecord(identifier=identifier or place, datestamp=changed, payloads={prefix: standalone(root)})


def _reason(root: etree._Element) -> str:
    """The reason that a response without records gives."""
    errors = (element for element in root.iterfind(".//{*}error") if element.text)
    diagnostics = (element for element in root.iterfind(".//{*}message") if element.text)
    return "; ".join(element.text or "" for element in (*errors, *diagnostics)) or "nothing said"


def standalone(root: etree._Element) -> bytes:
    """Return an element as a document that keeps its meaning when it is put into a response."""
    payload = etree.tostring(root, encoding="UTF-8", xml_declaration=False, with_tail=False)
    if etree.QName(root).namespace is None and b' xmlns=""' not in payload[: payload.index(b">")]:
        # Otherwise the element would get the namespace of OAI-PMH within the response.
        return START_TAG.sub(lambda match: match[0] + b' xmlns=""', payload, count=1)
    return payload
