"""The pages about duplicates within one provider's records, and about ISBNs on different books."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from aggregator.grouping.inspection import duplicate_pages
from core.http.row_ids import row_id
from harvesting.accounts.access import for_librarians, listed_repositories, own_repository, repositories_of
from harvesting.models import Repository


@require_safe
@for_librarians
def same_books(request: HttpRequest) -> HttpResponse:
    """`?repository=R…`: the groups with several records of this provider."""
    repository = _repository(request)
    found = duplicate_pages.same_books(repository.pk, _after(request)) if repository else duplicate_pages.Page((), 0)
    return render(request, "manage/records/same_books.html", _context(request, repository, found))


@require_safe
@for_librarians
def isbns(request: HttpRequest) -> HttpResponse:
    """The suspect ISBNs of one provider, or of all providers of this person."""
    repository = _repository(request)
    own = [repository.pk] if repository else list(repositories_of(request.user).values_list("pk", flat=True))
    found = duplicate_pages.suspect_isbns(own, _after(request))
    return render(request, "manage/records/isbns.html", _context(request, repository, found))


def _context(
    request: HttpRequest, repository: Repository | None, found: duplicate_pages.Page[Any]
) -> dict[str, object]:
    return {
        "repository": repository,
        "repositories": listed_repositories(request.user),
        "found": found,
        "is_first": not _after(request),
    }


def _repository(request: HttpRequest) -> Repository | None:
    """Return the provider named in the address; without one, the user's only provider, or None if there are several."""
    number = request.GET.get("repository", "")
    if number:
        return own_repository(request, number)
    own = list(repositories_of(request.user)[:2])
    return own[0] if len(own) == 1 else None


def _after(request: HttpRequest) -> int:
    return row_id(request.GET.get("after", ""))
