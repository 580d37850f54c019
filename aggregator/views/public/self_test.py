"""Self-test without login: the form, a page that waits, the report, and one record of it."""

from collections.abc import Callable
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from aggregator.trials.report import as_json, page_of, record_page
from aggregator.trials.self_test_form import ValidateForm
from core.http.client_address import network
from core.http.clients import client_of
from core.http.row_ids import row_id
from harvesting.messages import happened, remedy
from harvesting.models import SelfTest
from harvesting.trials.report import unpack_report
from harvesting.trials.self_test import KEPT_FOR, SAMPLE, TooMany, submit_self_test, workers

type View = Callable[..., HttpResponse]
SALT = "harvesting.validation"
SEE_OTHER = 303


def unlisted(view: View) -> View:
    """Keep the page out of caches and of search engines."""

    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, *arguments: str, **named: str) -> HttpResponse:
        response = view(request, *arguments, **named)
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return wrapped


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def validate(request: HttpRequest) -> HttpResponse:
    """Show the form; a POST starts a self-test and redirects to its page."""
    if request.method != "POST":
        initial = {name: request.GET[name][:500] for name in ("base_url", "format") if name in request.GET}
        return _form(request, ValidateForm(initial=initial))
    form = ValidateForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form(request, form, 422)
    try:
        made = submit_self_test(form.options, form.payload, network_digest(request))
    except TooMany as limit:
        minutes = -(-limit.seconds // 60)
        form.add_error(None, _("Too many tests in the last hour. Please try again in %(n)s minutes.") % {"n": minutes})
        response = _form(request, form, 429)
        response["Retry-After"] = str(limit.seconds)
        return response
    return HttpResponseRedirect(reverse("validation", args=[made.token]), status=SEE_OTHER)


@unlisted
@require_safe
def validation(request: HttpRequest, token: str) -> HttpResponse:
    """Show the report under its secret address; until it is done, a page that reloads by itself."""
    made = get_self_test(token)
    if made.state == SelfTest.State.DONE:
        context = {"made": made, "page": page_of(unpack_report(made.report)), "kept_until": made.created + KEPT_FOR}
        return render(request, "validate/report.html", context)
    if made.state == SelfTest.State.FAILED:
        return render(request, "validate/failed.html", {"made": made, **failure_text(made)})
    state = reverse("validation_state", args=[token])
    return render(request, "validate/waiting.html", {"made": made, "workers": workers(), "state": state})


@unlisted
@require_safe
def validation_state(_request: HttpRequest, token: str) -> JsonResponse:
    """Return whether the self-test is over, for the page that waits."""
    made = get_self_test(token)
    return JsonResponse({"state": made.state, "over": made.is_over})


@unlisted
@require_safe
def validation_json(_request: HttpRequest, token: str) -> JsonResponse:
    """Return the report for programs; until it is done only its state (202)."""
    made = get_self_test(token)
    about: dict[str, object] = {"state": made.state, "created": made.created}
    if made.state == SelfTest.State.DONE:
        about |= as_json(unpack_report(made.report))
    elif made.state == SelfTest.State.FAILED:
        about |= {"code": made.code, "message": failure_text(made)["what"]}
    return JsonResponse(about, status=200 if made.is_over else 202, json_dumps_params={"ensure_ascii": False})


@unlisted
@require_safe
def validation_record(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Show one record of the sample."""
    made = get_self_test(token)
    finding = request.GET.get("finding", "")
    page = record_page(unpack_report(made.report), number, row_id(finding))
    if page is None:
        raise Http404(number)
    return render(request, "validate/record.html", {"made": made, "page": page})


def get_self_test(token: str) -> SelfTest:
    """Return the self-test with this token, or raise Http404."""
    stored = SelfTest.objects.filter(token=token, created__gte=timezone.now() - KEPT_FOR)
    made = stored.defer("payload", "credentials").first()
    if made is None:
        raise Http404(token)
    return made


def failure_text(made: SelfTest) -> dict[str, str]:
    """Return why nothing was received, and what to do."""
    facts = {"base_url": made.options.get("base_url", ""), **made.facts}
    return {"what": happened(made.code, facts), "remedy": remedy(made.code)}


def network_digest(request: HttpRequest) -> str:
    """Return a digest that stands for the client's network and does not reveal it.

    "" for addresses outside the public internet: behind a proxy that TRUSTED_PROXIES does not name, all clients would
    count as one.
    """
    address = client_of(request)
    if address is None or not address.is_global:
        return ""
    return salted_hmac(SALT, str(network(address)), algorithm="sha256").hexdigest()[:32]


def _form(request: HttpRequest, form: ValidateForm, status: int = 200) -> HttpResponse:
    return render(request, "validate/form.html", {"form": form, "sample": SAMPLE, "days": KEPT_FOR.days}, status=status)
