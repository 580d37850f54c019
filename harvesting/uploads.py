"""Files that librarians upload to be harvested: kept below AGGREGATOR_DATA/uploads, under names nobody chooses.

What is in them is found out by the harvest, never by the name. No database.
"""

import re
import secrets
import shutil
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

MAX_UPLOAD = 256 * 1024 * 1024  # bytes
LONGEST_NAME = 80
_NO_NAME = re.compile(r"[^-\w.]")
_RANDOM = re.compile(r"[0-9a-f]{32}")


def folder() -> Path:
    """Where uploads are."""
    return Path(settings.DATA_DIR) / "uploads"


def store(upload: UploadedFile) -> Path:
    """Keep the file; its absolute path. The last folder of it is random, so no upload meets another."""
    place = folder() / secrets.token_hex(16)
    place.mkdir(parents=True, mode=0o700)
    path = place / stored_name(upload.name or "")
    with path.open("xb") as target:
        for chunk in upload.chunks():
            target.write(chunk)
    return path


def stored_name(name: str) -> str:
    """What is kept of the name that the file had: enough to recognise it, nothing that leads anywhere."""
    last = name.replace("\\", "/").rpartition("/")[2]
    cleaned = _NO_NAME.sub("", last.replace(" ", "_"))
    return cleaned[-LONGEST_NAME:].lstrip(".") or "file"


def is_upload(path: str) -> bool:
    """Whether this is the path of a stored upload."""
    place = Path(path).parent
    return bool(_RANDOM.fullmatch(place.name)) and place.parent == folder()


def discard(path: str) -> None:
    """Forget a stored upload; anything else is left alone."""
    if is_upload(path):
        shutil.rmtree(Path(path).parent, ignore_errors=True)
