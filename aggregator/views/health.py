"""What machines ask about the site itself: health, and its icon."""

import logging

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.cache import never_cache

from aggregator.models import MatchAlarm
from aggregator.review import waiting
from aggregator.search import get_index
from aggregator.search.base import Query

logger = logging.getLogger(__name__)


@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """200 when database and index can be read, else 503 and which of them cannot.

    What matching leaves to people is told beside it and is no failure.
    """
    checks = {"database": _database(), "index": _index()}
    healthy = all(checks.values())
    words = {name: "ok" if fine else "failed" for name, fine in checks.items()}
    left = _waiting() if checks["database"] else {}
    answer = {"status": "ok" if healthy else "failed", **words, **left}
    return JsonResponse(answer, status=200 if healthy else 503)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM aggregator_manifestation WHERE 1 = 0")
    except DatabaseError:
        logger.exception("health: database")
        return False
    return True


def _waiting() -> dict[str, int]:
    """How many matching alarms there are, and pairs of records that staff should look at."""
    return {"matching_alarms": MatchAlarm.objects.count(), "pairs_to_review": sum(waiting().values())}


def _index() -> bool:
    try:
        get_index().search(Query(page_size=1), facets=())
    except Exception:  # whatever it is, the answer is 503
        logger.exception("health: index")
        return False
    return True


def favicon(_request: HttpRequest) -> HttpResponse:
    """For pages that name no icon of their own, such as those of the administration."""
    return redirect(static("img/favicon.svg"))
