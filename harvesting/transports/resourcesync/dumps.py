"""Dumps: packages as units of entries, each entry with its bytes (ResourceSync 1.1, sections 11 and 13).

A package is read by the paths of its manifest, never extracted. Manifest and package are compared both ways.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import IO

from harvesting.http.archives import MIB, Archive, ArchiveLimits
from harvesting.transports.resourcesync.documents import Entry, moment, read_entries, read_head
from harvesting.transports.resourcesync.fixity import check_stream
from harvesting.transports.resourcesync.lists import Opening, Unit, part_document, parts
from harvesting.transports.resourcesync.requests import PACKAGE_BYTES, RESOURCE_BYTES, Asking, stream_of
from harvesting.types import TransportError

MANIFEST = "manifest.xml"
LIMITS = ArchiveLimits(members=60_000, member_bytes=64 * MIB, total_bytes=2048 * MIB)


def packages(asking: Asking, url: str, kind: str) -> Iterator[Entry]:
    """The packages of a Resource or Change Dump (Index), each once."""
    seen: set[str] = set()
    for part in parts(asking, asking.document(url)):
        document = part_document(asking, part.url, kind)
        if document is None:
            continue
        for entry in read_entries(document.stream, document.url):
            if not entry.loc:
                asking.note("rs.bad_entry", incomplete=True, url=document.url)
            elif not asking.is_own(entry.loc):
                asking.note("rs.other_host", incomplete=True, url=entry.loc)
            elif entry.loc not in seen:
                seen.add(entry.loc)
                yield entry


def package_units(
    asking: Asking, url: str, kind: str, since: datetime | None = None, until: datetime | None = None
) -> Iterator[Opening]:
    """The packages in turn, fetched as they are opened; None for one that lies outside the window.

    Opening raises TransportError "archive.…", "rs.manifest" or "rs.package" for one that cannot be used.
    """
    for entry in packages(asking, url, kind):
        yield partial(_opened, asking, entry, kind, since, until)


def _opened(asking: Asking, entry: Entry, kind: str, since: datetime | None, until: datetime | None) -> Unit | None:
    closed, opened = moment(entry.attributes.get("until", "")), moment(entry.attributes.get("from", ""))
    if (since and closed and closed < since) or (until and opened and opened > until):
        return None
    return _Package(asking, entry, kind, since, until).unit()


class _Package:
    """One ZIP file. It is fetched when its unit is made, and let go of with it."""

    def __init__(
        self,
        asking: Asking,
        entry: Entry,
        kind: str,
        since: datetime | None,
        until: datetime | None,
    ) -> None:
        self._asking = asking
        self._url = entry.loc
        self._since, self._until = since, until
        self._archive = self._open(entry)
        self._manifest = self._read_manifest(kind)

    def unit(self) -> Unit:
        """Of each resource the last bitstream counts: there may be one for each change (section 13.1)."""
        last = {hash(entry.loc): number for number, entry in enumerate(self._entries())}
        return Unit(
            url=self._url,
            entries=self._entries,
            wanted=lambda number, entry: last[hash(entry.loc)] == number and self._in_window(entry),
            read=self._read,
        )

    def _entries(self) -> Iterator[Entry]:
        return read_entries(self._manifest, self._url)

    def _open(self, entry: Entry) -> Archive:
        stream = stream_of(self._asking.get(self._url, PACKAGE_BYTES, spool=True))
        wrong = check_stream(stream, entry.attributes)
        if wrong:
            raise TransportError(
                f"{self._url}: {wrong}", "rs.package", permanent=True, url=self._url, reason=wrong[:300]
            )
        try:
            return Archive(stream, LIMITS)
        except TransportError as error:
            error.facts.setdefault("url", self._url)
            raise

    def _read_manifest(self, kind: str) -> IO[bytes]:
        names = self._archive.names()
        # Section 11.2 wants it at the top level; some pack a folder around everything.
        name = MANIFEST if MANIFEST in names else next((each for each in names if each.endswith(f"/{MANIFEST}")), "")
        if not name:
            raise self._bad_manifest("missing")
        stream = BytesIO(self._archive.read(name))
        try:
            head = read_head(stream, self._url)
        except TransportError as error:
            raise self._bad_manifest(error.code) from error
        if head.capability != f"{kind}-manifest":
            self._asking.note(
                "rs.wrong_capability", url=self._url, capability=head.capability[:60], expected=f"{kind}-manifest"
            )
        self._compare(stream, set(names) - {name})
        return stream

    def _compare(self, manifest: IO[bytes], members: set[str]) -> None:
        """What lies in the package and is not listed is not read, and said."""
        for entry in read_entries(manifest, self._url):
            members.discard(path_of(entry.attributes.get("path", "")))
            for link in entry.links:
                members.discard(path_of(link.attributes.get("path", "")))
        if members:
            self._asking.note("rs.unlisted", url=self._url, count=len(members), member=min(members)[:200])

    def _bad_manifest(self, reason: str) -> TransportError:
        return TransportError(
            f"the manifest of {self._url}: {reason}", "rs.manifest", permanent=True, url=self._url, reason=reason
        )

    def _in_window(self, entry: Entry) -> bool:
        time = moment(entry.attributes.get("datetime", ""))
        return not time or not ((self._since and time < self._since) or (self._until and time > self._until))

    def _read(self, path: str) -> bytes:
        """TransportError "archive.missing" if the manifest lists what is not there, "archive.too_large"."""
        name = path_of(path)
        if self._archive.size(name) > RESOURCE_BYTES:
            raise TransportError(
                f"{name} in {self._url} is too large", "archive.too_large", permanent=True, url=self._url, member=name
            )
        return self._archive.read(name)


def path_of(path: str) -> str:
    """The name of a member: section 11.2 writes a slash before it, ZIP files have none."""
    return path.strip().removeprefix("./").lstrip("/")


def package_count(asking: Asking, url: str, most: int) -> int:
    """How many packages a dump has, counted up to `most`; `most` where that cannot be told."""
    with suppress(TransportError):
        return sum(1 for _ in zip(range(most), packages(asking, url, "resourcedump"), strict=False))
    return most
