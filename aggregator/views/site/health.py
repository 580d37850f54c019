"""The addresses for monitoring: health and metrics; and the icon of the site."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from aggregator.indexing.state import missing_books
from aggregator.models import MatchAlarm
from aggregator.observability.metrics import CONTENT_TYPE, exposition
from aggregator.observability.readiness import CHECKS, failures
from aggregator.review.patterns import waiting
from core.http.client_address import client, is_in, parse_networks

# Headers of proxies, trusted or not: if a request has such a header, the peer of the connection is not the client.
FORWARDED = ("X-Forwarded-For", "Forwarded", "X-Real-IP")


@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Return 200 if database, queue, index and disk are well, else 503 with what fails and why.

    `?live` only asks whether this process answers, for a supervisor that restarts it. The numbers of matching alarms,
    of pairs to review and of books that wait for the index are reported too, but are no failure.
    """
    if "live" in request.GET:
        return JsonResponse({"status": "ok"})
    failed = failures()
    words = {name: "failed" if name in failed else "ok" for name in CHECKS}
    left = {} if "database" in failed else _waiting()
    answer = {"status": "failed" if failed else "ok", **words, **({"reasons": failed} if failed else {}), **left}
    return JsonResponse(answer, status=503 if failed else 200)


def _waiting() -> dict[str, int]:
    """Return the numbers of matching alarms, of pairs of records that wait for review, and of books that the index
    lacks beyond a usual backlog.
    """
    return {
        "matching_alarms": MatchAlarm.objects.count(),
        "pairs_to_review": sum(waiting().values()),
        "books_not_indexed": missing_books(),
    }


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics in the format of Prometheus, for authorised clients."""
    if not _may_measure(request):
        text = _("Metrics are shown only to requests with METRICS_TOKEN or from one of METRICS_NETWORKS.")
        return HttpResponse(f"{text}\n", "text/plain; charset=utf-8", 403)
    return HttpResponse(exposition(), CONTENT_TYPE)


def _may_measure(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        sent = request.headers.get("Authorization", "")
        return constant_time_compare(sent.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    proxies, networks = parse_networks(settings.TRUSTED_PROXIES), parse_networks(settings.METRICS_NETWORKS)
    remote = request.META.get("REMOTE_ADDR", "")
    client_address = client(remote, request.headers.get("X-Forwarded-For", ""), proxies)
    through_other_proxy = any(name in request.headers for name in FORWARDED) and not is_in(
        client(remote, "", ()), proxies
    )
    return is_in(client_address, networks) and not through_other_proxy


def favicon(_request: HttpRequest) -> HttpResponse:
    """Redirect to the icon, for pages that name none of their own, such as those of the administration."""
    return redirect(static("img/favicon.svg"))
