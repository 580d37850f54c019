"""Import of an export file into an empty site, in one transaction. Works in batches, so files may have any size."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import batched
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile, ZipFile

import msgspec
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.models import Field
from django.utils.translation import gettext as _

from aggregator.transfer.manifest import Manifest, TableFile, TransferError, file_of, newer, read_manifest
from aggregator.transfer.tables import (
    EARLIER_UPLOADS,
    UPLOAD_COLUMNS,
    Table,
    column_name,
    columns,
    exported_columns,
    table_name,
    tables,
)
from aggregator.transfer.values import json_decoder
from aggregator.transfer.writing import copy_hashed
from core import temporary_files
from core.database.dialects import dialect
from core.files import shared
from harvesting.accounts.roles import ensure_roles
from harvesting.registry import uploads

BATCH = 1000  # rows
MAX_LINE = 256 * 1024 * 1024  # bytes of one line

type Progress = Callable[[int], object]  # called with the number of rows since the last call


def read_everything(path: Path, progress: Progress) -> Manifest:
    """Import the file. progress: called with the number of stored rows. Raises TransferError; then no row is stored."""
    try:
        with ZipFile(path) as file:
            manifest = read_manifest(file)
            _check_importable(manifest)
            with _removed_on_error() as written, transaction.atomic():
                dialect().check_references_at_once()
                Group.objects.all().delete()  # those that `prepare` created have other primary keys
                for table in tables():
                    _read_table(file, table, manifest, progress)
                ensure_roles()
                _read_uploads(file, manifest, written)
    except FileNotFoundError:
        raise TransferError(_("There is no file %(path)s.") % {"path": path}) from None
    except (BadZipFile, OSError, EOFError, DatabaseError) as error:
        raise TransferError(_("%(path)s cannot be read (%(reason)s).") % {"path": path, "reason": error}) from error
    dialect().take_statistics()
    return manifest


def _check_importable(manifest: Manifest) -> None:
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    ours = {table_name(table): {column_name(column) for column in exported_columns(table)} for table in tables()}
    unknown = any((app, name) not in known for app, name in manifest.migrations.items())
    unknown |= any(not ours.get(file.name, set()).issuperset(file.columns) for file in manifest.tables)
    if unknown:
        raise TransferError(newer(manifest.program))
    filled = [table_name(table) for table in tables() if table is not Group and table._base_manager.exists()]
    if filled:
        text = _(
            "This site is not empty (%(tables)s). A full import is only possible into a new site: "
            "use another database and AGGREGATOR_DATA, and import before anything is registered and "
            "before the first administrator is created."
        )
        raise TransferError(text % {"tables": ", ".join(filled[:3])})


def _read_table(file: ZipFile, table: Table, manifest: Manifest, progress: Progress) -> None:
    table_file = next((entry for entry in manifest.tables if entry.name == table_name(table)), None)
    if table_file is None:  # the table was added after the file was written
        return
    lines = _Lines(file, table_file)
    make = _row_maker(table, table_file)
    for batch in batched(lines, BATCH):
        try:
            rows = [make(msgspec.json.decode(line)) for line in batch]
        except (msgspec.DecodeError, ValueError, TypeError, KeyError) as error:
            text = _("A line of %(table)s cannot be read (%(reason)s).")
            raise TransferError(text % {"table": table_file.name, "reason": error}) from error
        _insert(table, rows)
        progress(len(rows))
    lines.check()
    if table_file.last_number:
        dialect().set_last_number(table, table_file.last_number)


class _Lines:
    """Iterates over the lines of a table's file, counting and hashing them."""

    def __init__(self, file: ZipFile, table_file: TableFile) -> None:
        self._file, self._table_file = file, table_file
        self._digest, self._count = hashlib.sha256(), 0

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self._file.open(file_of(self._table_file.name)) as source:
                while line := source.readline(MAX_LINE):
                    self._digest.update(line)
                    self._count += 1
                    yield line
        except KeyError:
            return

    def check(self) -> None:
        if (self._count, self._digest.hexdigest()) != (self._table_file.rows, self._table_file.sha256):
            raise TransferError(_damaged(self._table_file.name))


def _row_maker(table: Table, table_file: TableFile) -> Callable[[dict[str, Any]], list[Any]]:
    """Return a function from a decoded line to the values of all columns. Columns not in the file get their default."""
    changes: list[tuple[str, Callable[[Any], Any], Field[Any, Any] | None]] = [
        (column_name(column), json_decoder(column), None if column_name(column) in table_file.columns else column)
        for column in columns(table)
    ]
    upload = UPLOAD_COLUMNS.get(table._meta.label)

    def make(line: dict[str, Any]) -> list[Any]:
        if upload and line[upload].startswith(EARLIER_UPLOADS):
            line[upload] = f"{uploads.FOLDER}/{line[upload].removeprefix(EARLIER_UPLOADS)}"
        return [change(line[name]) if column is None else _default(column) for name, change, column in changes]

    return make


def _default(column: Field[Any, Any]) -> Any:
    if column.name == "password":
        return make_password(None)  # unusable: “I forgot my password” sets a new one
    if column.name == "index_pending":
        return False  # not needed, because the whole index is built after the import
    return column.get_db_prep_save(column.get_default(), connection)


def _insert(table: Table, rows: Sequence[Sequence[Any]]) -> None:
    quote = connection.ops.quote_name
    dialect().load(quote(table._meta.db_table), [quote(str(column.column)) for column in columns(table)], rows)


@contextmanager
def _removed_on_error() -> Iterator[list[str]]:
    """Yield a list; if the block fails, remove the files that it has put there. A rollback does not undo them."""
    written: list[str] = []
    try:
        yield written
    except BaseException:
        for name in written:
            uploads.discard(name)
        raise


def _read_uploads(file: ZipFile, manifest: Manifest, written: list[str]) -> None:
    """Store the uploads whose checksums are right. written: receives the names of new files."""
    present = set(uploads.stored_uploads())
    with TemporaryDirectory(dir=temporary_files.folder()) as folder:
        for upload in manifest.uploads:
            copy = Path(folder) / "upload"
            if _copy_member(file, upload.name, copy) != upload.sha256:
                raise TransferError(_damaged(upload.name))
            if upload.name not in present:  # a file never changes
                written.append(upload.name)
                shared.put(copy, upload.name)


def _copy_member(file: ZipFile, name: str, target: Path) -> str:
    """Copy a member of the archive; return its SHA-256, "" if there is no such member."""
    try:
        with file.open(name) as source, target.open("wb") as output:
            return copy_hashed(source, output)
    except KeyError:
        return ""


def _damaged(name: str) -> str:
    return _("The file is damaged: the count or checksum of %(table)s does not match.") % {"table": name}
