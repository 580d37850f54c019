"""A disaster drill: harvest, back up during a harvest, lose everything, restore, harvest again.

The result is compared with a "twin", a site that harvested the same data undisturbed. Runs in its own process with its
own database (SQLite, or on the server that DATABASE_URL names): `python -m tests.aggregator.backups.drill` prints
summaries of both.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from tests.database import migrate
from tests.durability.stage import disconnect, ended_or_frozen, fork, stage


def register(address: str) -> None:
    from harvesting.models import Feed, Repository  # noqa: PLC0415  (Django is set up later than this is imported)
    from harvesting.registry.registration import register as store  # noqa: PLC0415

    for name in ("見本図書館", "隣の図書館"):
        store(Repository(name=name), [Feed(base_url=f"{address}/before/oai", metadata_prefix="dcndl")])


def harvest_all() -> None:
    """Harvest every feed, continuing an active harvest if there is one; then aggregate the records."""
    from aggregator.tasks import aggregate  # noqa: PLC0415
    from harvesting.harvest.run import create_harvest  # noqa: PLC0415
    from harvesting.models import Feed, Harvest  # noqa: PLC0415
    from harvesting.tasks import run_harvest  # noqa: PLC0415

    for feed in Feed.objects.order_by("pk"):
        run = feed.harvests.filter(state__in=Harvest.ACTIVE).first() or create_harvest(feed)
        state = run_harvest(run.pk)
        assert state == Harvest.State.SUCCEEDED, state
    aggregate()


def change_library(address: str) -> None:
    """Point the feeds to the later state of the library in tests.durability.provider."""
    from harvesting.models import Feed  # noqa: PLC0415

    Feed.objects.update(base_url=f"{address}/after/oai")


def summary() -> dict[str, str | int]:
    """Return digests of the records and of their groups, and the numbers of records and of indexed books."""
    from aggregator.models import Member  # noqa: PLC0415
    from aggregator.search import get_index  # noqa: PLC0415
    from aggregator.search.base import Query  # noqa: PLC0415
    from harvesting.models import SourceRecord  # noqa: PLC0415

    columns = ("public_id", "payload_hash", "datestamp", "deleted")
    records = [(name, bytes(digest).hex(), *rest) for name, digest, *rest in SourceRecord.objects.values_list(*columns)]
    groups = defaultdict(list)
    for name, number in Member.objects.values_list("source_record__public_id", "manifestation"):
        groups[number].append(name)
    return {
        "records": digest(sorted(records)),
        "groups": digest(sorted(map(sorted, groups.values()))),
        "count": len(records),
        "indexed": get_index().search(Query(), facets=()).total,
    }


def digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def back_up_during_harvest(file: Path) -> None:
    """Make a backup while one worker is frozen between two pages and another is harvesting; then kill both."""
    frozen = fork(harvest_all, HARVEST_FREEZE_AT="store.after_commit:2")
    assert ended_or_frozen(frozen, 20) == "frozen"
    busy = fork(harvest_repeatedly)
    call_command("backup", file, json=True, stdout=sys.stderr)
    for pid in (frozen, busy):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def harvest_repeatedly() -> None:
    """Harvest the second feed in full, again and again, until the process is killed."""
    from harvesting.harvest.run import create_harvest  # noqa: PLC0415
    from harvesting.models import Feed  # noqa: PLC0415
    from harvesting.tasks import run_harvest  # noqa: PLC0415

    while True:
        run_harvest(create_harvest(Feed.objects.latest("pk"), full=True).pk)


SECRETS = ("Kanarienvogel-1", "Kanarienvogel-2")  # a provider's password, and the key of a session


def plant_secrets() -> None:
    from django.contrib.sessions.models import Session  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from harvesting.http.authorization import Credentials  # noqa: PLC0415
    from harvesting.models import Feed  # noqa: PLC0415
    from harvesting.registry.credentials import seal_credentials  # noqa: PLC0415

    Feed.objects.update(
        credentials=seal_credentials(Credentials(kind="basic", username="Schluessel", secret=SECRETS[0]))
    )
    Session.objects.create(session_key=SECRETS[1], session_data="x", expire_date=timezone.now())


def leaked_secrets(file: Path) -> list[str]:
    """Return the secrets and keys that a backup contains in the clear."""
    with tarfile.open(file) as tar:
        tar.extract("database", file.parent, filter="data")
    text = (file.parent / "database").read_bytes()
    if connection.vendor == "postgresql":
        text = subprocess.run(
            ["pg_restore", "-f", "-", file.parent / "database"], capture_output=True, check=True
        ).stdout
    keys = [(settings.DATA_DIR / name).read_text().strip() for name in ("credentials_key", "secret_key")]
    return [secret for secret in (*SECRETS, *keys) if secret.encode() in text + file.read_bytes()]


def unreadable_without_key() -> int:
    """Return the number of credentials that cannot be decrypted without the key file."""
    from aggregator.backups.restoring import unopened_logins  # noqa: PLC0415

    key = settings.DATA_DIR / "credentials_key"
    content = key.read_text()
    key.unlink()
    unreadable = unopened_logins()
    key.write_text(content)
    return unreadable


def has_planner_statistics() -> bool:
    """Return whether the database has statistics of the records; SQLite needs none."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stats WHERE tablename = 'harvesting_sourcerecord'")
        return bool(cursor.fetchone()[0])


def destroy() -> None:
    """Delete the database and all files except the keys."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    disconnect()
    for path in Path(settings.DATA_DIR).iterdir():
        if path.name not in {"credentials_key", "secret_key"}:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def run_drill(address: str) -> dict[str, object]:
    register(address)
    harvest_all()
    change_library(address)
    harvest_all()
    twin = summary()
    destroy()
    migrate()
    register(address)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "site.backup"
        plant_secrets()
        back_up_during_harvest(file)
        leaks = leaked_secrets(file)
        destroy()
        call_command("restore", file, json=True, stdout=sys.stderr)
    stored = summary() | {"leaks": leaks, "closed": unreadable_without_key(), "known": has_planner_statistics()}
    harvest_all()
    change_library(address)
    harvest_all()
    return {"twin": twin, "restored": stored, "drilled": summary(), "database": connection.vendor}


if __name__ == "__main__":
    with stage() as address:
        print(json.dumps(run_drill(address)))
