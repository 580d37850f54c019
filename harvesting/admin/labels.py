"""Columns of the admin pages under names for people; their texts are in `harvesting.monitoring.run_summary`."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_noop

from harvesting.monitoring.alarms import shown as moment

# Words of Django's own pages that its Japanese lacks: named here so that they come into our catalogue, which is asked
# before Django's.
BORROWED = (gettext_noop("- Select an option -"),)


def column(name: str, label: Any, *, boolean: bool | None = None) -> Callable[[Any, Any], Any]:
    """A column of a row under a name for people."""

    @admin.display(description=label, boolean=boolean)
    def shown(_admin: Any, row: Any) -> Any:
        value = getattr(row, name)
        if isinstance(value, datetime):
            return moment(value)  # which Django formats for its own columns only
        return "–" if value in (None, "") else value

    return shown
