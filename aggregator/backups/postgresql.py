"""Backing up and replacing a PostgreSQL database with its own tools; the backup runs while others write.

To replace a database, its schema with all tables is renamed, and dropped once the restored one is complete.
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

from aggregator.backups.archive import Progress
from aggregator.backups.manifest import BackupError
from aggregator.backups.programs import finish, start, tool

POLL_SECONDS = 0.2  # between two looks at a running program
SESSIONS = "django_session"  # left out, so that a stolen backup contains no valid login
SCHEMA, ASIDE = "public", "before_restore"
# Connection parameters, and the environment variables that pass them to the tools.
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
    """Return the size of the database in bytes, with indexes; an archive of it is much smaller."""
    with _own_connection() as session:
        return int(_single_value(session, "SELECT pg_database_size(current_database())"))


def snapshot(target: Path, progress: Progress) -> dict[str, int]:
    """Write the current state to a new file. Return the number of rows per table. Raises BackupError."""
    target.touch(mode=0o600, exist_ok=False)
    with _own_connection() as session:
        session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        session.execute("SET idle_in_transaction_session_timeout = 0")
        command = [
            tool("pg_dump", _major(session)),
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            "--no-password",
        ]
        snapshot_id = _single_value(
            session, "SELECT pg_export_snapshot()"
        )  # so that pg_dump and the counts see the same rows
        limits = [f"--snapshot={snapshot_id}", f"--schema={SCHEMA}", f"--exclude-table-data={SESSIONS}"]
        process = start([*command, *limits, f"--file={target}"], _environment())
        done = 0
        counts = _counts(session)
        while process.poll() is None:
            time.sleep(POLL_SECONDS)
            done, before = target.stat().st_size, done
            progress(done - before)
        finish(process, "pg_dump")
        return {**counts, SESSIONS: 0}


def check_staged(file: Path) -> dict[str, int]:
    """Raise BackupError if the archive cannot be listed. Returns {}: its rows can only be counted once restored."""
    finish(start([tool("pg_restore"), "--list", str(file)], {}), "pg_restore")
    return {}


@contextmanager
def database_replaced(staged: Path, counts: dict[str, int]) -> Iterator[None]:
    """Replace the tables by those of an archive, migrated; if the `with` block fails, the previous ones come back.

    counts: the number of rows that every table must have. Raises BackupError.
    """
    connections.close_all()
    with _set_aside() as session:
        flags = ["--no-owner", "--no-privileges", "--no-password", "--exit-on-error", "--single-transaction"]
        command = [
            tool("pg_restore", _major(session)),
            *flags,
            f"--schema={SCHEMA}",
            f"--dbname={_name()}",
            str(staged),
        ]
        finish(start(command, _environment()), "pg_restore")
        if (counts_now := _counts(session)) != counts:
            different = sorted(name for name in counts if counts_now.get(name) != counts[name])
            raise BackupError(
                _("After restoring, the row counts of these tables differ from the backup: %s.") % ", ".join(different)
            )
        session.commit()
        call_command("migrate", verbosity=0, interactive=False)
        yield


@contextmanager
def _set_aside() -> Iterator["psycopg.Connection"]:
    with _own_connection() as session:
        _ensure_unused(session)
        session.execute("SET lock_timeout = '10s'")
        try:
            session.execute(_rename(SCHEMA, ASIDE))
            session.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(SCHEMA)))
            session.commit()
        except psycopg.Error as error:
            session.rollback()
            text = _(
                "The existing tables cannot be set aside (%(reason)s). The role in DATABASE_URL must own the database."
            )
            raise BackupError(text % {"reason": str(error).strip()}) from error
        try:
            yield session
        except BaseException:
            connections.close_all()
            session.rollback()
            session.execute(_drop(SCHEMA))
            session.execute(_rename(ASIDE, SCHEMA))
            session.commit()
            raise
        session.execute(_drop(ASIDE))


def _ensure_unused(session: "psycopg.Connection") -> None:
    """Raise BackupError if other sessions use the database: they would write to tables that will be dropped.

    Also raise it if the schema that an interrupted restore has set aside still exists.
    """
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
        "AND coalesce(backend_type, 'client backend') = 'client backend'"
    )
    if _single_value(session, others):
        raise BackupError(
            _("The database is in use. Stop run.py, the web server, the workers and the dispatcher first.")
        )
    if session.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [ASIDE]).fetchone():
        text = _("An earlier restore was interrupted: %(aside)s holds the previous data. Move it back, or delete it.")
        raise BackupError(text % {"aside": f"SCHEMA {ASIDE}"})


def staging_path(folder: Path) -> Path:
    """Return where an archive is extracted before it is restored."""
    return folder / "restoring.pgdump"


def _own_connection() -> "psycopg.Connection":
    """Return a new connection; Django's may be inside a transaction."""
    return psycopg.connect(psycopg.conninfo.make_conninfo(**_settings()))


def _settings() -> dict[str, str]:
    parameters = connection.get_connection_params()
    return {name: str(parameters[name]) for name in _VARIABLES if parameters.get(name)}


def _environment() -> dict[str, str]:
    return {_VARIABLES[name]: value for name, value in _settings().items()}


def _name() -> str:
    return str(connection.settings_dict["NAME"])


def _major(session: "psycopg.Connection") -> int:
    return session.info.server_version // 10_000


def _counts(session: "psycopg.Connection") -> dict[str, int]:
    names = "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY tablename"
    count = sql.SQL("SELECT count(*) FROM {}")
    return {
        name: int(_single_value(session, count.format(sql.Identifier(SCHEMA, name))))
        for (name,) in session.execute(names, [SCHEMA]).fetchall()
    }


def _single_value(session: "psycopg.Connection", statement: LiteralString | sql.Composed) -> Any:
    """Return the value of a query that always returns one row with one value."""
    return session.execute(statement).fetchall()[0][0]


def _rename(name: str, other: str) -> sql.Composed:
    return sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(other))


def _drop(name: str) -> sql.Composed:
    return sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name))
