"""Measures the size of processes, files, tables and the queue at one moment of a soak test. Needs Django."""

import contextlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import django_rq
import psutil
from django.apps import apps
from django.conf import settings
from django.db import connection
from redis.exceptions import RedisError
from rq.registry import FailedJobRegistry, FinishedJobRegistry, StartedJobRegistry

from benchmarks.soak.site import Site

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """The sizes at one moment. sizes: name with its unit -> number. rows: table -> rows. hour: of the simulation."""

    hour: float
    sizes: dict[str, float] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)


def sample(hour: float, site: Site) -> Sample:
    return Sample(hour, {**memory(site), **files(site), **database(), **queue()}, rows())


def memory(site: Site) -> dict[str, float]:
    """Return the resident memory in MiB of the largest process of each role, and the number of open files."""
    largest: Counter[str] = Counter()
    handles = 0
    for role, process in site.processes():
        with contextlib.suppress(psutil.Error):
            largest[role] = max(largest[role], process.memory_info().rss)
            handles += process.num_fds()
    return {f"memory of {role}, MiB": size / MIB for role, size in sorted(largest.items())} | {"open files": handles}


def files(site: Site) -> dict[str, float]:
    folder = Path(settings.DATA_DIR)
    sizes = {
        f"{name}, MiB": sum(path.stat().st_size for path in (folder / place).rglob("*") if path.is_file()) / MIB
        for name, place in (("search index", "search"), ("dumps", "dumps"), ("packages", "resourcesync"))
    }
    return {
        **sizes,
        "files of the search index": sum(1 for path in (folder / "search").rglob("*") if path.is_file()),
        "log, KiB": site.log.stat().st_size / 1024,
    }


def database() -> dict[str, float]:
    """Return the size of the database in MiB; of SQLite without free pages, and with the size of its WAL."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return {"database, MiB": cursor.fetchone()[0] / MIB}
        cursor.execute(
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        )
        used = cursor.fetchone()[0] / MIB
    wal = Path(f"{settings.DATABASES['default']['NAME']}-wal")
    return {"database, MiB": used, "WAL, MiB": wal.stat().st_size / MIB if wal.exists() else 0.0}


def queue() -> dict[str, float]:
    """Return the queue server's keys and memory, and the number of jobs in RQ's registries."""
    with contextlib.suppress(RedisError):
        waiting = django_rq.get_queue("default")
        client = waiting.connection
        return {
            "queue: keys": client.dbsize(),
            "queue: memory, MiB": client.info("memory")["used_memory"] / MIB,
            "queue: failed jobs": FailedJobRegistry(queue=waiting).get_job_count(cleanup=False),
            "queue: started jobs": StartedJobRegistry(queue=waiting).get_job_count(cleanup=False),
            "queue: finished jobs": FinishedJobRegistry(queue=waiting).get_job_count(cleanup=False),
        }
    return {}


def rows() -> dict[str, int]:
    return {model._meta.db_table: model._default_manager.count() for model in apps.get_models() if model._meta.managed}
