"""Functions of the pages of librarians and staff: the menu, the name of the user's role, the results of runs."""

from django.http import HttpRequest

from harvesting.accounts.access import LABELS, role_of
from harvesting.models import Harvest
from harvesting.runs import results
from harvesting.views.navigation import Line, menu


def staff_menu(request: HttpRequest) -> list[Line]:
    """The lines of the menu for the user of the request."""
    return menu(role_of(request.user), request.path_info)


def role_label(request: HttpRequest) -> str:
    """The label of the role of the user of the request."""
    return str(LABELS[role_of(request.user)])


def run_result(run: Harvest) -> str:
    """The result as a CSS class: that of a failure if everything was rejected."""
    result = results.result_of(run)
    return "failed" if result == results.Result.REJECTED else result


def run_result_label(run: Harvest) -> str:
    """The result in words."""
    return results.result_label(run)
