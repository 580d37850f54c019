"""The page about privacy: what is kept, where and for how long. Every time comes from the code that applies it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from aggregator.access import login_throttle
from aggregator.alerts import requests as alerts
from aggregator.live.sources import any_catalogue
from aggregator.loan_desk import links, retention
from aggregator.middleware import language_prefix, reader_cookie
from aggregator.provision.taken import recording as taken
from aggregator.review import retention as reports
from aggregator.statistics import use_days
from core.http import rate_limit
from harvesting.accounts import forgotten
from harvesting.notifications import composing

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that is kept: what it is, why, and how long."""

    what: str
    why: str
    how_long: str


def period(span: timedelta) -> str:
    """Return a span in the largest unit that it is a multiple of: days, hours or minutes."""
    if span >= DAY and not span % DAY:
        return ngettext("%(number)d day", "%(number)d days", span // DAY) % {"number": span // DAY}
    if span >= HOUR and not span % HOUR:
        return ngettext("%(number)d hour", "%(number)d hours", span // HOUR) % {"number": span // HOUR}
    return ngettext("%(number)d minute", "%(number)d minutes", span // MINUTE) % {"number": span // MINUTE}


def _months(number: int) -> str:
    return ngettext("%(number)d month", "%(number)d months", number) % {"number": number}


def privacy(request: HttpRequest) -> HttpResponse:
    """Show what this installation keeps; what it does not offer is left out."""
    context = {
        "cookies": list(_cookies()),
        "on_the_server": [*_of_readers(), *_of_librarians()],
        "logs_requests": settings.ACCESS_LOG,
        "reports_errors": bool(settings.SENTRY_DSN),
        "asks_others": any_catalogue(),
        "asks_always": settings.LIVE_ALWAYS,
    }
    return render(request, "pages/privacy.html", context)


def _cookies() -> Iterator[Kept]:
    def row(name: str, why: str, seconds: float) -> Kept:
        return Kept(name, why, period(timedelta(seconds=seconds)))

    yield row(settings.LANGUAGE_COOKIE_NAME, _("The language that you chose."), language_prefix.ONE_YEAR)
    yield row(
        reader_cookie.COOKIE,
        _("That you have seen search results, so that people come before automated programs when the site is busy."),
        reader_cookie.AGE,
    )
    yield row(
        settings.CSRF_COOKIE_NAME,
        _("A random value that protects forms. It is set by pages with a form."),
        settings.CSRF_COOKIE_AGE or 0,
    )
    yield row(settings.SESSION_COOKIE_NAME, _("Only after a login: who you are."), settings.SESSION_COOKIE_AGE)


def _of_readers() -> Iterator[Kept]:
    if alerts.are_offered():
        yield Kept(
            _("Alerts: your address, the search, and how often"),
            _("To send you new books. Staff do not see them."),
            _("Until you delete the alert; it is then erased at once. Unconfirmed requests: %(period)s.")
            % {"period": period(alerts.KEPT_UNCONFIRMED)},
        )
    yield Kept(
        _("Reports of errors: your words, and your address if you give one"),
        _("So that staff can correct the record and answer you."),
        _("The address: until %(period)s after staff have dealt with the report.") % {"period": period(reports.KEPT)},
    )
    yield Kept(
        _("Your answer whether two records are the same book, with a code made from the cookie of the form"),
        _("So that each person is counted only once. The code does not say who you are."),
        _("The code: until staff have dealt with the answer."),
    )
    yield Kept(
        _("How often pages of books were opened and their links followed, in all and for each provider and library"),
        _("For the statistics. Only sums are kept: no cookie, no address, no time of day."),
        _("By day: %(days)s. By month: %(months)s.")
        % {"days": period(use_days.DAYS_KEPT * DAY), "months": _months(use_days.MONTHS_KEPT)},
    )
    yield Kept(
        _("Which whole lists of data a program took: its name, or that of its API key, and its network"),
        _("So that providers see which services have their records."),
        period(taken.KEPT),
    )
    yield Kept(
        _("How many searches came from your network, under a code that does not reveal it"),
        _("So that nobody keeps others from searching."),
        _("At most %(period)s.") % {"period": period(_window())},
    )


def _window() -> timedelta:
    """How long a request is counted: two windows of the longest limit."""
    searches = settings.SEARCH_BURST / settings.SEARCH_RATE if settings.SEARCH_RATE else 0
    return timedelta(minutes=math.ceil(2 * max(searches, rate_limit.HOUR) / 60))


def _of_librarians() -> Iterator[Kept]:
    yield Kept(
        _("Requests for interlibrary loan"),
        _("Between libraries; the notes may say something about a reader."),
        _("The notes: until %(period)s after the last change. The links in mails: %(links)s.")
        % {"period": period(retention.KEPT), "links": period(links.VALID)},
    )
    yield Kept(
        _("Accounts of librarians and staff: name, e-mail address, what they did"),
        _("To know who is responsible for a change."),
        _("As long as the account exists; the record of changes permanently."),
    )
    yield Kept(
        _("Notifications sent to librarians"),
        _("To show whether they were delivered."),
        period(composing.KEPT),
    )
    yield Kept(
        _("Failed logins, and the networks from which an account logged in"),
        _("To slow down attempts to guess a password."),
        _("Failed logins: %(failures)s. Networks: %(networks)s.")
        % {"failures": period(login_throttle.FAILURE_LIFETIME), "networks": period(login_throttle.KNOWN_FOR)},
    )
    yield Kept(
        _("Requests for a new password"),
        _("To send no more mails than necessary."),
        period(forgotten.KEPT),
    )
