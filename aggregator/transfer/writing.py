"""Export of a consistent snapshot of a site, while it keeps running. Rows are streamed, so there may be any number."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

from aggregator import __version__
from aggregator.provision.timestamps import utc_timestamp
from aggregator.transfer.manifest import FORMAT, MANIFEST, Manifest, TableFile, TransferError, UploadFile, file_of
from aggregator.transfer.tables import (
    Table,
    column_name,
    exported_columns,
    refers_to_left_out_table,
    table_name,
    tables,
)
from aggregator.transfer.values import json_encoder
from core.database.dialects import dialect
from core.files import shared
from harvesting.models import OutgoingMessage
from harvesting.registry import uploads

FETCH_ROWS = 500  # rows fetched at a time
CHUNK_BYTES = 1024 * 1024
COMPRESSION_LEVEL = 3  # of deflate; higher levels take twice the time for files that are a tenth smaller
_encode = msgspec.json.Encoder(order="deterministic").encode


def write_everything(target: Path, progress: Callable[[int], object], *, force: bool = False) -> Manifest:
    """Write the file. progress: called with the number of rows written. force: replace a file. Raises TransferError."""
    if target.exists() and not force:
        text = _("%(file)s already exists. Choose another name, or use --force to overwrite it.")
        raise TransferError(text % {"file": target})
    partial = target.with_name(f".{target.name}.part")
    try:
        with partial.open("wb") as raw, ZipFile(raw, "w", ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL) as file:
            partial.chmod(0o600)  # it contains names and addresses of people
            with consistent_snapshot():
                manifest = _write(file, progress)
        partial.replace(target)
    except OSError as error:
        values = {"file": target, "reason": error.strerror or str(error)}
        raise TransferError(_("%(file)s cannot be written (%(reason)s).") % values) from error
    finally:
        partial.unlink(missing_ok=True)
    return manifest


@contextmanager
def consistent_snapshot() -> Iterator[None]:
    """Read everything inside the `with` block from one snapshot of the database, without blocking writers."""
    if connection.in_atomic_block:
        yield
    else:
        with dialect().snapshot():
            yield


def _write(file: ZipFile, progress: Callable[[int], object]) -> Manifest:
    manifest = Manifest(
        format=FORMAT,
        program=__version__,
        made=utc_timestamp(None),
        migrations=_last_migrations(),
        tables=tuple(_write_table(file, table, progress) for table in tables()),
        uploads=tuple(_write_uploads(file)),
    )
    file.writestr(_zip_entry(MANIFEST), manifest.encoded())
    return manifest


def _write_table(file: ZipFile, table: Table, progress: Callable[[int], object]) -> TableFile:
    columns = exported_columns(table)
    digest, count = hashlib.sha256(), 0
    with file.open(_zip_entry(file_of(table_name(table))), "w", force_zip64=True) as target:
        for line in _lines(table):
            digest.update(line)
            target.write(line)
            count += 1
            progress(1)
    names = tuple(column_name(column) for column in columns)
    return TableFile(table_name(table), names, count, digest.hexdigest(), dialect().last_number(table))


def _lines(table: Table) -> Iterator[bytes]:
    columns = exported_columns(table)
    encoders = [
        (column_name(column), (lambda _value: None) if refers_to_left_out_table(column) else json_encoder(column))
        for column in columns
    ]
    edit = _line_editor(table)
    rows = table._base_manager.order_by("pk").values_list(*(column.attname for column in columns))
    for row in rows.iterator(chunk_size=FETCH_ROWS):
        line = {name: change(value) for (name, change), value in zip(encoders, row, strict=True)}
        edit(line)
        yield _encode(line) + b"\n"


def _line_editor(table: Table) -> Callable[[dict[str, Any]], None]:
    """Return the function that edits a line in place: removes texts with a secret."""
    if table is OutgoingMessage:
        return _without_secret
    return lambda _line: None


def _without_secret(line: dict[str, Any]) -> None:
    """Remove the text of a message with a secret link. It is not sent; the person can request a new one."""
    if line["secret"]:
        line["text"] = ""
        if line["state"] in {OutgoingMessage.State.WAITING, OutgoingMessage.State.SENDING}:
            line["state"] = str(OutgoingMessage.State.DROPPED)


def _write_uploads(file: ZipFile) -> Iterator[UploadFile]:
    for name in uploads.stored_uploads():
        with shared.local(name).open("rb") as source, file.open(_zip_entry(name), "w", force_zip64=True) as target:
            yield UploadFile(name, copy_hashed(source, target))


def copy_hashed(source: IO[bytes], target: IO[bytes]) -> str:
    """Copy a file. Return its SHA-256 in hexadecimal."""
    digest = hashlib.sha256()
    while chunk := source.read(CHUNK_BYTES):
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest()


def _last_migrations() -> dict[str, str]:
    return dict(sorted(MigrationRecorder(connection).applied_migrations()))


def _zip_entry(name: str) -> ZipInfo:
    """Return a ZIP entry with a fixed time stamp, so that the same content gives the same bytes."""
    entry = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry
