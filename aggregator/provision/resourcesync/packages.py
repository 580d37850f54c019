"""The ZIP files of the dumps: what a set has, by spans of numbers, and what changed, by closed lists.

Only what is not packed yet is packed: a span in which something changed, a list that was closed. A file gets its name
once and never changes; the one before stays a day for those who are fetching it.
"""

import time
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.conf import settings
from django.db.models import Exists, OuterRef

from aggregator.models import ChangeList, ResourceChange, ResourceClock, ResourcePackage
from aggregator.provision.contents import all_terms, contents
from aggregator.provision.resourcesync import documents, listing
from aggregator.provision.resourcesync.bytes_of import written
from aggregator.provision.resourcesync.documents import span_of
from aggregator.provision.resourcesync.listing import Row
from aggregator.provision.resourcesync.naming import path_in_package
from aggregator.provision.timestamps import moment
from core.database.batches import chunks

DAY = 86_400
Kind = ResourceChange.Kind
UNPACKED_AFTER = 30 * DAY  # seconds after which changes lose their bytes, and their packages go
ARCHIVED = 400 * DAY  # seconds for which closed lists are told; who asks more seldom takes everything anew
MANIFEST = "manifest.xml"
EARLIEST = 315_532_800  # 1980-01-01: ZIP knows no earlier time


@dataclass(frozen=True, slots=True)
class Packed:
    """A file that was written: how many resources are in it, its length and hash."""

    count: int
    length: int
    sha256: bytes


def pack() -> Iterator[ResourcePackage]:
    """Write every package that is missing or out of date; yields each."""
    folder().mkdir(parents=True, exist_ok=True)
    ResourceClock.objects.filter(pk=1).update(packed=int(time.time()))
    for name, origin in listing.sets().items():
        yield from _pack_blocks(name, origin)
        yield from _pack_changes(name, origin)
    _drop_old()


def is_due() -> bool:
    """Whether a day has passed since packages were made, and anything was taken over since."""
    clock = ResourceClock.objects.filter(pk=1).first()
    return bool(clock and clock.packed < min(clock.at, int(time.time()) - DAY))


def folder() -> Path:
    return Path(settings.DATA_DIR) / "resourcesync"


def file_of(name: str) -> Path | None:
    """The file of a package or of its manifest, None if there is none of this name."""
    path = folder() / name
    return path if path.parent == folder() and path.is_file() else None


def _pack_blocks(set_name: str, origin: int) -> Iterator[ResourcePackage]:
    packed = {each.block: each for each in ResourcePackage.objects.filter(origin=origin, change_list=None)}
    for block, stamp, _live in listing.parts(origin):
        before = packed.get(block)
        if before and before.at > stamp:
            continue
        at = int(time.time())
        name = f"resourcedump-{set_name}-{block}-{at}.zip"
        rows = _with_bytes(listing.resources(origin, block))
        result = _write(name, set_name, "resourcedump-manifest", {"at": moment(at)}, rows)
        facts = {"name": name, "at": at, "completed": int(time.time()), **_facts(result)}
        if result.count:
            yield ResourcePackage.objects.update_or_create(origin=origin, block=block, defaults=facts)[0]
        elif before:
            before.delete()


def _with_bytes(rows: Iterable[Row]) -> Iterator[tuple[Row, bytes]]:
    """Each resource with what it is at this moment: the manifest tells the hash of these very bytes."""
    terms = all_terms()
    for chunk in chunks(rows):
        found = contents([each.item for each in chunk], terms)
        for row in chunk:
            if row.item in found:
                body = written(found[row.item].packed)
                yield replace(row, length=len(body), sha256=sha256(body).digest()), body


def _pack_changes(set_name: str, origin: int) -> Iterator[ResourcePackage]:
    missing = ChangeList.objects.filter(
        origin=origin, until__gt=int(time.time()) - UNPACKED_AFTER, count__gt=0, package=None
    )
    # An erasure takes bytes away earlier: a package must hold what its manifest names.
    without_bytes = ResourceChange.objects.filter(change_list=OuterRef("pk"), packed=b"").exclude(kind=Kind.DELETED)
    missing = missing.exclude(Exists(without_bytes))
    for each in missing.order_by("pk"):
        at = int(time.time())
        name = f"changedump-{set_name}-{each.pk}.zip"
        rows = ((replace(row, packed=b""), _bytes_of_change(row)) for row in listing.changes(each))
        rewritten = ((_told(row, body), body) for row, body in rows)
        result = _write(name, set_name, "changedump-manifest", span_of(each), rewritten)
        facts = {"origin": origin, "name": name, "at": at, "completed": int(time.time()), **_facts(result)}
        yield ResourcePackage.objects.create(change_list=each, **facts)


def _bytes_of_change(row: Row) -> bytes:
    return written(row.packed) if row.packed else b""


def _told(row: Row, body: bytes) -> Row:
    return replace(row, length=len(body), sha256=sha256(body).digest()) if body else row


def _facts(result: Packed) -> dict[str, int | bytes]:
    return {"count": result.count, "length": result.length, "sha256": result.sha256}


def _write(
    name: str, set_name: str, capability: str, span: dict[str, str], rows: Iterable[tuple[Row, bytes]]
) -> Packed:
    """A package and, beside it, its manifest; each appears whole or not at all."""
    inside: list[Row] = []
    written_paths = set()
    with NamedTemporaryFile(dir=folder(), delete=False) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as package:
            for row, body in rows:
                inside.append(row)
                path = path_in_package(row.name, row.sha256 if row.kind else b"")
                if body and path not in written_paths:  # one state may come twice
                    package.writestr(_entry(path, row.stamp), body)
                    written_paths.add(path)
            text = "".join(documents.manifest(set_name, capability, span, inside)).encode()
            package.writestr(_entry(MANIFEST, int(time.time())), text)
        file.flush()
        file.seek(0)
    place = Path(file.name)
    with place.open("rb") as whole:
        result = Packed(len(inside), place.stat().st_size, file_digest(whole, "sha256").digest())
    beside = place.with_name(name.removesuffix(".zip") + "-manifest.xml")
    beside.write_bytes(text)
    place.chmod(0o644)
    place.replace(place.with_name(name))
    return result


def _entry(path: str, seconds: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, time.gmtime(max(seconds, EARLIEST))[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _drop_old() -> None:
    """Old changes lose their bytes, very old ones go; files that no row names any more go after a day."""
    before = int(time.time()) - UNPACKED_AFTER
    ResourcePackage.objects.filter(change_list__until__lt=before).delete()
    ResourceChange.objects.filter(change_list__until__lt=before).exclude(packed=b"").update(packed=b"")
    for old in ChangeList.objects.filter(until__lt=int(time.time()) - ARCHIVED).iterator():
        old.delete()  # with its changes, 10,000 at most
    drop_unnamed(DAY)


def drop_unnamed(seconds: float) -> None:
    """Delete the files that no row names, if they are as old as this."""
    named = set(ResourcePackage.objects.values_list("name", flat=True))
    named |= {each.removesuffix(".zip") + "-manifest.xml" for each in named}
    for path in folder().glob("*"):
        if path.name not in named and path.stat().st_mtime < time.time() - seconds:
            path.unlink(missing_ok=True)
