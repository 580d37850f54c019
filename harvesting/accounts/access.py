"""Access control for views: the role of a user, the repositories a user may act for, decorators that require a role.

`aggregator.access.permissions` holds the minimum role of every URL of the site. The views check again with the
functions of this module, so that a page stays closed even where that table is wrong.
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
from harvesting.models import Repository, groups_of

type View = Callable[..., HttpResponseBase]

MOST_LISTED = 100  # repositories to choose from in a list

LABELS = {
    Role.PUBLIC: _("no role"),
    Role.LIBRARIAN: _("librarian"),
    Role.STAFF: _("staff"),
    Role.ADMINISTRATOR: _("administrator"),
}


def role_of(user: Any) -> Role:
    """Return the role of a user; PUBLIC for anonymous users and closed accounts."""
    if not (user.is_authenticated and user.is_active):
        return Role.PUBLIC
    if user.is_superuser:
        return Role.ADMINISTRATOR
    groups = groups_of(user)
    if STAFF in groups:
        return Role.STAFF
    return Role.LIBRARIAN if LIBRARIANS in groups else Role.PUBLIC


def repositories_of(user: Any) -> QuerySet[Repository]:
    """The repositories a user may act for: those a librarian manages, all of them for staff and administrators."""
    if role_of(user) is Role.PUBLIC:
        return Repository.objects.none()
    return Repository.objects.for_user(user)


def listed_repositories(user: Any) -> list[Repository]:
    """The repositories a user may act for, to choose from; [] if there are too many for a list: a number is typed then.

    Without what pages about a choice do not need.
    """
    found = list(repositories_of(user).only("number", "name", "name_en").order_by("number")[: MOST_LISTED + 1])
    return found if len(found) <= MOST_LISTED else []


def own_repository(request: HttpRequest, number: str) -> Repository:
    """Return the repository with this number.

    Raises Http404 both where there is none and where the user may not act for it, so that the response does not reveal
    which numbers exist.
    """
    repository = repositories_of(request.user).filter(number=number).first()
    if repository is None:
        raise Http404(number)
    return repository


def chosen_repositories(request: HttpRequest, number: str) -> tuple[Repository | None, tuple[int, ...]]:
    """Return the repository with this number (None for "") and the keys of what it stands for: itself, or all that the
    user may act for. Raises as `own_repository`.
    """
    if number:
        repository = own_repository(request, number)
        return repository, (repository.pk,)
    return None, tuple(repositories_of(request.user).order_by("pk").values_list("pk", flat=True))


def refusal(request: HttpRequest, least: Role) -> HttpResponse | None:
    """Return None if the user has at least this role, or a redirect to the login page if nobody is logged in.

    Raises PermissionDenied for a logged-in user with a lower role.
    """
    if role_of(request.user) >= least:
        return None
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(request.get_full_path(), resolve_url(settings.LOGIN_URL))


def _requires(least: Role) -> Callable[[View], View]:
    """A view decorator that admits users with at least this role and forbids caching of the response."""

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
            return refusal(request, least) or view(request, *arguments, **named)

        return never_cache(wrapper)

    return decorator


for_librarians = _requires(Role.LIBRARIAN)
for_staff = _requires(Role.STAFF)
for_administrators = _requires(Role.ADMINISTRATOR)
