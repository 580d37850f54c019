"""Files that librarians upload to be harvested: kept below AGGREGATOR_DATA/uploads, under names nobody chooses.

What is in them is told by their beginning, never by their name; the harvest finds out the rest. No database.
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
from harvesting.transports.documents.formats import LOOKED_AT, READABLE, detect
from harvesting.transports.documents.opening import LIMITS
from harvesting.types import TransportError

MAX_UPLOAD = 256 * 1024 * 1024  # bytes
LONGEST_NAME = 80
MOST_MEMBERS = 50  # of an archive that are looked at for one that can be read
OFFICE = "[Content_Types].xml"  # the ZIP files of Word, Excel and PowerPoint begin with this member
_NO_NAME = re.compile(r"[^-\w.]")
_RANDOM = re.compile(r"[0-9a-f]{32}")


def folder() -> Path:
    """Where uploads are."""
    return Path(settings.DATA_DIR) / "uploads"


def store(upload: UploadedFile[bytes]) -> Path:
    """Keep the file; its absolute path. The last folder of it is random, so no upload meets another."""
    place = folder() / secrets.token_hex(16)
    place.mkdir(parents=True, mode=0o700)
    path = place / stored_name(upload.name or "")
    with path.open("xb") as target:
        for chunk in upload.chunks():
            target.write(chunk)
    return path


def check(upload: UploadedFile[bytes]) -> None:
    """Refuse what is no file of records by its beginning. TransportError "file.not_readable" or "archive.…"."""
    name = stored_name(upload.name or "")
    upload.seek(0)
    start = upload.read(LOOKED_AT)
    upload.seek(0)
    try:
        found = _inside(upload) if is_zip(start) else detect(_unpacked(start) if is_gzip(start) else start)
    except zlib.error as error:
        raise TransportError(str(error), "archive.damaged", permanent=True, detail="", member=name) from error
    finally:
        upload.seek(0)
    if found not in READABLE:
        raise TransportError(f"cannot read {found}", "file.not_readable", permanent=True, file=name, found=found)


def _unpacked(start: bytes) -> bytes:
    """The beginning of what a gzip file holds, of which this is the beginning."""
    return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(start, LOOKED_AT)


def _inside(upload: UploadedFile[bytes]) -> str:
    """What an archive holds: one of READABLE if any of its first members is, else what it is itself."""
    with Archive(upload, LIMITS) as archive:
        names = archive.names()
        if OFFICE in names:
            return "Office"
        for name in names[:MOST_MEMBERS]:
            found = detect(b"".join(islice(archive.chunks(name), 1))[:LOOKED_AT])
            if found in READABLE:
                return found
    return "archive"


def stored_name(name: str) -> str:
    """What is kept of the name that the file had: enough to recognise it, nothing that leads anywhere."""
    last = name.replace("\\", "/").rpartition("/")[2]
    cleaned = _NO_NAME.sub("", last.replace(" ", "_"))
    return cleaned[-LONGEST_NAME:].lstrip(".") or "file"


def is_upload(path: str) -> bool:
    """Whether this is the path of a stored upload."""
    place = Path(path).parent
    return bool(_RANDOM.fullmatch(place.name)) and place.parent == folder()


def stored() -> list[Path]:
    """All stored uploads."""
    return sorted(each for each in folder().glob("*/*") if is_upload(str(each)) and each.is_file())


def stored_at(path: str) -> datetime | None:
    """When a stored upload came; None for any other path, and for a file that is gone."""
    try:
        return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC) if is_upload(path) else None
    except OSError:
        return None


def discard(path: str) -> None:
    """Forget a stored upload; anything else is left alone."""
    if is_upload(path):
        shutil.rmtree(Path(path).parent, ignore_errors=True)
