"""A file with everything into an empty site: all of it or nothing. One batch at a time: any number of rows."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import batched
from pathlib import Path
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
from aggregator.transfer.numbers import set_last_number
from aggregator.transfer.tables import PATHS, Table, column_name, columns, given_columns, name_of, tables
from aggregator.transfer.values import out_of_json
from aggregator.transfer.writing import UPLOADS, copied
from core.database.analyze import take_statistics
from harvesting.accounts.roles import ensure_roles
from harvesting.registry import uploads

BATCH = 1000  # rows
LONGEST = 256 * 1024 * 1024  # bytes of one line

type Told = Callable[[int], object]


def read_everything(path: Path, told: Told) -> Manifest:
    """Take the file in. told: is called with the rows that were stored. Raises TransferError: then nothing was."""
    try:
        with ZipFile(path) as file:
            manifest = read_manifest(file)
            _refuse(manifest)
            with transaction.atomic():
                _check_at_once()
                Group.objects.all().delete()  # those that `prepare` made have other numbers
                for table in tables():
                    _read_table(file, table, manifest, told)
                ensure_roles()
                _read_uploads(file, manifest)
    except FileNotFoundError:
        raise TransferError(_("There is no file %(path)s.") % {"path": path}) from None
    except (BadZipFile, OSError, EOFError, DatabaseError) as error:
        raise TransferError(_("%(path)s cannot be read (%(reason)s).") % {"path": path, "reason": error}) from error
    take_statistics()
    return manifest


def _refuse(manifest: Manifest) -> None:
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    ours = {name_of(table): {column_name(column) for column in given_columns(table)} for table in tables()}
    unknown = any((app, name) not in known for app, name in manifest.migrations.items())
    unknown |= any(not ours.get(each.name, set()).issuperset(each.columns) for each in manifest.tables)
    if unknown:
        raise TransferError(newer(manifest.program))
    full = [name_of(table) for table in tables() if table is not Group and table._base_manager.exists()]
    if full:
        text = _(
            "This site is not empty (%(tables)s). Everything is taken into a new one only: another database and "
            "AGGREGATOR_DATA, before anything is registered there and before the first administrator is made."
        )
        raise TransferError(text % {"tables": ", ".join(full[:3])})


def _check_at_once() -> None:
    """PostgreSQL would keep in memory what it has to check at the end: it checks each batch, but what refers to rows of
    the same table, which may come later."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = confrelid AND condeferrable"
        )
        names = ", ".join(connection.ops.quote_name(name) for (name,) in cursor.fetchall())
        if names:
            cursor.execute(f"SET CONSTRAINTS {names} DEFERRED")


def _read_table(file: ZipFile, table: Table, manifest: Manifest, told: Told) -> None:
    about = next((each for each in manifest.tables if each.name == name_of(table)), None)
    if about is None:  # of a later version than the file
        return
    lines = _Lines(file, about)
    make = _row_maker(table, about)
    for batch in batched(lines, BATCH):
        try:
            rows = [make(msgspec.json.decode(line)) for line in batch]
        except (msgspec.DecodeError, ValueError, TypeError, KeyError) as error:
            text = _("A line of %(table)s cannot be understood (%(reason)s).")
            raise TransferError(text % {"table": about.name, "reason": error}) from error
        _insert(table, rows)
        told(len(rows))
    lines.check()
    set_last_number(table, about.last_number)


class _Lines:
    """The lines of a table's file, counted and hashed."""

    def __init__(self, file: ZipFile, about: TableFile) -> None:
        self._file, self._about = file, about
        self._digest, self._count = hashlib.sha256(), 0

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self._file.open(file_of(self._about.name)) as source:
                while line := source.readline(LONGEST):
                    self._digest.update(line)
                    self._count += 1
                    yield line
        except KeyError:
            return

    def check(self) -> None:
        if (self._count, self._digest.hexdigest()) != (self._about.rows, self._about.sha256):
            raise TransferError(_damaged(self._about.name))


def _row_maker(table: Table, about: TableFile) -> Callable[[dict[str, Any]], list[Any]]:
    """From a line to the values of all columns; what the file does not have begins with its default."""
    changes: list[tuple[str, Callable[[Any], Any], Field[Any, Any] | None]] = [
        (column_name(column), out_of_json(column), None if column_name(column) in about.columns else column)
        for column in columns(table)
    ]
    path = PATHS.get(table._meta.label)
    folder = f"{uploads.folder()}/"

    def make(line: dict[str, Any]) -> list[Any]:
        if path and line[path].startswith(UPLOADS):
            line[path] = folder + line[path].removeprefix(UPLOADS)
        return [change(line[name]) if column is None else _default(column) for name, change, column in changes]

    return make


def _default(column: Field[Any, Any]) -> Any:
    if column.name == "password":
        return make_password(None)  # one that nobody has: “I forgot my password” brings a new one
    if column.name == "index_pending":
        return False  # the whole index is built when all are here
    return column.get_db_prep_save(column.get_default(), connection)


def _insert(table: Table, rows: Sequence[Sequence[Any]]) -> None:
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(each.column)) for each in columns(table))
    place = f"{quote(table._meta.db_table)} ({names})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {place} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(columns(table)))
            cursor.executemany(f"INSERT INTO {place} VALUES ({marks})", rows)  # noqa: S608 names only


def _read_uploads(file: ZipFile, manifest: Manifest) -> None:
    for each in manifest.uploads:
        target = uploads.folder().parent / each.name
        target.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        with file.open(each.name) as source, target.open("wb") as place:
            if copied(source, place) != each.sha256:
                raise TransferError(
                    _("The file is damaged: %(table)s does not agree with its count and checksum.")
                    % {"table": each.name}
                )


def _damaged(name: str) -> str:
    return _("The file is damaged: %(table)s does not agree with its count and checksum.") % {"table": name}
