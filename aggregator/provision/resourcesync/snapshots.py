"""Snapshots: the packages of a set's resource dump at an earlier time, for the archives (ResourceSync Archives 1.0).

A snapshot is a small file beside the packages that it names; these are kept as long as it is. The manifests of its
packages also say what the resource list was. One is taken a week and kept for 30 days, like the content of changes.
When a provider withdraws its records, its snapshots are deleted, and with them those of the merged records.
"""

from dataclasses import dataclass
from pathlib import Path
from time import time

import msgspec
from django.conf import settings
from lxml import etree

from aggregator.models import ResourcePackage
from aggregator.provision.contents import all_terms
from aggregator.provision.resourcesync import listing
from aggregator.provision.resourcesync.naming import MERGED
from metadata.xml.parsing import parse

DAY = 86_400
SPACING, KEPT = 7 * DAY, 30 * DAY  # seconds
MANIFEST = "-manifest.xml"


class Package(msgspec.Struct, frozen=True):
    """A package of a snapshot, with the columns of `ResourcePackage`. sha256: in hexadecimal."""

    name: str
    block: int
    at: int
    completed: int
    length: int
    sha256: str

    @property
    def row(self) -> ResourcePackage:
        """The package as a row that is not in the table."""
        digest = bytes.fromhex(self.sha256)
        return ResourcePackage(
            name=self.name, block=self.block, at=self.at, completed=self.completed, length=self.length, sha256=digest
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The packages of a set at a time (seconds since 1970): when the oldest of them was begun."""

    path: Path
    at: int
    packages: tuple[Package, ...]

    @property
    def completed(self) -> int:
        return max(package.completed for package in self.packages)


def folder() -> Path:
    return Path(settings.DATA_DIR) / "resourcesync"


def snapshots(set_name: str) -> list[Snapshot]:
    """Return the snapshots of a set, the oldest first."""
    return sorted(map(_read, folder().glob(f"snapshot-{set_name}-*.json")), key=lambda snapshot: snapshot.completed)


def find(set_name: str, at: int) -> Snapshot | None:
    """Return the snapshot of this time, or None. The time is when its newest package was completed."""
    return next((snapshot for snapshot in snapshots(set_name) if snapshot.completed == at), None)


def take(set_name: str, origin: int) -> None:
    """Take a snapshot of a set if the last one is a week old and the packages have changed since."""
    rows = ResourcePackage.objects.filter(origin=origin, block__isnull=False).order_by("block")
    packages = tuple(
        Package(row.name, row.block or 0, row.at, row.completed, row.length, bytes(row.sha256).hex()) for row in rows
    )
    last = next(reversed(snapshots(set_name)), None)
    if not packages or (last and (last.packages == packages or last.completed > time() - SPACING)):
        return
    path = folder() / f"snapshot-{set_name}-{max(package.completed for package in packages)}.json"
    path.write_bytes(msgspec.json.encode(packages))


def delete_old() -> None:
    """Delete snapshots that are too old, and those with data of providers that withdrew it."""
    for path in folder().glob("snapshot-*.json"):
        if _read(path).completed < time() - KEPT:
            path.unlink(missing_ok=True)
    permitted = {terms.number for terms in all_terms().values() if terms.give_on}
    for set_name in listing.sets():
        if set_name != MERGED and set_name not in permitted:
            drop(set_name)


def drop(set_name: str) -> None:
    """Delete the snapshots of a provider, and those of the merged records, which contain its data."""
    own = list(folder().glob(f"snapshot-{set_name}-*.json"))
    if own:
        own += folder().glob(f"snapshot-{MERGED}-*.json")
    for path in own:
        path.unlink(missing_ok=True)


def names() -> set[str]:
    """Return the names of all snapshots and of the packages in them."""
    paths = list(folder().glob("snapshot-*.json"))
    return {path.name for path in paths} | {package.name for path in paths for package in _read(path).packages}


def resources(package: Package) -> list[etree._Element]:
    """Return the entries of a package's manifest, without their paths in the package."""
    root = parse((folder() / (package.name.removesuffix(".zip") + MANIFEST)).read_bytes())
    for element in root.iter("{*}md"):
        element.attrib.pop("path", "")
    return list(root.iterchildren("{*}url"))


def _read(path: Path) -> Snapshot:
    packages = msgspec.json.decode(path.read_bytes(), type=tuple[Package, ...])
    return Snapshot(path, min(package.at for package in packages), packages)
