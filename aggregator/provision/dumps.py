"""Dumps: all redistributable data in a few files, as JSON Lines and RDF, with dates, counts and checksums. No HTTP.

A dump is a folder of shared files below "dumps", named after the second in which it began. It is written to a
temporary folder first; its manifest comes last and makes it visible. Later changes can be harvested by OAI-PMH from
that second on.
"""

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import gmtime, strftime, time
from xml.sax.saxutils import escape, quoteattr

import msgspec
from django.conf import settings

from aggregator.catalogue.identity import page_address
from aggregator.provision import listing
from aggregator.provision.contents import Content, Terms, all_terms, contents
from aggregator.provision.licences import conditions as conditions_of_all
from aggregator.provision.listing import Entry, Span
from aggregator.provision.pending import MERGED, is_merged
from aggregator.provision.sets import EVERY_REPOSITORY, Part, type_names
from aggregator.provision.timestamps import utc_timestamp
from core import temporary_files
from core.files import shared
from metadata.formats import TARGET
from metadata.links import safe_href
from metadata.record import BibliographicRecord
from metadata.xml.parsing import strip_illegal

FOLDER = "dumps"
PARTS = {"merged": Part(origin=MERGED), "records": Part(origin=EVERY_REPOSITORY)}
DAY = 86_400  # seconds
STEP = 500  # records read at a time
DUMPS_KEPT = 3
MOST_LICENCES = 100  # that a manifest names
# The conditions of licences, as in the names of files. Records under any of them are in files of their own, so that
# everything in a file may be used in the same way.
CONDITIONS = {"nc": "noncommercial", "nd": "unchanged", "sa": "sharealike"}
NAME = r"[0-9]{8}T[0-9]{6}Z"
FILE_NAME = r"[a-z]+(?:-[a-z]+)*\.[a-z]+\.gz"
MANIFEST = "manifest.json"
_CHUNK = 1024 * 1024
type Conditions = tuple[str, ...]  # keys of CONDITIONS, in its order


@dataclass(frozen=True, slots=True)
class DumpRecord:
    """A record in a dump, as it is redistributed."""

    entry: Entry
    content: Content
    record: BibliographicRecord


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: the beginning and end of a file, and a function that returns the line of a record."""

    head: bytes
    line: Callable[[DumpRecord], bytes]
    foot: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class File:
    """One file of a dump, compressed with gzip. sha256: of the compressed file, in hexadecimal.

    conditions: the keys of CONDITIONS that the licences of all its records set; () = none, or attribution only.
    """

    name: str
    media_type: str
    records: int
    bytes: int
    sha256: str
    conditions: Conditions = ()


@dataclass(frozen=True, slots=True)
class Dump:
    """A finished dump. began, made: such as "2026-11-22T05:00:00Z". Later changes are harvested from `began` on.

    licences: by part, how many records are under each licence ("" = none stated), the most frequent ones.
    """

    name: str
    began: str
    made: str
    files: tuple[File, ...]
    licences: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        return f"{FOLDER}/{self.name}"


def finished_dumps() -> list[Dump]:
    """Return all finished dumps, the newest first."""
    folders = (f"{FOLDER}/{name}" for name in reversed(shared.folders(FOLDER)))
    return [_read(f"{folder}/{MANIFEST}") for folder in folders if MANIFEST in shared.files(folder)]


def is_due() -> bool:
    """Return whether there is data to dump, and the newest dump is older than DUMP_DAYS."""
    newest = next(iter(finished_dumps()), None)
    if not settings.DUMP_DAYS or listing.earliest() is None:
        return False
    return newest is None or utc_timestamp(int(time() - settings.DUMP_DAYS * DAY)) > newest.began


def make_dump(formats: Collection[str], keep: int = DUMPS_KEPT) -> Iterator[int | Dump]:
    """Write a dump. Yield the number of records of every step, and finally the dump.

    keep: how many dumps remain afterwards; older ones are deleted.
    """
    second = listing.begin_list()
    terms = all_terms()
    with TemporaryDirectory(prefix="dump-", dir=temporary_files.folder()) as temporary:
        staging = Path(temporary)
        files: list[File] = []
        licences: dict[str, dict[str, int]] = {}
        for part in PARTS:
            found: Counter[str] = Counter()
            with ExitStack() as stack:
                written = _Files(stack, staging, part, formats)
                for step in _record_batches(Span(until=second, part=PARTS[part]), terms):
                    written.add(step)
                    found.update(licence for record in step for licence in record.content.licences or ("",))
                    yield len(step)
                written.finish()
            licences[part] = dict(found.most_common(MOST_LICENCES))
            files += written.described()
        name = strftime("%Y%m%dT%H%M%SZ", gmtime(second))
        dump = Dump(
            name=name, began=utc_timestamp(second), made=utc_timestamp(None), files=tuple(files), licences=licences
        )
        _publish(staging, dump)
    kept = {old.name for old in finished_dumps()[: max(keep, 1)]}
    for name in shared.folders(FOLDER):
        if name not in kept:  # an old dump, or one whose publication was killed
            shared.delete_folder(f"{FOLDER}/{name}")
    yield dump


def _publish(staging: Path, dump: Dump) -> None:
    """Put the files in place, the manifest last. A dump of the same second is replaced."""
    shared.delete_folder(dump.folder)
    for file in dump.files:
        shared.put(staging / file.name, f"{dump.folder}/{file.name}")
    manifest = json.dumps(asdict(dump), indent=1) + "\n"
    shared.put_bytes(manifest.encode(), f"{dump.folder}/{MANIFEST}")


class _Files:
    """The files of a part while they are written: for every format one for each combination of conditions.

    Those for records without conditions are always written, the others when the first record for them comes.
    """

    def __init__(self, stack: ExitStack, staging: Path, part: str, formats: Collection[str]) -> None:
        self._stack, self._staging, self._part, self._formats = stack, staging, part, formats
        self._open: dict[tuple[str, Conditions], gzip.GzipFile] = {}
        self._counts: Counter[tuple[str, Conditions]] = Counter()
        for name in formats:
            self._file(name, ())

    def add(self, records: Iterable[DumpRecord]) -> None:
        sorted_out: dict[Conditions, list[DumpRecord]] = {}
        for record in records:
            sorted_out.setdefault(_conditions(record), []).append(record)
        for name in self._formats:
            for conditions, own in sorted_out.items():
                self._file(name, conditions).write(b"".join(map(FORMATS[name].line, own)))
                self._counts[name, conditions] += len(own)

    def finish(self) -> None:
        for (name, _conditions), file in self._open.items():
            file.write(FORMATS[name].foot)

    def described(self) -> list[File]:
        return [
            _describe_file(self._path(name, conditions), FORMATS[name], self._counts[name, conditions], conditions)
            for name, conditions in sorted(self._open, key=lambda key: key[1])
        ]

    def _file(self, name: str, conditions: Conditions) -> gzip.GzipFile:
        if (name, conditions) not in self._open:
            raw = self._stack.enter_context(self._path(name, conditions).open("wb"))
            # No time and no name in the header, so that the same records give the same bytes.
            file = self._stack.enter_context(gzip.GzipFile("", "wb", 6, raw, mtime=0))
            file.write(FORMATS[name].head)
            self._open[name, conditions] = file
        return self._open[name, conditions]

    def _path(self, name: str, conditions: Conditions) -> Path:
        stem = "-".join((self._part, *(CONDITIONS[code] for code in conditions)))
        return self._staging / f"{stem}.{name}.gz"


def _conditions(record: DumpRecord) -> Conditions:
    """Return the conditions of all licences of a record, in the order of CONDITIONS."""
    found = conditions_of_all(record.content.licences)
    return tuple(code for code in CONDITIONS if code in found)


def _record_batches(span: Span, terms: Mapping[int, Terms]) -> Iterator[list[DumpRecord]]:
    position = listing.START
    while entries := listing.page(span, STEP, position):
        position = entries[-1].place
        by_item = contents([entry.item for entry in entries if not entry.deleted], terms)
        yield [
            DumpRecord(entry, by_item[entry.item], by_item[entry.item].record())
            for entry in entries
            if entry.item in by_item
        ]


def _describe_file(path: Path, format_: Format, count: int, conditions: Conditions) -> File:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return File(path.name, format_.media_type, count, path.stat().st_size, digest.hexdigest(), conditions)


def _read(name: str) -> Dump:
    return msgspec.json.decode(shared.read(name), type=Dump)


def _json_line(record: DumpRecord) -> bytes:
    """Return a JSON line. The record's fields have the same names as in metadata.record."""
    line = {
        "id": record.entry.name,
        "url": page_address(record.entry.name),
        "changed": utc_timestamp(record.entry.stamp),
        "types": type_names(record.entry.types),
        "licences": record.content.licences,
        **({"members": record.content.members} if is_merged(record.entry.item) else {}),
        "record": record.record,
    }
    return msgspec.json.encode(line) + b"\n"


def _frame() -> tuple[bytes, bytes]:
    """Return what comes before and after the descriptions in every DC-NDL record."""
    before, between, after = TARGET.write(BibliographicRecord()).partition(b"<dcndl:BibAdminResource")
    return before, b"</" + (between + after).rpartition(b"</")[2]


def _rdf_line(record: DumpRecord) -> bytes:
    """Return the descriptions of a record, and its licences as statements about the description. All records of a file
    are in one rdf:RDF, with the same namespaces.
    """
    own = TARGET.write(record.record)[len(_HEAD) : -len(_FOOT)]
    return own + b"".join(_licence_statement(record.record.uri, text) for text in record.content.licences) + b"\n"


def _licence_statement(subject: str, licence: str) -> bytes:
    about = quoteattr(strip_illegal(subject))
    if safe_href(licence):
        said = f"<dcterms:license rdf:resource={quoteattr(strip_illegal(licence))}/>"
    else:
        said = f"<dcterms:rights>{escape(strip_illegal(licence))}</dcterms:rights>"
    return f"<rdf:Description rdf:about={about}>{said}</rdf:Description>".encode()


_HEAD, _FOOT = _frame()
FORMATS = {
    "jsonl": Format(b"", _json_line, b"", "application/x-ndjson"),
    "rdf": Format(_HEAD + b"\n", _rdf_line, _FOOT + b"\n", "application/rdf+xml"),
}
