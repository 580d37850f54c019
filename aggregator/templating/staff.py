"""Functions of the pages about harvesting: the menu, the name of the user's role, the results of runs, transports."""

from collections.abc import Iterable

from django.http import HttpRequest
from django.utils.translation import gettext

from aggregator.bulk.table import ACTIONS
from aggregator.review.queue import asked
from harvesting.accounts.access import LABELS, role_of
from harvesting.accounts.ranks import Role
from harvesting.bulk.base import Action
from harvesting.models import Harvest
from harvesting.registry import protocol_texts
from harvesting.runs import results
from harvesting.transports.kind import TransportKind
from harvesting.transports.registry import TRANSPORTS
from harvesting.views.navigation import MOST, Line, menu, waiting_for


def staff_menu(request: HttpRequest) -> list[Line]:
    """The lines of the menu for the user of the request."""
    role = role_of(request.user)
    waits = waiting_for(request.user, role)
    if role >= Role.STAFF:
        waits["matches"] = asked()[:MOST].count()
    return menu(role, request.path_info, waits)


def bulk_actions(request: HttpRequest, target: str) -> list[Action]:
    """The bulk actions on these rows that the role of the user allows."""
    role = role_of(request.user)
    return [action for action in ACTIONS.values() if action.target.name == target and role >= action.least]


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


def transports() -> Iterable[TransportKind]:
    """All transports, in the order of the registry."""
    return TRANSPORTS.values()


def interfaces_label() -> str:
    """The names of the protocols of interfaces."""
    return protocol_texts.interfaces_label()


def translated(text: str) -> str:
    """A text of a transport in the reader's language."""
    return gettext(text)


def last_step(place: str) -> str:
    """Return the last step of a path, which says what the place is: "dcterms:title", "dcndl:Item/@rdf:about"."""
    steps = place.split("/")
    return "/".join(steps[-2:] if steps[-1].startswith("@") else steps[-1:])
