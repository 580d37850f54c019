"""Columns of the admin pages with readable headings."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_noop

from harvesting.monitoring.wording import format_moment

# Texts of Django's own pages that its Japanese catalogue lacks. Naming them here puts them into our catalogue, which
# takes precedence over Django's.
BORROWED = (gettext_noop("- Select an option -"),)


def column(name: str, label: Any, *, boolean: bool | None = None) -> Callable[[Any, Any], Any]:
    """A column of the admin that shows one field of a row under another heading."""

    @admin.display(description=label, boolean=boolean)
    def shown(_admin: Any, row: Any) -> Any:
        value = getattr(row, name)
        if isinstance(value, datetime):
            return format_moment(value)  # Django formats times only in its own columns
        return "–" if value in (None, "") else value

    return shown
