"""Files that librarians upload for harvesting: shared files named "uploads/", a random folder, and the file's own name.

Their format is detected from their first bytes, never from their name; the harvest does the full check. No database
access.
"""

import re
import secrets
import zlib
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from django.core.files.uploadedfile import UploadedFile

from core import temporary_files
from core.files import shared
from harvesting.http.archives import Archive, is_gzip, is_zip
from harvesting.transports.documents.formats import INSPECTED_BYTES, READABLE, detect, not_readable
from harvesting.transports.documents.opening import LIMITS
from harvesting.types import TransportError

MAX_UPLOAD = 256 * 1024 * 1024  # bytes
LONGEST_NAME = 80
MOST_MEMBERS = 50  # members of an archive that are examined to find a readable one
OFFICE = "[Content_Types].xml"  # a member of the ZIP files that Word, Excel and PowerPoint write
_FORBIDDEN_IN_NAME = re.compile(r"[^-\w.]")
FOLDER = "uploads"
NAME = re.compile(rf"{FOLDER}/[0-9a-f]{{32}}/[-\w.]{{1,{LONGEST_NAME}}}")


def store(upload: UploadedFile[bytes]) -> str:
    """Store an upload and return its name. Its folder has a random name, so that names cannot clash."""
    with NamedTemporaryFile(dir=temporary_files.folder(), delete=False) as file:
        for chunk in upload.chunks():
            file.write(chunk)
    return store_file(Path(file.name), upload.name or "")


def store_file(file: Path, given_name: str) -> str:
    """Move a complete file to the uploads, and return its name there. given_name: the name that its sender used."""
    name = f"{FOLDER}/{secrets.token_hex(16)}/{stored_name(given_name)}"
    shared.put(file, name)
    return name


def check(upload: UploadedFile[bytes] | BinaryIO, given_name: str = "") -> None:
    """Check by its first bytes whether a file can contain records. given_name: "" = the file's own.

    Raises TransportError as `not_readable`, or "archive.…". The file is at its start again afterwards.
    """
    name = stored_name(given_name or upload.name or "")
    upload.seek(0)
    start = upload.read(INSPECTED_BYTES)
    upload.seek(0)
    try:
        kind = _kind_in_archive(upload) if is_zip(start) else detect(_unpacked(start) if is_gzip(start) else start)
    except zlib.error as error:
        raise TransportError(str(error), "archive.damaged", permanent=True, detail="", member=name) from error
    finally:
        upload.seek(0)
    if kind not in READABLE:
        raise not_readable(name, kind)


def _unpacked(start: bytes) -> bytes:
    """The first bytes of the contents of a gzip file. start: the first bytes of the file."""
    return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(start, INSPECTED_BYTES)


def _kind_in_archive(upload: UploadedFile[bytes] | BinaryIO) -> str:
    """The kind of the first readable member of an archive; "Office" or "archive" if there is none."""
    with Archive(upload, LIMITS) as archive:
        names = archive.names()
        if OFFICE in names:
            return "Office"
        for name in names[:MOST_MEMBERS]:
            kind = detect(b"".join(islice(archive.chunks(name), 1))[:INSPECTED_BYTES])
            if kind in READABLE:
                return kind
    return "archive"


def stored_name(name: str) -> str:
    """A safe form of the name that a file had: recognisable, without folders or characters with a special meaning."""
    last = name.replace("\\", "/").rpartition("/")[2]
    cleaned = _FORBIDDEN_IN_NAME.sub("", last.replace(" ", "_"))
    return cleaned[-LONGEST_NAME:].lstrip(".") or "file"


def is_upload(address: str) -> bool:
    """Whether this is the name of an upload, not the address of a feed or a path."""
    return bool(NAME.fullmatch(address))


def stored_uploads() -> list[str]:
    """The names of all stored uploads."""
    folders = (f"{FOLDER}/{name}" for name in shared.folders(FOLDER))
    names = (f"{folder}/{name}" for folder in folders for name in shared.files(folder))
    return [name for name in names if is_upload(name)]


def uploaded_at(address: str) -> datetime | None:
    """When an upload was stored; None for any other address, and for a file that no longer exists."""
    return shared.modified(address) if is_upload(address) else None


def local_path(address: str) -> str:
    """The path at which an upload can be read on this machine; any other address is returned as it is.

    Where the upload is gone, there is no file at this path, which the transport reports.
    """
    if not is_upload(address):
        return address
    try:
        return str(shared.local(address))
    except FileNotFoundError:
        return f"/{address}"


def discard(address: str) -> None:
    """Delete a stored upload. Any other address is left alone."""
    if is_upload(address):
        shared.delete_folder(address.rpartition("/")[0])
