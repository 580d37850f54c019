"""Helpers that several pages of this admin share: the person who acts, and records as links."""

from collections.abc import Iterable

from django.contrib.admin.options import ActionLocation
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.text import Truncator

from aggregator.grouping.inspection.duplicates import ListedRecord

EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]


def person(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def record_links(records: Iterable[ListedRecord]) -> str:
    """Return records as links to their pages, one on each line."""
    rows = (
        (reverse("book", args=[record.public_id]), Truncator(record.title or record.public_id).chars(80), record.volume)
        for record in records
    )
    return format_html_join("", '<p><a href="{}">{}</a> {}</p>', rows)
