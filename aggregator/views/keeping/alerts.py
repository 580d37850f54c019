"""Pages of alerts: the form about a search, and the links in the mails that confirm and stop an alert."""

from functools import cache

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from aggregator.alerts import requests, searches
from aggregator.alerts.letters import CONFIRM, STOP
from aggregator.middleware.rate_budget import spend_budget
from aggregator.models import SearchAlert
from aggregator.query.parameters import BadParameter, address, read_query
from aggregator.search.base import Query
from aggregator.views.public.search import answer_or_error
from core.http.rate_limit import HOUR, Counts, RateLimit

MOST_IN_AN_HOUR = 5  # requests of one network
LONGEST = 2000  # characters of a search, so that the links in a mail work everywhere


class AlertForm(forms.Form):
    """Where and how often new books are mailed."""

    email = forms.EmailField(widget=forms.EmailInput(attrs={"autocomplete": "email"}), max_length=254, label_suffix="")
    how = forms.ChoiceField(choices=SearchAlert.How.choices, widget=forms.RadioSelect, initial=SearchAlert.How.WEEKLY)


@cache
def _limit() -> RateLimit:
    return RateLimit(Counts(settings.RATE_LIMIT_URL), "alert", MOST_IN_AN_HOUR, HOUR)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponseBase:
    """Show the form for the search of the address; POST sends a mail that asks to confirm the alert."""

    def answer() -> HttpResponseBase:
        query = read_query(_search_of(request.GET))
        search = searches.written(query)
        if len(search) > LONGEST:
            raise BadParameter("q", _("This search has too many conditions for an alert."))
        form = AlertForm(request.POST if request.method == "POST" else None)
        context = {
            "query": query,
            "search": search,
            "words": searches.in_words(query),
            "back": address(query, reverse("search")),
            "feed": address(query, reverse("search_atom")),
            "offered": requests.are_offered(),
            "form": form,
            "most": requests.MOST_OF_ADDRESS,
            "days": requests.KEPT_UNCONFIRMED.days,
        }
        if request.method == "POST" and requests.are_offered():
            context["asked"] = form.is_valid() and _ask(request, form, search)
        status = 429 if form.non_field_errors() else 422 if form.errors else 200
        return render(request, "alerts/new.html", context, status=status)

    return answer_or_error(request, answer)


def _search_of(data: QueryDict) -> QueryDict:
    """Return the query string without page and order, which mean nothing to an alert."""
    plain = data.copy()
    for name in ("page", "size", "sort"):
        plain.pop(name, None)
    return plain


def _ask(request: HttpRequest, form: AlertForm, search: str) -> bool:
    """Store the request for an alert, or say in the form why not."""
    given = form.cleaned_data
    try:
        if not spend_budget(request, _limit()):
            requests.request_alert(given["email"], search, given["how"], get_language() or settings.LANGUAGE_CODE)
            return True
    except requests.TooManyRequests:
        pass
    form.add_error(None, _("Too many alerts have been requested at the moment. Please try again in an hour."))
    return False


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the link that confirms an alert. It needs a press of a button, because mail programs and scanners
    open links by themselves.
    """
    done = request.method == "POST"
    alert = requests.confirm(token) if done else requests.alert_of(CONFIRM, token)
    return _page(request, alert, {"done": done, "stopping": False})


@csrf_exempt  # the signed link is the authorisation, and mail programs post to it without a page (RFC 8058)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the link in a mail that deletes the alert."""
    done = request.method == "POST"
    alert = requests.alert_of(STOP, token)
    response = _page(request, alert, {"done": done, "stopping": True})
    if done and alert:
        requests.delete([alert])
    return response


def _page(request: HttpRequest, alert: SearchAlert | None, context: dict[str, object]) -> HttpResponse:
    words = searches.in_words_of(alert.search) if alert else []
    return render(
        request,
        "alerts/link.html",
        {**context, "alert": alert, "words": words, "query": Query()},
        status=200 if alert else 410,
    )
