"""The demo's providers, from demo/<name>.json (who it is) and demo/<name>.jsonl (its records). No network.

In both, {base} stands for the address that the provider's own pages have: http://127.0.0.1:8400/<name>.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from metadata.formats import CROSSWALKS
from metadata.record import BibliographicRecord
from metadata.xml.parsing import XmlError, parse
from sampleprovider.source import DEFAULT_BASE, SECOND, SampleRecord, SampleSet, SampleSource

BASE = b"{base}"
DEMO = Path(__file__).parent / "demo"
HEADERS = tuple(sorted(DEMO.glob("*.json")))


class DemoError(Exception):
    """A demo file that cannot be used: where, and why."""


class DemoHeader(msgspec.Struct, frozen=True, kw_only=True):
    """Who a demo provider is, as far as it must know itself; what a librarian registers stands in the file too."""

    name: str
    name_en: str = ""
    description: str = ""
    prefixes: tuple[str, ...]
    granularity: str = SECOND
    deleted_record: str = "persistent"
    sets: tuple[dict[str, str], ...] = ()


class DemoLine(msgspec.Struct, frozen=True, kw_only=True):
    """One record: as fields, which are written in each of the provider's formats, or as raw XML in one."""

    identifier: str
    datestamp: str
    sets: tuple[str, ...] = ()
    deleted: bool = False
    record: BibliographicRecord | None = None
    xml: str = ""
    prefix: str = ""


def demo_sources(folder: Path = DEMO) -> list[SampleSource]:
    """Every provider of the demo, by name. Raises DemoError."""
    return [demo_source(path.stem, folder) for path in sorted(folder.glob("*.json"))]


def demo_source(name: str, folder: Path = DEMO) -> SampleSource:
    """One provider of the demo. Raises DemoError."""
    header = demo_header(name, folder)
    return SampleSource(
        name=name,
        records=list(_records(folder / f"{name}.jsonl", header, f"{DEFAULT_BASE}/{name}".encode())),
        prefixes=header.prefixes,
        sets=tuple(SampleSet(each["spec"], each["name"]) for each in header.sets),
        granularity=header.granularity,
        deleted_record=header.deleted_record,
        title=header.name,
        title_en=header.name_en,
        description=header.description,
    )


def demo_header(name: str, folder: Path = DEMO) -> DemoHeader:
    """Who a demo provider is. Raises DemoError."""
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
        told = msgspec.json.decode(line, type=DemoLine)
        payloads = {} if told.deleted else _payloads(told, header.prefixes)
    except (msgspec.MsgspecError, XmlError, KeyError) as error:
        raise DemoError(f"{where}: {error}") from error
    return SampleRecord(
        identifier=told.identifier,
        datestamp=told.datestamp,
        deleted=told.deleted,
        sets=told.sets,
        payloads=payloads,
    )


def _payloads(told: DemoLine, prefixes: tuple[str, ...]) -> dict[str, bytes]:
    if told.xml:
        payload = told.xml.encode()
        # Odd content is welcome in the demo, a page that no harvester can read is not.
        parse(payload)
        return {told.prefix or prefixes[0]: payload}
    if told.record is None:
        return {}
    return {prefix: CROSSWALKS[prefix].write(told.record) for prefix in prefixes}
