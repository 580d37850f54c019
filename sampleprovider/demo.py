"""The providers of the demo, from demo/<name>.json (name, formats, sets) and demo/<name>.jsonl (records). No network.

In both files {base} stands for the address of the provider's own pages: http://127.0.0.1:8400/<name>.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from metadata.formats import CROSSWALKS
from metadata.formats.common.codes import number_text
from metadata.record import BibliographicRecord
from metadata.xml.parsing import XmlError, parse
from sampleprovider.source import DEFAULT_BASE, SECOND, SampleRecord, SampleSet, SampleSource

BASE = b"{base}"
DEMO = Path(__file__).parent / "demo"
HEADERS = tuple(sorted(DEMO.glob("*.json")))


class DemoError(Exception):
    """A demo file cannot be used; the message says where and why."""


class DemoHeader(msgspec.Struct, frozen=True, kw_only=True):
    """A demo provider, as far as the server needs to know. The file also has what a librarian registers."""

    name: str
    name_en: str = ""
    description: str = ""
    prefixes: tuple[str, ...]
    granularity: str = SECOND
    deleted_record: str = "persistent"
    sets: tuple[dict[str, str], ...] = ()


class DemoLine(msgspec.Struct, frozen=True, kw_only=True):
    """One record: as fields, which are written in all formats of the provider, or as raw XML in one format."""

    identifier: str
    datestamp: str
    sets: tuple[str, ...] = ()
    deleted: bool = False
    record: BibliographicRecord | None = None
    xml: str = ""
    prefix: str = ""


def demo_sources(folder: Path = DEMO) -> list[SampleSource]:
    """Return all providers of the demo, sorted by name. Raises DemoError."""
    return [demo_source(path.stem, folder) for path in sorted(folder.glob("*.json"))]


def demo_source(name: str, folder: Path = DEMO) -> SampleSource:
    """Return one provider of the demo. Raises DemoError."""
    header = demo_header(name, folder)
    return SampleSource(
        name=name,
        records=list(_records(folder / f"{name}.jsonl", header, f"{DEFAULT_BASE}/{name}".encode())),
        prefixes=header.prefixes,
        sets=tuple(SampleSet(set_["spec"], set_["name"]) for set_ in header.sets),
        granularity=header.granularity,
        deleted_record=header.deleted_record,
        title=header.name,
        title_en=header.name_en,
        description=header.description,
    )


def demo_header(name: str, folder: Path = DEMO) -> DemoHeader:
    """Return the header of a demo provider. Raises DemoError."""
    path = folder / f"{name}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=DemoHeader)
    except (OSError, msgspec.MsgspecError) as error:
        raise DemoError(f"{path}: {error}") from error


def _records(path: Path, header: DemoHeader, base: bytes) -> Iterator[SampleRecord]:
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _record(line.replace(BASE, base), header, f"{path}:{number}")
    except OSError as error:
        raise DemoError(f"{path}: {error}") from error


def _record(line: bytes, header: DemoHeader, where: str) -> SampleRecord:
    try:
        entry = msgspec.json.decode(line, type=DemoLine)
        payloads = {} if entry.deleted else _payloads(entry, header.prefixes)
    except (msgspec.MsgspecError, XmlError, KeyError) as error:
        raise DemoError(f"{where}: {error}") from error
    return SampleRecord(
        identifier=entry.identifier,
        datestamp=entry.datestamp,
        deleted=entry.deleted,
        sets=entry.sets,
        payloads=payloads,
    )


def _payloads(entry: DemoLine, prefixes: tuple[str, ...]) -> dict[str, bytes]:
    if entry.xml:
        payload = entry.xml.encode()
        # Odd content is wanted in the demo, but the XML must be well-formed: no harvester could read the page.
        parse(payload)
        return {entry.prefix or prefixes[0]: payload}
    if entry.record is None:
        return {}
    return {prefix: _as_printed(CROSSWALKS[prefix].write(entry.record), entry.record) for prefix in prefixes}


def _as_printed(payload: bytes, record: BibliographicRecord) -> bytes:
    """Return the payload with the ISBNs as the record has them: many providers do not send the normal form."""
    for identifier in record.identifiers:
        if identifier.printed:
            payload = payload.replace(number_text(identifier).encode(), identifier.printed.encode())
    return payload
