"""Files that librarians upload for harvesting, stored in AGGREGATOR_DATA/uploads in folders with random names.

Their format is detected from their first bytes, never from their name; the harvest does the full check. No database
access.
"""

import re
import secrets
import shutil
import zlib
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from harvesting.http.archives import Archive, is_gzip, is_zip
from harvesting.transports.documents.formats import INSPECTED_BYTES, READABLE, detect, not_readable
from harvesting.transports.documents.opening import LIMITS
from harvesting.types import TransportError

MAX_UPLOAD = 256 * 1024 * 1024  # bytes
LONGEST_NAME = 80
MOST_MEMBERS = 50  # members of an archive that are examined to find a readable one
OFFICE = "[Content_Types].xml"  # a member of the ZIP files that Word, Excel and PowerPoint write
_FORBIDDEN_IN_NAME = re.compile(r"[^-\w.]")
_RANDOM = re.compile(r"[0-9a-f]{32}")


def folder() -> Path:
    """The folder of all uploads."""
    return Path(settings.DATA_DIR) / "uploads"


def store(upload: UploadedFile[bytes]) -> Path:
    """Store an upload and return its absolute path. Its folder has a random name, so that names cannot clash."""
    own_folder = folder() / secrets.token_hex(16)
    own_folder.mkdir(parents=True, mode=0o700)
    path = own_folder / stored_name(upload.name or "")
    with path.open("xb") as target:
        for chunk in upload.chunks():
            target.write(chunk)
    return path


def check(upload: UploadedFile[bytes]) -> None:
    """Check by its first bytes whether a file can contain records.

    Raises TransportError as `not_readable`, or "archive.…". The file is at its start again afterwards.
    """
    name = stored_name(upload.name or "")
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


def _kind_in_archive(upload: UploadedFile[bytes]) -> str:
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


def is_upload(path: str) -> bool:
    """Whether this is the path of a stored upload."""
    own_folder = Path(path).parent
    return bool(_RANDOM.fullmatch(own_folder.name)) and own_folder.parent == folder()


def stored_uploads() -> list[Path]:
    """The paths of all stored uploads."""
    return sorted(path for path in folder().glob("*/*") if is_upload(str(path)) and path.is_file())


def uploaded_at(path: str) -> datetime | None:
    """When an upload was stored; None for any other path, and for a file that no longer exists."""
    try:
        return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC) if is_upload(path) else None
    except OSError:
        return None


def discard(path: str) -> None:
    """Delete a stored upload. Any other path is left alone."""
    if is_upload(path):
        shutil.rmtree(Path(path).parent, ignore_errors=True)
