"""Staff make people members of libraries, on a page of the person."""

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from aggregator.loan_desk.members import add_member, find_libraries, remove_members
from aggregator.models import LibraryMember
from harvesting.accounts.access import for_staff, role_of
from harvesting.accounts.invitations import ChangeContext, may_change
from harvesting.views.people import actor

MOST = 20  # libraries that are offered


@require_http_methods(["GET", "HEAD", "POST"])
@for_staff
def person_libraries(request: HttpRequest, pk: int) -> HttpResponse:
    """The libraries that a person works for; a library is found by code or name, then added by its number."""
    person = get_object_or_404(get_user_model(), pk=pk)
    if not may_change(role_of(request.user), person) and person != request.user:
        raise PermissionDenied
    text = request.POST.get("library", request.GET.get("library", "")).strip()[:200]
    reason = request.POST.get("reason", "").strip()[:500]
    found = find_libraries(text, MOST) if text else []
    context = ChangeContext(actor(request), reason)
    if request.method == "POST" and "remove" in request.POST:
        remove_members(list(LibraryMember.objects.filter(user=person, pk__in=_keys(request, "remove"))), context)
        return redirect("person_libraries", pk)
    if request.method == "POST" and len(found) == 1:
        add_member(person, found[0], context)
        messages.success(request, _("%(name)s now works for %(library)s.") % {
            "name": person.get_username(), "library": found[0].label})  # fmt: skip
        return redirect("person_libraries", pk)
    shown = {
        "person": person,
        "memberships": LibraryMember.objects.filter(user=person).select_related("library").order_by("pk"),
        "text": text,
        "reason": reason,
        "found": found if len(found) > 1 else [],
        "none": bool(text) and not found,
    }
    return render(request, "loans/person.html", shown, status=422 if shown["none"] else 200)


def _keys(request: HttpRequest, name: str) -> list[int]:
    return [int(text) for text in request.POST.getlist(name) if text.isascii() and text.isdecimal() and len(text) < 19]
