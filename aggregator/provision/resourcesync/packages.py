"""The ZIP files of the dumps: the current resources of a set, by blocks of items, and its changes, by closed lists.

Only blocks with changes and newly closed lists are packed. A file is never changed after it got its name; its
predecessor is kept for a day for clients that are downloading it.
"""

import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.db.models import Exists, OuterRef
from django.utils import timezone

from aggregator.models import ChangeList, ResourceChange, ResourceClock, ResourcePackage
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.resourcesync import blocks, documents, listing, snapshots
from aggregator.provision.resourcesync.documents import span_of
from aggregator.provision.resourcesync.listing import Row
from aggregator.provision.resourcesync.naming import path_in_package
from aggregator.provision.resourcesync.serialization import serialize
from aggregator.provision.resourcesync.snapshots import FOLDER
from aggregator.provision.resourcesync.snapshots import MANIFEST as MANIFEST_ENDING
from aggregator.provision.timestamps import utc_timestamp
from core import temporary_files
from core.database.batches import chunks
from core.files import shared
from harvesting.records.compression import unpack_record

DAY = 86_400
Kind = ResourceChange.Kind
CONTENT_KEPT = 30 * DAY  # seconds for which the content of changes and their packages are kept
ARCHIVE_KEPT = 400 * DAY  # seconds for which closed lists are kept; clients that come less often must start again
MANIFEST = "manifest.xml"
EARLIEST = 315_532_800  # 1980-01-01, the earliest time in a ZIP file


@dataclass(frozen=True, slots=True)
class PackageFile:
    """A ZIP file that was written: number of resources, length and hash."""

    count: int
    length: int
    sha256: bytes


def pack() -> Iterator[ResourcePackage]:
    """Write the packages that are missing or out of date, and yield them."""
    ResourceClock.objects.filter(pk=1).update(packed=int(time.time()))
    snapshots.delete_old()
    for name, origin in listing.sets().items():
        yield from _pack_blocks(name, origin)
        yield from _pack_changes(name, origin)
        snapshots.take(name, origin)
    _delete_old()


def is_due() -> bool:
    """Return whether the last packing was more than a day ago, and resources were updated since."""
    clock = ResourceClock.objects.filter(pk=1).first()
    return bool(clock and clock.packed < min(clock.at, int(time.time()) - DAY))


def shared_name(name: str) -> str:
    """Return the name of the shared file that a package or manifest is."""
    return f"{FOLDER}/{name}"


def _pack_blocks(set_name: str, origin: int) -> Iterator[ResourcePackage]:
    packed = {package.block: package for package in ResourcePackage.objects.filter(origin=origin, change_list=None)}
    for block, stamp, _live in blocks.parts(origin):
        before = packed.get(block)
        if before and before.at > stamp:
            continue
        at = int(time.time())
        name = f"resourcedump-{set_name}-{block}-{at}.zip"
        rows = _with_bytes(listing.resources(origin, block))
        result = _write(name, set_name, "resourcedump-manifest", {"at": utc_timestamp(at)}, rows)
        facts = {"name": name, "at": at, "completed": int(time.time()), **_facts(result)}
        if result.count:
            yield ResourcePackage.objects.update_or_create(origin=origin, block=block, defaults=facts)[0]
        elif before:
            before.delete()


def _with_bytes(rows: Iterable[Row]) -> Iterator[tuple[Row, bytes]]:
    """Yield resources with their current bytes; length and hash are of these bytes, so that the manifest is right."""
    terms = all_terms()
    for chunk in chunks(rows):
        by_item = contents([row.item for row in chunk], terms)
        for row in chunk:
            if row.item in by_item:
                body = serialize(by_item[row.item].record())
                yield replace(row, length=len(body), sha256=sha256(body).digest()), body


def _pack_changes(set_name: str, origin: int) -> Iterator[ResourcePackage]:
    missing = ChangeList.objects.filter(
        origin=origin, until__gt=int(time.time()) - CONTENT_KEPT, count__gt=0, package=None
    )
    # An erasure removes content earlier, and a package must contain everything that its manifest lists.
    without_bytes = ResourceChange.objects.filter(change_list=OuterRef("pk"), packed=b"").exclude(kind=Kind.DELETED)
    missing = missing.exclude(Exists(without_bytes))
    for change_list in missing.order_by("pk"):
        at = int(time.time())
        name = f"changedump-{set_name}-{change_list.pk}.zip"
        rows = ((replace(row, packed=b""), _bytes_of_change(row)) for row in listing.changes(change_list))
        rewritten = ((_measured(row, body), body) for row, body in rows)
        result = _write(name, set_name, "changedump-manifest", span_of(change_list), rewritten)
        facts = {"origin": origin, "name": name, "at": at, "completed": int(time.time()), **_facts(result)}
        yield ResourcePackage.objects.create(change_list=change_list, **facts)


def _bytes_of_change(row: Row) -> bytes:
    return serialize(unpack_record(row.packed)) if row.packed else b""


def _measured(row: Row, body: bytes) -> Row:
    return replace(row, length=len(body), sha256=sha256(body).digest()) if body else row


def _facts(result: PackageFile) -> dict[str, int | bytes]:
    return {"count": result.count, "length": result.length, "sha256": result.sha256}


def _write(
    name: str, set_name: str, capability: str, span: dict[str, str], rows: Iterable[tuple[Row, bytes]]
) -> PackageFile:
    """Write a package, and its manifest beside it. Both are renamed when complete."""
    packed_rows: list[Row] = []
    written_paths = set()
    with NamedTemporaryFile(dir=temporary_files.folder(), delete=False) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as package:
            for row, body in rows:
                packed_rows.append(row)
                path = path_in_package(row.name, row.sha256 if row.kind else b"")
                if body and path not in written_paths:  # the same state may occur twice
                    package.writestr(_entry(path, row.stamp), body)
                    written_paths.add(path)
            text = "".join(documents.manifest(set_name, capability, span, packed_rows)).encode()
            package.writestr(_entry(MANIFEST, int(time.time())), text)
        file.flush()
        file.seek(0)
    temporary = Path(file.name)
    with temporary.open("rb") as whole:
        result = PackageFile(len(packed_rows), temporary.stat().st_size, file_digest(whole, "sha256").digest())
    shared.put_bytes(text, shared_name(name.removesuffix(".zip") + MANIFEST_ENDING))
    shared.put(temporary, shared_name(name))
    return result


def _entry(path: str, seconds: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, time.gmtime(max(seconds, EARLIEST))[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _delete_old() -> None:
    """Delete the content of old changes, very old change lists, and files without a row that are older than a day."""
    before = int(time.time()) - CONTENT_KEPT
    ResourcePackage.objects.filter(change_list__until__lt=before).delete()
    ResourceChange.objects.filter(change_list__until__lt=before).exclude(packed=b"").update(packed=b"")
    for old in ChangeList.objects.filter(until__lt=int(time.time()) - ARCHIVE_KEPT).iterator():
        old.delete()  # with its changes, 10,000 at most
    delete_unreferenced(DAY)


def delete_unreferenced(seconds: float) -> None:
    """Delete the files that neither a row of ResourcePackage nor a snapshot names, if they are older than this many
    seconds.
    """
    named = set(ResourcePackage.objects.values_list("name", flat=True)) | snapshots.names()
    named |= {name.removesuffix(".zip") + MANIFEST_ENDING for name in named}
    before = timezone.now() - timedelta(seconds=seconds)
    for name in shared.files(FOLDER):
        written = None if name in named else shared.modified(shared_name(name))
        if written and written <= before:
            shared.delete(shared_name(name))
