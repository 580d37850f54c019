"""The providers of the small demo, from <name>.json (a header) and <name>.jsonl (records) beside this file. No network.

In both files {base} stands for the address of the provider's own pages: http://127.0.0.1:8400/<name>.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from metadata.formats import CROSSWALKS
from metadata.formats.common.codes import number_text
from metadata.record import BibliographicRecord
from metadata.xml.parsing import XmlError, parse
from sampleprovider.demo.headers import SMALL, DemoError, DemoHeader, read_header
from sampleprovider.source import DEFAULT_BASE, SampleRecord, SampleSource

BASE = b"{base}"


class DemoLine(msgspec.Struct, frozen=True, kw_only=True):
    """One record: as fields, which are written in all formats of the provider, or as raw XML in one format."""

    identifier: str
    datestamp: str
    sets: tuple[str, ...] = ()
    deleted: bool = False
    record: BibliographicRecord | None = None
    xml: str = ""
    prefix: str = ""


def demo_sources() -> list[SampleSource]:
    """Return all providers of the demo, sorted by name. Raises DemoError."""
    return [demo_source(path.stem) for path in sorted(SMALL.glob("*.json"))]


def demo_source(name: str, folder: Path = SMALL) -> SampleSource:
    """Return one provider of the demo. Raises DemoError."""
    header = read_header(folder / f"{name}.json")
    return header.source(name, _records(folder / f"{name}.jsonl", header, f"{DEFAULT_BASE}/{name}".encode()))


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
    return {prefix: as_printed(CROSSWALKS[prefix].write(entry.record), entry.record) for prefix in prefixes}


def as_printed(payload: bytes, record: BibliographicRecord) -> bytes:
    """Return the payload with the ISBNs as the record has them: many providers do not send the normal form."""
    for identifier in record.identifiers:
        if identifier.printed:
            payload = payload.replace(number_text(identifier).encode(), identifier.printed.encode())
    return payload
