"""Snapshots: the packages of a set's resource dump at an earlier time, for the archives (ResourceSync Archives 1.0).

A snapshot is a small file beside the packages that it names; these are kept as long as it is. The manifests of its
packages also say what the resource list was. One is taken a week and kept for 30 days, like the content of changes.
When a provider withdraws its records, its snapshots are deleted, and with them those of the merged records.
"""

import fnmatch
from dataclasses import dataclass
from time import time

import msgspec
from lxml import etree

from aggregator.models import ResourcePackage
from aggregator.provision.contents import all_terms
from aggregator.provision.resourcesync import listing
from aggregator.provision.resourcesync.naming import MERGED
from core.files import shared
from metadata.xml.parsing import parse

DAY = 86_400
SPACING, KEPT = 7 * DAY, 30 * DAY  # seconds
FOLDER = "resourcesync"  # of shared files
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

    at: int
    packages: tuple[Package, ...]

    @property
    def completed(self) -> int:
        return max(package.completed for package in self.packages)


def snapshots(set_name: str) -> list[Snapshot]:
    """Return the snapshots of a set, the oldest first."""
    return sorted(map(_read, _names(set_name)), key=lambda snapshot: snapshot.completed)


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
    completed = max(package.completed for package in packages)
    shared.put_bytes(msgspec.json.encode(packages), f"{FOLDER}/snapshot-{set_name}-{completed}.json")


def delete_old() -> None:
    """Delete snapshots that are too old, and those with data of providers that withdrew it."""
    for name in _names("*"):
        if _read(name).completed < time() - KEPT:
            shared.delete(f"{FOLDER}/{name}")
    permitted = {terms.number for terms in all_terms().values() if terms.give_on}
    for set_name in listing.sets():
        if set_name != MERGED and set_name not in permitted:
            drop(set_name)


def drop(set_name: str) -> None:
    """Delete the snapshots of a provider, and those of the merged records, which contain its data."""
    own = _names(set_name)
    if own:
        own += _names(MERGED)
    for name in own:
        shared.delete(f"{FOLDER}/{name}")


def names() -> set[str]:
    """Return the names of all snapshots and of the packages in them."""
    own = _names("*")
    return {*own} | {package.name for name in own for package in _read(name).packages}


def resources(package: Package) -> list[etree._Element]:
    """Return the entries of a package's manifest, without their paths in the package."""
    root = parse(shared.read(f"{FOLDER}/{package.name.removesuffix('.zip')}{MANIFEST}"))
    for element in root.iter("{*}md"):
        element.attrib.pop("path", "")
    return list(root.iterchildren("{*}url"))


def _names(set_name: str) -> list[str]:
    """Return the names of the snapshots of a set; "*" = of all sets."""
    return fnmatch.filter(shared.files(FOLDER), f"snapshot-{set_name}-*.json")


def _read(name: str) -> Snapshot:
    packages = msgspec.json.decode(shared.read(f"{FOLDER}/{name}"), type=tuple[Package, ...])
    return Snapshot(min(package.at for package in packages), packages)
