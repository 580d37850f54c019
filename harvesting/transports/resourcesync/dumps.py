"""Reads the packages of dumps as units of entries with their bytes (ResourceSync 1.1, sections 11 and 13).

A package is read by the paths in its manifest and never extracted. Files that are missing from the package or from the
manifest are reported.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import IO

from harvesting.http.archives import MIB, Archive, ArchiveLimits
from harvesting.transports.resourcesync.documents import Entry, parse_datetime, read_entries, read_head
from harvesting.transports.resourcesync.fixity import check_stream
from harvesting.transports.resourcesync.lists import Unit, UnitOpener, part_document, parts
from harvesting.transports.resourcesync.requests import (
    LIST_MISSING,
    PACKAGE_BYTES,
    RESOURCE_BYTES,
    SourceClient,
    body_stream,
)
from harvesting.types import TransportError

MANIFEST = "manifest.xml"
LIMITS = ArchiveLimits(members=60_000, member_bytes=64 * MIB, total_bytes=2048 * MIB)


def packages(client: SourceClient, url: str, kind: str) -> Iterator[Entry]:
    """Yield the packages of a Resource or Change Dump (Index) without duplicates. Errors as in `part_document`."""
    seen: set[str] = set()
    for part in parts(client, client.document(url)):
        document = part_document(client, part.url, kind)
        for entry in read_entries(document.stream, document.url):
            if not entry.loc:
                client.note(LIST_MISSING, incomplete=True, url=document.url, reason="rs.bad_entry")
            elif entry.loc not in seen:
                seen.add(entry.loc)
                yield entry


def package_units(
    client: SourceClient, url: str, kind: str, since: datetime | None = None, until: datetime | None = None
) -> Iterator[UnitOpener]:
    """Yield the packages; they are fetched when they are opened. Opening returns None for one outside the window.

    Opening raises TransportError "archive.…", "rs.manifest" or "rs.package" for a package that cannot be used.
    """
    for entry in packages(client, url, kind):
        yield partial(_open_package, client, entry, kind, since, until)


def _open_package(
    client: SourceClient, entry: Entry, kind: str, since: datetime | None, until: datetime | None
) -> Unit | None:
    closed, opened = parse_datetime(entry.attributes.get("until", "")), parse_datetime(entry.attributes.get("from", ""))
    if (since and closed and closed < since) or (until and opened and opened > until):
        return None
    return _Package(client, entry, kind, since, until).unit()


class _Package:
    """One ZIP file. It is fetched when the object is created, and kept as long as the unit that reads from it."""

    def __init__(
        self,
        client: SourceClient,
        entry: Entry,
        kind: str,
        since: datetime | None,
        until: datetime | None,
    ) -> None:
        self._client = client
        self._url = entry.loc
        self._since, self._until = since, until
        self._archive = self._open(entry)
        self._manifest = self._read_manifest(kind)

    def unit(self) -> Unit:
        """Return the package as a unit. For each resource only the last of its entries counts.

        A Change Dump may have an entry for each change of a resource (section 13.1).
        """
        latest = {hash(entry.loc): number for number, entry in enumerate(self._entries())}
        return Unit(
            url=self._url,
            entries=self._entries,
            wanted=lambda number, entry: latest[hash(entry.loc)] == number and self._in_window(entry),
            read=self._read,
        )

    def _entries(self) -> Iterator[Entry]:
        return read_entries(self._manifest, self._url)

    def _open(self, entry: Entry) -> Archive:
        self._client.check_own(self._url)
        stream = body_stream(self._client.get(self._url, PACKAGE_BYTES, spool=True))
        mismatch = check_stream(stream, entry.attributes)
        if mismatch:
            raise TransportError(
                f"{self._url}: {mismatch}", "rs.package", permanent=True, url=self._url, reason=mismatch[:300]
            )
        try:
            return Archive(stream, LIMITS)
        except TransportError as error:
            error.facts.setdefault("url", self._url)
            raise

    def _read_manifest(self, kind: str) -> IO[bytes]:
        names = self._archive.names()
        # Section 11.2 requires the manifest at the top level, but some sources pack everything into a folder.
        name = (
            MANIFEST if MANIFEST in names else next((member for member in names if member.endswith(f"/{MANIFEST}")), "")
        )
        if not name:
            raise self._bad_manifest("missing")
        stream = BytesIO(self._archive.read(name))
        try:
            head = read_head(stream, self._url)
        except TransportError as error:
            raise self._bad_manifest(error.code) from error
        if head.capability != f"{kind}-manifest":
            self._client.note(
                "rs.wrong_capability", url=self._url, capability=head.capability[:60], expected=f"{kind}-manifest"
            )
        self._compare(stream, set(names) - {name})
        return stream

    def _compare(self, manifest: IO[bytes], members: set[str]) -> None:
        """Note the files in the package that the manifest does not list; they are not read."""
        for entry in read_entries(manifest, self._url):
            members.discard(member_name(entry.attributes.get("path", "")))
            for link in entry.links:
                members.discard(member_name(link.attributes.get("path", "")))
        if members:
            self._client.note("rs.unlisted", url=self._url, count=len(members), member=min(members)[:200])

    def _bad_manifest(self, reason: str) -> TransportError:
        return TransportError(
            f"the manifest of {self._url}: {reason}", "rs.manifest", permanent=True, url=self._url, reason=reason
        )

    def _in_window(self, entry: Entry) -> bool:
        changed = parse_datetime(entry.attributes.get("datetime", ""))
        return not changed or not ((self._since and changed < self._since) or (self._until and changed > self._until))

    def _read(self, path: str) -> bytes:
        """Return the bytes at a path. TransportError "archive.missing" if there are none, or "archive.too_large"."""
        name = member_name(path)
        if self._archive.size(name) > RESOURCE_BYTES:
            raise TransportError(
                f"{name} in {self._url} is too large", "archive.too_large", permanent=True, url=self._url, member=name
            )
        return self._archive.read(name)


def member_name(path: str) -> str:
    """Return the name of a ZIP member: the path in the manifest (section 11.2) without its leading slash."""
    return path.strip().removeprefix("./").lstrip("/")


def package_count(client: SourceClient, url: str, limit: int) -> int:
    """Return the number of packages of a dump, counted up to `limit`; `limit` if it cannot be determined."""
    with suppress(TransportError):
        return sum(1 for _ in zip(range(limit), packages(client, url, "resourcedump"), strict=False))
    return limit
