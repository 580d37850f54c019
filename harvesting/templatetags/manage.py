"""Template tags of the pages of librarians and staff: the menu, and the name of the user's role."""

from typing import Any

from django import template

from harvesting.accounts.access import LABELS, role_of
from harvesting.views.navigation import Line, menu

register = template.Library()


@register.simple_tag(takes_context=True)
def staff_menu(context: dict[str, Any]) -> list[Line]:
    """The lines of the menu for the user of the request."""
    request = context["request"]
    return menu(role_of(request.user), request.path_info)


@register.simple_tag(takes_context=True)
def role_label(context: dict[str, Any]) -> str:
    """The label of the role of the user of the request."""
    return str(LABELS[role_of(context["request"].user)])
