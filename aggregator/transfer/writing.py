"""Everything into a file, as it is at one moment, while the site goes on. One row at a time: any number of them."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

from aggregator import __version__
from aggregator.provision.timestamps import moment
from aggregator.transfer.manifest import FORMAT, MANIFEST, Manifest, TableFile, TransferError, UploadFile, file_of
from aggregator.transfer.numbers import last_number
from aggregator.transfer.tables import PATHS, Table, column_name, given_columns, leads_out, name_of, tables
from aggregator.transfer.values import into_json
from harvesting.models import OutgoingMessage
from harvesting.registry import uploads

CHUNK = 500  # rows fetched at a time
BYTES = 1024 * 1024
PACKED = 3  # how hard deflate tries: more takes twice the time for a tenth
UPLOADS = "uploads:"  # stands for the folder of uploads, wherever it is
_encode = msgspec.json.Encoder(order="deterministic").encode


def write_everything(target: Path, told: Callable[[int], object], *, force: bool = False) -> Manifest:
    """Write the file. told: is called with the rows that were written. Raises TransferError."""
    if target.exists() and not force:
        text = _("%(file)s is there already. Give another name, or --force to write over it.")
        raise TransferError(text % {"file": target})
    beside = target.with_name(f".{target.name}.part")
    try:
        with beside.open("wb") as raw, ZipFile(raw, "w", ZIP_DEFLATED, compresslevel=PACKED) as file:
            beside.chmod(0o600)  # names and addresses of people are in it
            with one_moment():
                manifest = _write(file, told)
        beside.replace(target)
    except OSError as error:
        values = {"file": target, "reason": error.strerror or str(error)}
        raise TransferError(_("%(file)s cannot be written (%(reason)s).") % values) from error
    finally:
        beside.unlink(missing_ok=True)
    return manifest


@contextmanager
def one_moment() -> Iterator[None]:
    """All that is read inside is of one moment; others write meanwhile."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django's own would keep others from writing
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


def _write(file: ZipFile, told: Callable[[int], object]) -> Manifest:
    manifest = Manifest(
        format=FORMAT,
        program=__version__,
        made=moment(None),
        migrations=_heads(),
        tables=tuple(_write_table(file, table, told) for table in tables()),
        uploads=tuple(_write_uploads(file)),
    )
    file.writestr(_entry(MANIFEST), manifest.encoded())
    return manifest


def _write_table(file: ZipFile, table: Table, told: Callable[[int], object]) -> TableFile:
    columns = given_columns(table)
    digest, count = hashlib.sha256(), 0
    with file.open(_entry(file_of(name_of(table))), "w", force_zip64=True) as target:
        for line in _lines(table):
            digest.update(line)
            target.write(line)
            count += 1
            told(1)
    names = tuple(column_name(column) for column in columns)
    return TableFile(name_of(table), names, count, digest.hexdigest(), last_number(table))


def _lines(table: Table) -> Iterator[bytes]:
    columns = given_columns(table)
    tell = [(column_name(each), (lambda _value: None) if leads_out(each) else into_json(each)) for each in columns]
    finish = _finisher(table)
    rows = table._base_manager.order_by("pk").values_list(*(each.attname for each in columns))
    for row in rows.iterator(chunk_size=CHUNK):
        line = {name: change(value) for (name, change), value in zip(tell, row, strict=True)}
        finish(line)
        yield _encode(line) + b"\n"


def _finisher(table: Table) -> Callable[[dict[str, Any]], None]:
    """What is changed in a whole line: paths of uploads, and what a letter with a secret says."""
    label = table._meta.label
    if table is OutgoingMessage:
        return _without_secret
    if label not in PATHS:
        return lambda _line: None
    column, folder = PATHS[label], f"{uploads.folder()}/"

    def finish(line: dict[str, Any]) -> None:
        if line[column].startswith(folder):
            line[column] = UPLOADS + line[column].removeprefix(folder)

    return finish


def _without_secret(line: dict[str, Any]) -> None:
    """A link that opens something; who waits for it asks again."""
    if line["secret"]:
        line["text"] = ""
        if line["state"] in {OutgoingMessage.State.WAITING, OutgoingMessage.State.SENDING}:
            line["state"] = str(OutgoingMessage.State.DROPPED)


def _write_uploads(file: ZipFile) -> Iterator[UploadFile]:
    for path in uploads.stored():
        name = f"uploads/{path.parent.name}/{path.name}"
        with path.open("rb") as source, file.open(_entry(name), "w", force_zip64=True) as target:
            yield UploadFile(name, copied(source, target))


def copied(source: IO[bytes], target: IO[bytes]) -> str:
    """Copy a file; its SHA-256 in hexadecimal."""
    digest = hashlib.sha256()
    while chunk := source.read(BYTES):
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest()


def _heads() -> dict[str, str]:
    return dict(sorted(MigrationRecorder(connection).applied_migrations()))


def _entry(name: str) -> ZipInfo:
    """Nothing of the time in it: the same content gives the same bytes."""
    entry = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry
