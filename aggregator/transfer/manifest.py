"""The manifest of an export file: its shape, and the check whether this version can import the file."""

from dataclasses import dataclass
from zipfile import BadZipFile, ZipFile

import msgspec
from django.utils.translation import gettext as _

from harvesting.registry import uploads

FORMAT = 1
MANIFEST = "manifest.json"


class TransferError(Exception):
    """The export or import failed. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """The file of one table. last_number: the highest primary key that the table has assigned; 0 if it assigns none."""

    name: str
    columns: tuple[str, ...]
    rows: int
    sha256: str
    last_number: int


@dataclass(frozen=True, slots=True)
class UploadFile:
    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an export file contains, and what wrote it. program: the version of the program. made: the time, such as
    "2026-11-22T05:00:00Z". migrations: app -> name of the last migration.
    """

    format: int
    program: str
    made: str
    migrations: dict[str, str]
    tables: tuple[TableFile, ...]
    uploads: tuple[UploadFile, ...]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    def encoded(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=1) + b"\n"


def file_of(table: str) -> str:
    """Return the name of a table's file in the ZIP file."""
    return f"tables/{table}.jsonl"


def read_manifest(file: ZipFile) -> Manifest:
    """Return the manifest. Raises TransferError if the file is no export, or was written by a newer version."""
    try:
        manifest = msgspec.json.decode(file.read(MANIFEST), type=Manifest)
    except (KeyError, BadZipFile, msgspec.MsgspecError) as error:
        raise TransferError(_("This is not a file made by “export --everything” (%s).") % error) from error
    if manifest.format > FORMAT:
        raise TransferError(newer(manifest.program))
    if not all(uploads.is_upload(upload.name) for upload in manifest.uploads):
        raise TransferError(_("This is not a file made by “export --everything” (%s).") % "uploads")
    return manifest


def newer(program: str) -> str:
    """Return the message for a file that was written by a newer version of the program."""
    text = _("The file was made by a newer version of this program (%(version)s). Update the program first.")
    return text % {"version": program}
