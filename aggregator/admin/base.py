"""What several pages of this admin share: who acts, and records as links."""

from collections.abc import Iterable

from django.contrib.admin.options import ActionLocation
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.text import Truncator

from aggregator.grouping.duplicates import Listed

EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]


def person(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def linked(records: Iterable[Listed]) -> str:
    """Records as links to their pages, a line each."""
    rows = (
        (reverse("book", args=[each.public_id]), Truncator(each.title or each.public_id).chars(80), each.volume)
        for each in records
    )
    return format_html_join("", '<p><a href="{}">{}</a> {}</p>', rows)
