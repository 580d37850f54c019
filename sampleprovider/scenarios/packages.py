"""Scenarios about ResourceSync dumps (faults.md: Q7): faults of a ZIP file and its manifest."""

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace

from sampleprovider.protocols.resourcesync import zipped
from sampleprovider.replies import RESOURCESYNC, Reply, Request
from sampleprovider.scenarios.base import COMPLETE, REJECTED, REPORTED, Expected, Fault, Scenario, fails, row

Files = dict[str, bytes]
MANIFEST = "manifest.xml"
DAMAGED = "resources/000004.xml"
FIXITY = re.compile(rb' (?:hash|length)="[^"]*"')
OTHERS = re.compile(rb"<url><loc>[^<]*/(?:resourcelist|changelist|changedump)\.xml</loc>.*?</url>\n", re.DOTALL)
ZEROS = b"\0" * (40 * 1024 * 1024)


def packaged(change: Callable[[Files], Files] | None = None, cut: bool = False) -> Fault:
    """Offer only dumps. change: edits the files in the packages. cut: the archive is cut off."""

    def fault(request: Request) -> Reply:
        reply = request.answer()
        if request.path.endswith("capabilitylist.xml"):
            return replace(reply, body=OTHERS.sub(b"", reply.body))
        if change and request.path.endswith("dump.xml"):
            return replace(reply, body=FIXITY.sub(b"", reply.body))
        if change and request.path.endswith(".zip"):
            return replace(reply, body=zipped(change(_files(reply.body))))
        if cut and request.path.endswith(".zip"):
            return replace(reply, body=reply.body[: len(reply.body) // 2])
        return reply

    return fault


def _files(packed: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def renamed(new: str) -> Callable[[Files], Files]:
    """One file has another name, also in the manifest."""

    def change(files: Files) -> Files:
        manifest = files[MANIFEST].replace(DAMAGED.encode(), new.encode())
        return {new if name == DAMAGED else name: content for name, content in files.items()} | {MANIFEST: manifest}

    return change


def bomb(files: Files) -> Files:
    """One file contains 40 MB of zeros."""
    return files | {DAMAGED: ZEROS}


def unlisted(files: Files) -> Files:
    """The package contains a file that is not in the manifest."""
    return files | {"resources/extra.xml": b"<x/>"}


def absent(files: Files) -> Files:
    """The manifest names a file that is not in the package."""
    return {name: content for name, content in files.items() if name != DAMAGED}


def altered(files: Files) -> Files:
    """A file does not match its hash in the manifest."""
    return files | {DAMAGED: files[DAMAGED] + b"<!-- changed -->"}


def no_manifest(files: Files) -> Files:
    """The package has no manifest."""
    return {name: content for name, content in files.items() if name != MANIFEST}


def untrue_hash(request: Request) -> Reply:
    """The package does not match its hash."""
    reply = packaged()(request)
    if not request.path.endswith("dump.xml"):
        return reply
    return replace(reply, body=re.sub(rb'hash="[^"]*"', b'hash="sha-256:' + b"0" * 64 + b'"', reply.body))


BAD_PACKAGE = fails("archive.", "rs.", "resourcesync.", "run.", requests=60)
CAUGHT = Expected(states=("succeeded", "failed"), codes=("archive.", "rs.", "resourcesync."), live="any", reported=True)


def _row(name: str, fault: Fault, expected: Expected) -> Scenario:
    return row("Q7", name, fault, expected, protocol=RESOURCESYNC)


PACKAGES = (
    _row("rs-dump", packaged(), COMPLETE),
    _row("rs-dump-climbs", packaged(renamed("../../evil.xml")), CAUGHT),
    _row("rs-dump-absolute", packaged(renamed("/etc/evil.xml")), CAUGHT),
    _row("rs-dump-bomb", packaged(bomb), CAUGHT),
    _row("rs-dump-unlisted", packaged(unlisted), REPORTED),
    _row("rs-dump-absent", packaged(absent), REJECTED),
    _row("rs-dump-altered", packaged(altered), REJECTED),
    _row("rs-dump-no-manifest", packaged(no_manifest), BAD_PACKAGE),
    _row("rs-dump-cut", packaged(cut=True), BAD_PACKAGE),
    _row("rs-dump-hash-untrue", untrue_hash, CAUGHT),
)
