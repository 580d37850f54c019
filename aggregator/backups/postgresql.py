"""A PostgreSQL database by its own tools: copied while others write, put in the place of another.

To be replaced, the schema with all tables is set aside under another name, and dropped when the new one stands.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from django.core.management import call_command
from django.db import connection, connections
from django.utils.translation import gettext as _
from psycopg import sql

from aggregator.backups.archive import Told
from aggregator.backups.manifest import BackupError
from aggregator.backups.programs import finish, start, tool

LOOK_AGAIN = 0.2  # seconds
SESSIONS = "django_session"  # who is logged in: nobody is who finds a backup
SCHEMA, ASIDE = "public", "before_restore"
# Names of the settings of a connection, and of the variables by which the tools are told them.
_VARIABLES = {
    "dbname": "PGDATABASE",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "host": "PGHOST",
    "port": "PGPORT",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}


def size() -> int:
    """Bytes of the database, its indexes included: an archive of it is much smaller."""
    with _own_connection() as own:
        return int(_one(own, "SELECT pg_database_size(current_database())"))


def snapshot(target: Path, told: Told) -> dict[str, int]:
    """Write the state of this moment to a new file; returns the rows of each table. Raises BackupError."""
    target.touch(mode=0o600, exist_ok=False)
    with _own_connection() as own:
        own.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        own.execute("SET idle_in_transaction_session_timeout = 0")
        command = [tool("pg_dump", _major(own)), "--format=custom", "--no-owner", "--no-privileges", "--no-password"]
        seen = _one(own, "SELECT pg_export_snapshot()")  # what is counted is what is dumped
        limits = [f"--snapshot={seen}", f"--schema={SCHEMA}", f"--exclude-table-data={SESSIONS}"]
        process = start([*command, *limits, f"--file={target}"], _environment())
        done = 0
        counts = _counts(own)
        while process.poll() is None:
            time.sleep(LOOK_AGAIN)
            done, before = target.stat().st_size, done
            told(done - before)
        finish(process, "pg_dump")
        return {**counts, SESSIONS: 0}


def checked(file: Path) -> dict[str, int]:
    """Nothing is known of the rows before they are restored. Raises BackupError if the archive cannot be listed."""
    finish(start([tool("pg_restore"), "--list", str(file)], {}), "pg_restore")
    return {}


@contextmanager
def replaced(staged: Path, counts: dict[str, int]) -> Iterator[None]:
    """With the tables of an archive in the place of ours, migrated. They stand when nothing fails inside.

    Else what was there comes back. counts: rows that each table must have. Raises BackupError.
    """
    connections.close_all()
    with _set_aside() as own:
        flags = ["--no-owner", "--no-privileges", "--no-password", "--exit-on-error", "--single-transaction"]
        command = [tool("pg_restore", _major(own)), *flags, f"--schema={SCHEMA}", f"--dbname={_name()}", str(staged)]
        finish(start(command, _environment()), "pg_restore")
        if (found := _counts(own)) != counts:
            wrong = sorted(name for name in counts if found.get(name) != counts[name])
            raise BackupError(_("After restoring, these tables have other rows than before: %s.") % ", ".join(wrong))
        own.commit()
        call_command("migrate", verbosity=0, interactive=False)
        yield


@contextmanager
def _set_aside() -> Iterator["psycopg.Connection"]:
    with _own_connection() as own:
        _refuse_company(own)
        own.execute("SET lock_timeout = '10s'")
        try:
            own.execute(_rename(SCHEMA, ASIDE))
            own.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(SCHEMA)))
            own.commit()
        except psycopg.Error as error:
            own.rollback()
            text = _("The tables cannot be set aside (%(reason)s). The role of DATABASE_URL must own the database.")
            raise BackupError(text % {"reason": str(error).strip()}) from error
        try:
            yield own
        except BaseException:
            connections.close_all()
            own.rollback()
            own.execute(_drop(SCHEMA))
            own.execute(_rename(ASIDE, SCHEMA))
            own.commit()
            raise
        own.execute(_drop(ASIDE))


def _refuse_company(own: "psycopg.Connection") -> None:
    """Whoever works on the database would write into tables that are on their way out."""
    company = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
        "AND coalesce(backend_type, 'client backend') = 'client backend'"
    )
    if _one(own, company):
        raise BackupError(
            _("The database is in use. End run.py, the web server, the workers and the dispatcher first.")
        )
    if own.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [ASIDE]).fetchone():
        text = _("A restore was cut short: %(aside)s is what was there before. Put it back in its place, or delete it.")
        raise BackupError(text % {"aside": f"SCHEMA {ASIDE}"})


def staging(folder: Path) -> Path:
    """Where an archive is laid while it is restored."""
    return folder / "restoring.pgdump"


def _own_connection() -> "psycopg.Connection":
    """Beside Django's, which may be in a transaction."""
    return psycopg.connect(psycopg.conninfo.make_conninfo(**_settings()))


def _settings() -> dict[str, str]:
    found = connection.get_connection_params()
    return {name: str(found[name]) for name in _VARIABLES if found.get(name)}


def _environment() -> dict[str, str]:
    return {_VARIABLES[name]: value for name, value in _settings().items()}


def _name() -> str:
    return str(connection.settings_dict["NAME"])


def _major(own: "psycopg.Connection") -> int:
    return own.info.server_version // 10_000


def _counts(own: "psycopg.Connection") -> dict[str, int]:
    names = "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY tablename"
    count = sql.SQL("SELECT count(*) FROM {}")
    return {
        name: int(_one(own, count.format(sql.Identifier(SCHEMA, name))))
        for (name,) in own.execute(names, [SCHEMA]).fetchall()
    }


def _one(own: "psycopg.Connection", statement: LiteralString | sql.Composed) -> Any:
    """The one value of a query that always has one."""
    return own.execute(statement).fetchall()[0][0]


def _rename(name: str, other: str) -> sql.Composed:
    return sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(other))


def _drop(name: str) -> sql.Composed:
    return sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name))
