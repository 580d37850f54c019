"""What a file with everything says of itself, and whether this program can take it in."""

import re
from dataclasses import dataclass
from zipfile import BadZipFile, ZipFile

import msgspec
from django.utils.translation import gettext as _

FORMAT = 1
MANIFEST = "manifest.json"
UPLOAD = re.compile(r"uploads/[0-9a-f]{32}/[-\w.]{1,80}")


class TransferError(Exception):
    """Everything cannot be written, or taken in; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """name: of the table. last_number: the highest number that it ever gave a row; 0 where it gives none."""

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
    """made: "2026-11-22T05:00:00Z". migrations: app -> the last one."""

    format: int
    program: str
    made: str
    migrations: dict[str, str]
    tables: tuple[TableFile, ...]
    uploads: tuple[UploadFile, ...]

    @property
    def rows(self) -> int:
        return sum(each.rows for each in self.tables)

    def encoded(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=1) + b"\n"


def file_of(table: str) -> str:
    """The name of a table's file."""
    return f"tables/{table}.jsonl"


def read_manifest(file: ZipFile) -> Manifest:
    """Raises TransferError for what is no file of ours, or of a newer program."""
    try:
        manifest = msgspec.json.decode(file.read(MANIFEST), type=Manifest)
    except (KeyError, BadZipFile, msgspec.MsgspecError) as error:
        raise TransferError(_("This is no file of “export --everything” (%s).") % error) from error
    if manifest.format > FORMAT:
        raise TransferError(newer(manifest.program))
    if not all(UPLOAD.fullmatch(each.name) for each in manifest.uploads):
        raise TransferError(_("This is no file of “export --everything” (%s).") % "uploads")
    return manifest


def newer(program: str) -> str:
    """What is said of a file that this program is too old for."""
    text = _("The file is of a newer version of this program (%(version)s). Update the program first.")
    return text % {"version": program}
