"""Who may do what: the role of a person, and the repositories that she may act for. Knows accounts; no page.

The least role of each address of the site is in one table, `aggregator.access.permissions`; what is here is asked by
the views themselves, so that a page stays closed even where the table is wrong.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from harvesting.accounts.ranks import Role
from harvesting.accounts.roles import LIBRARIANS, STAFF
from harvesting.models import Repository

type View = Callable[..., HttpResponseBase]


LABELS = {
    Role.PUBLIC: _("no role"),
    Role.LIBRARIAN: _("librarian"),
    Role.STAFF: _("staff"),
    Role.ADMINISTRATOR: _("administrator"),
}


def role_of(user: Any) -> Role:
    """The role of a person; nobody's, and that of a closed account, is PUBLIC. One small query."""
    if not (user.is_authenticated and user.is_active):
        return Role.PUBLIC
    if user.is_superuser:
        return Role.ADMINISTRATOR
    groups = set(user.groups.values_list("name", flat=True))
    if STAFF in groups:
        return Role.STAFF
    return Role.LIBRARIAN if LIBRARIANS in groups else Role.PUBLIC


def repositories_of(user: Any) -> QuerySet[Repository]:
    """What a person may act for: a librarian what she manages, staff and administrators everything."""
    if role_of(user) is Role.PUBLIC:
        return Repository.objects.none()
    return Repository.objects.for_user(user)


def own_repository(request: HttpRequest, number: str) -> Repository:
    """The repository of this number; Http404 if there is none or it is not hers: the answer must not tell which."""
    found = repositories_of(request.user).filter(number=number).first()
    if found is None:
        raise Http404(number)
    return found


def refusal(request: HttpRequest, least: Role) -> HttpResponse | None:
    """None if the person may; the way to the login for those who are nobody yet. Raises PermissionDenied."""
    if role_of(request.user) >= least:
        return None
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.get_full_path(), resolve_url(settings.LOGIN_URL))


def _for(least: Role) -> Callable[[View], View]:
    def closed(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
            return refusal(request, least) or view(request, *arguments, **named)

        return never_cache(answer)

    return closed


for_librarians = _for(Role.LIBRARIAN)
for_staff = _for(Role.STAFF)
for_administrators = _for(Role.ADMINISTRATOR)
