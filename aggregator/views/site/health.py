"""What machines ask about the site itself: health, figures, and its icon."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from aggregator.models import MatchAlarm
from aggregator.observability.metrics import CONTENT_TYPE, exposition
from aggregator.observability.readiness import CHECKS, failures
from aggregator.review.queue import waiting
from core.http.client_address import client, is_in, parse_networks

# A proxy in front, named as trusted or not: then who opened the connection is not who asks.
FORWARDED = ("X-Forwarded-For", "Forwarded", "X-Real-IP")


@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when database, queue, index and disk are well, else 503 with what fails and why.

    With `?live` only whether this process answers: what ought to be restarted otherwise. What matching leaves to people
    is told beside it and is no failure.
    """
    if "live" in request.GET:
        return JsonResponse({"status": "ok"})
    failed = failures()
    words = {name: "failed" if name in failed else "ok" for name in CHECKS}
    left = {} if "database" in failed else _waiting()
    answer = {"status": "failed" if failed else "ok", **words, **({"reasons": failed} if failed else {}), **left}
    return JsonResponse(answer, status=503 if failed else 200)


def _waiting() -> dict[str, int]:
    """How many matching alarms there are, and pairs of records that staff should look at."""
    return {"matching_alarms": MatchAlarm.objects.count(), "pairs_to_review": sum(waiting().values())}


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Figures as Prometheus reads them, for who may see them."""
    if not _may_measure(request):
        text = _("Figures are shown to who sends METRICS_TOKEN, or asks from one of METRICS_NETWORKS.")
        return HttpResponse(f"{text}\n", "text/plain; charset=utf-8", 403)
    return HttpResponse(exposition(), CONTENT_TYPE)


def _may_measure(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        sent = request.headers.get("Authorization", "")
        return constant_time_compare(sent.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    proxies, networks = parse_networks(settings.TRUSTED_PROXIES), parse_networks(settings.METRICS_NETWORKS)
    remote = request.META.get("REMOTE_ADDR", "")
    asker = client(remote, request.headers.get("X-Forwarded-For", ""), proxies)
    through_another = any(name in request.headers for name in FORWARDED) and not is_in(client(remote, "", ()), proxies)
    return is_in(asker, networks) and not through_another


def favicon(_request: HttpRequest) -> HttpResponse:
    """For pages that name no icon of their own, such as those of the administration."""
    return redirect(static("img/favicon.svg"))
