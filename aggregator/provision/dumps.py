"""Everything that is given on, in a few files: JSON Lines and RDF, with dates, counts and checksums. No HTTP.

A dump is a folder below DATA_DIR/dumps, named after the second in which it began. It is made beside the others and
put there whole. What changes meanwhile is left to OAI-PMH, asked from that second on.
"""

import gzip
import hashlib
import json
import os
import shutil
import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from time import gmtime, strftime, time

import msgspec
from django.conf import settings
from msgspec import structs

from aggregator.models import Member
from aggregator.provision import listing
from aggregator.provision.contents import Content, Terms, all_terms, contents
from aggregator.provision.listing import Entry, Span
from aggregator.provision.pending import MERGED, is_merged, number_of
from aggregator.provision.sets import EVERY_REPOSITORY, Part
from aggregator.provision.timestamps import moment
from harvesting.records.compression import unpack_record
from metadata.formats import CROSSWALKS
from metadata.record import BibliographicRecord

PARTS = {"merged": Part(origin=MERGED), "records": Part(origin=EVERY_REPOSITORY)}
DAY = 86_400  # seconds
STEP = 500  # records read at once
KEPT = 3
NAME = r"[0-9]{8}T[0-9]{6}Z"
MANIFEST = "manifest.json"
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Given:
    """A record as a dump gives it. members: public ids behind a merged one."""

    entry: Entry
    content: Content
    record: BibliographicRecord
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Format:
    """How a file begins and ends, and what stands in it for each record."""

    head: bytes
    line: Callable[[Given], bytes]
    foot: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class File:
    """One file of a dump, packed with gzip. sha256: of the file as it is, in hexadecimal."""

    name: str
    media_type: str
    records: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Dump:
    """A finished dump. began, made: "2026-11-22T05:00:00Z"; what changed since is asked for from `began` on."""

    name: str
    began: str
    made: str
    files: tuple[File, ...]

    @property
    def folder(self) -> Path:
        return folder() / self.name


def folder() -> Path:
    return Path(settings.DATA_DIR) / "dumps"


def kept() -> list[Dump]:
    """The dumps there are, the newest first."""
    manifests = sorted(folder().glob(f"*/{MANIFEST}"), reverse=True)
    return [_read(path) for path in manifests if not path.parent.name.startswith(".")]


def is_due() -> bool:
    """Whether there is something to dump, and the newest dump is older than the settings want."""
    newest = next(iter(kept()), None)
    if not settings.DUMP_DAYS or listing.earliest() is None:
        return False
    return newest is None or moment(int(time() - settings.DUMP_DAYS * DAY)) > newest.began


def make(formats: Collection[str], keep: int = KEPT) -> Iterator[int | Dump]:
    """Make a dump; yields how many records each step wrote, at last the dump. Of earlier ones the newest stay."""
    second = listing.began()
    beside = folder() / f".{uuid.uuid4().hex}"
    beside.mkdir(parents=True)
    try:
        files: list[File] = []
        for part in PARTS:
            counts = dict.fromkeys(formats, 0)
            yield from _write(beside, part, counts, second)
            files += [_described(beside / f"{part}.{name}.gz", FORMATS[name], count) for name, count in counts.items()]
        name = strftime("%Y%m%dT%H%M%SZ", gmtime(second))
        dump = Dump(name=name, began=moment(second), made=moment(None), files=tuple(files))
        (beside / MANIFEST).write_text(json.dumps(asdict(dump), indent=1) + "\n", encoding="utf-8")
        _put(beside, dump.folder)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    for old in kept()[max(keep, 1) :]:
        shutil.rmtree(old.folder, ignore_errors=True)
    yield dump


def _put(beside: Path, place: Path) -> None:
    """Whole or not at all; one of the same second is replaced."""
    if place.exists():
        shutil.rmtree(place)
    beside.replace(place)


def _write(beside: Path, part: str, counts: dict[str, int], second: int) -> Iterator[int]:
    """All files of a part in one pass; counts what each format got."""
    terms = all_terms()
    with ExitStack() as stack:
        files = {}
        for name in counts:
            raw = stack.enter_context((beside / f"{part}.{name}.gz").open("wb"))
            # Nothing of the time or the name in it: the same records give the same bytes.
            files[name] = stack.enter_context(gzip.GzipFile("", "wb", 6, raw, mtime=0))
            files[name].write(FORMATS[name].head)
        for step in _given(Span(until=second, part=PARTS[part]), terms):
            for name, file in files.items():
                file.write(b"".join(map(FORMATS[name].line, step)))
                counts[name] += len(step)
            yield len(step)
        for name, file in files.items():
            file.write(FORMATS[name].foot)


def _given(span: Span, terms: Mapping[int, Terms]) -> Iterator[list[Given]]:
    place = listing.START
    while entries := listing.page(span, STEP, place):
        place = entries[-1].place
        found = contents([each.item for each in entries if not each.deleted], terms)
        members = _members([number_of(item) for item in found if is_merged(item)], terms)
        yield [
            Given(each, found[each.item], unpack_record(found[each.item].packed), tuple(members[each.item]))
            for each in entries
            if each.item in found
        ]


def _members(numbers: Collection[int], terms: Mapping[int, Terms]) -> defaultdict[int, list[str]]:
    """Item -> public ids of those behind it that are given on."""
    members: defaultdict[int, list[str]] = defaultdict(list)
    columns = ("manifestation", "source_record__repository", "source_record__public_id")
    for number, origin, name in Member.objects.filter(manifestation__in=numbers).order_by("pk").values_list(*columns):
        if origin in terms and terms[origin].give_on:
            members[number * 2 + 1].append(name)
    return members


def _described(path: Path, format_: Format, count: int) -> File:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
        os.fsync(file.fileno())
    return File(path.name, format_.media_type, count, path.stat().st_size, digest.hexdigest())


def _read(path: Path) -> Dump:
    return msgspec.json.decode(path.read_bytes(), type=Dump)


def _json_line(given: Given) -> bytes:
    """The record with the names of its fields as in metadata.record."""
    about = {
        "id": given.entry.name,
        "url": _address(given),
        "changed": moment(given.entry.stamp),
        "types": given.entry.types.split(),
        "licences": given.content.licences,
        **({"members": given.members} if is_merged(given.entry.item) else {}),
        "record": given.record,
    }
    return msgspec.json.encode(about) + b"\n"


def _address(given: Given) -> str:
    """Of its page: a merged record is found under each of its members."""
    return f"{settings.PUBLIC_URL}/books/{given.members[0] if given.members else given.entry.name}"


def _frame() -> tuple[bytes, bytes]:
    """What stands before and behind the descriptions in every DC-NDL record."""
    before, between, after = CROSSWALKS["dcndl"].write(BibliographicRecord()).partition(b"<dcndl:BibAdminResource")
    return before, b"</" + (between + after).rpartition(b"</")[2]


def _rdf_line(given: Given) -> bytes:
    """The descriptions of a record; all are in one rdf:RDF, whose namespaces are the same for all."""
    record = given.record
    if not (record.uri or record.see_also):  # every record of the document needs a name of its own
        record = structs.replace(record, uri=_address(given))
    return CROSSWALKS["dcndl"].write(record)[len(_HEAD) : -len(_FOOT)] + b"\n"


_HEAD, _FOOT = _frame()
FORMATS = {
    "jsonl": Format(b"", _json_line, b"", "application/x-ndjson"),
    "rdf": Format(_HEAD + b"\n", _rdf_line, _FOOT + b"\n", "application/rdf+xml"),
}
