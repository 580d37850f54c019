"""Self-test without login: a form, a page that waits, the report, one record of it. Knows HTTP and limits."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
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
from core.http.client_address import client, network, parse_networks
from harvesting.messages import happened, message_for
from harvesting.models import SelfTest
from harvesting.trials.report import unpack_report
from harvesting.trials.self_test import KEPT_FOR, SAMPLE, TooMany, ask, workers

type View = Callable[..., HttpResponse]
SALT = "harvesting.validation"
SEE_OTHER = 303


def unlisted(view: View) -> View:
    """Nobody keeps a copy, and no search engine lists it."""

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
    """The form; a POST starts a self-test and leads to its page."""
    if request.method != "POST":
        initial = {name: request.GET[name][:500] for name in ("base_url", "format") if name in request.GET}
        return _form(request, ValidateForm(initial=initial))
    form = ValidateForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form(request, form, 422)
    try:
        made = ask(form.wishes, form.payload, asker_of(request))
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
    """The report behind an address that nobody guesses; until it is there, a page that looks again by itself."""
    made = found(token)
    if made.state == SelfTest.State.DONE:
        context = {"made": made, "page": page_of(unpack_report(made.report)), "kept_until": made.created + KEPT_FOR}
        return render(request, "validate/report.html", context)
    if made.state == SelfTest.State.FAILED:
        return render(request, "validate/failed.html", {"made": made, **words_of_failure(made)})
    state = reverse("validation_state", args=[token])
    return render(request, "validate/waiting.html", {"made": made, "workers": workers(), "state": state})


@unlisted
@require_safe
def validation_state(_request: HttpRequest, token: str) -> JsonResponse:
    """Whether it is over: for the page that waits."""
    made = found(token)
    return JsonResponse({"state": made.state, "over": made.is_over})


@unlisted
@require_safe
def validation_json(_request: HttpRequest, token: str) -> JsonResponse:
    """The report for programs; until it is there only its state (202)."""
    made = found(token)
    about: dict[str, object] = {"state": made.state, "created": made.created}
    if made.state == SelfTest.State.DONE:
        about |= as_json(unpack_report(made.report))
    elif made.state == SelfTest.State.FAILED:
        about |= {"code": made.code, "message": words_of_failure(made)["what"]}
    return JsonResponse(about, status=200 if made.is_over else 202, json_dumps_params={"ensure_ascii": False})


@unlisted
@require_safe
def validation_record(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """One record of the sample."""
    made = found(token)
    finding = request.GET.get("finding", "")
    page = record_page(unpack_report(made.report), number, int(finding) if finding.isdecimal() else 0)
    if page is None:
        raise Http404(number)
    return render(request, "validate/record.html", {"made": made, "page": page})


def found(token: str) -> SelfTest:
    """The self-test with this token, or 404."""
    kept = SelfTest.objects.filter(token=token, created__gte=timezone.now() - KEPT_FOR)
    made = kept.defer("payload", "credentials").first()
    if made is None:
        raise Http404(token)
    return made


def words_of_failure(made: SelfTest) -> dict[str, str]:
    """Why nothing came, and what to do."""
    facts = {"base_url": made.wishes.get("base_url", ""), **made.facts}
    remedy = str(message_for(made.code).remedy)
    return {"what": happened(made.code, facts), "remedy": "" if "%(" in remedy else remedy}


def asker_of(request: HttpRequest) -> str:
    """A text that stands for the network that asks, and from which nobody reads it.

    "" for what is not of the open internet: all behind an unnamed proxy would count as one.
    """
    proxies = parse_networks(settings.TRUSTED_PROXIES)
    address = client(request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""), proxies)
    if address is None or not address.is_global:
        return ""
    return salted_hmac(SALT, str(network(address)), algorithm="sha256").hexdigest()[:32]


def _form(request: HttpRequest, form: ValidateForm, status: int = 200) -> HttpResponse:
    return render(request, "validate/form.html", {"form": form, "sample": SAMPLE, "days": KEPT_FOR.days}, status=status)
