"""Whether the site can do its work now, and if not, why. Cheap, since it runs every few seconds.

The view decides the status code.
"""

import logging
import shutil
from collections.abc import Callable

import django_rq
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from aggregator.indexing.state import lacks_books
from aggregator.search import get_index
from aggregator.search.base import Query

logger = logging.getLogger(__name__)
LEAST_FREE = 200 * 1024**2  # bytes; with less, storing will soon fail


def failures() -> dict[str, str]:
    """Return name -> reason of the checks that fail; {} if all is well. Reasons are sentences without secrets."""
    reasons = {name: check() for name, check in CHECKS.items()}
    return {name: reason for name, reason in reasons.items() if reason}


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM aggregator_manifestation WHERE 1 = 0")
    except DatabaseError as error:  # in one line: it comes again every few seconds as long as the outage lasts
        logger.error("health: database: %s", error)
        return _("The database does not answer, or its tables are missing.")
    return ""


def _queue() -> str:
    try:
        django_rq.get_connection("default").ping()
    except RedisError as error:
        logger.error("health: queue: %s", error)
        return _("The queue server does not answer; no harvests can start.")
    return ""


def _index() -> str:
    try:
        get_index().search(Query(page_size=1), facets=())
    except Exception:  # whatever the error is, the site cannot search
        logger.exception("health: index")
        return _("The search index cannot be read.")
    return _("The search index is gone or incomplete; it is being rebuilt.") if lacks_books() else ""


def _disk() -> str:
    try:
        free = shutil.disk_usage(settings.DATA_DIR).free
    except OSError as error:
        logger.error("health: disk: %s", error)
        return _("The data folder cannot be read.")
    return "" if free >= LEAST_FREE else _("The disk is full.")


CHECKS: dict[str, Callable[[], str]] = {"database": _database, "queue": _queue, "index": _index, "disk": _disk}
