"""The menu of the pages for librarians and staff: one table of pages, labels and roles."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from harvesting.accounts.ranks import Role
from harvesting.models import Application, HealthStatus

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


MOST = 1000  # counting stops here


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the menu: its page, its label and the least role that sees it. meaning: a sentence about the page."""

    url_name: str
    label: "StrOrPromise"
    least: Role
    meaning: "StrOrPromise" = ""


@dataclass(frozen=True, slots=True)
class Line:
    """An entry as it is shown on a page. current: the page shown is that of the entry or below it.

    waits: how much waits there for the user.
    """

    url: str
    label: str
    meaning: str
    current: bool
    waits: int = 0


ENTRIES = (
    Entry("manage", _("Overview"), Role.LIBRARIAN),
    Entry("harvests", _("Harvests"), Role.LIBRARIAN, _("Harvests in progress, past harvests and their results.")),
    Entry("providers", _("Providers"), Role.LIBRARIAN, _("Name, contact, links, feeds and state of each provider.")),
    Entry("manage_libraries", _("Libraries"), Role.LIBRARIAN, _("Name, codes, address and links of each library; merging libraries that are one.")),  # noqa: E501
    Entry("join", _("Register a provider"), Role.LIBRARIAN, _("From the address to the first harvest, with a trial harvest on the way.")),  # noqa: E501
    Entry("issues", _("Issues"), Role.LIBRARIAN, _("What is wrong with the records and how to correct it.")),
    Entry("dois", _("DOIs"), Role.LIBRARIAN, _("DOIs that records ask for: what is ready, what is missing, what was handed over.")),  # noqa: E501
    Entry("theses", _("Doctoral theses"), Role.LIBRARIAN, _("Doctoral theses for the NDL: what is ready, what is missing, what was handed over.")),  # noqa: E501
    Entry("records", _("Records"), Role.LIBRARIAN, _("Find a record and see its full history.")),
    Entry("links", _("Links"), Role.LIBRARIAN, _("Links to libraries that were checked: what works, what is dead.")),
    Entry("manage_live", _("Live search"), Role.LIBRARIAN, _("Live sources: whether they answer, and how quickly.")),
    Entry("bulk_list", _("Bulk actions"), Role.LIBRARIAN, _("Actions on many rows at once: their progress, and undoing them.")),  # noqa: E501
    Entry("matches", _("Pairs to review"), Role.STAFF, _("Records that may describe the same book: decide whether they are the same.")),  # noqa: E501
    Entry("loans", _("Interlibrary loan"), Role.STAFF, _("Requests between libraries: who lends what to whom.")),
    Entry("notices", _("Notifications"), Role.LIBRARIAN, _("Notifications sent to you, and the settings for receiving them.")),  # noqa: E501
    Entry("people", _("People"), Role.STAFF, _("Who looks after which providers; invitations and roles.")),
    Entry("manage_keys", _("API keys"), Role.STAFF, _("Programs with an API limit of their own, and how much they use.")),  # noqa: E501
    Entry("queue", _("Queue"), Role.STAFF, _("What runs, waits and failed, which workers are alive, and how far the work is behind.")),  # noqa: E501
    Entry("trace", _("Audit trail"), Role.LIBRARIAN, _("Who did what, when and why.")),
    Entry("admin:index", _("Data administration"), Role.LIBRARIAN, _("Administration pages for all tables, including data without a page of its own.")),  # noqa: E501
)  # fmt: skip


def menu(role: Role, path: str, waits: Mapping[str, int]) -> list[Line]:
    """The lines that this role sees. The current line is the one with the longest URL that the path begins with.

    waits: what waits for the user, by the name of the page.
    """
    visible = [(reverse(entry.url_name), entry) for entry in ENTRIES if role >= entry.least]
    top = reverse("manage")
    prefixes = [url for url, _entry in visible if (path == url if url == top else path.startswith(url))]
    current = max(prefixes, key=len, default="")
    return [
        Line(url, str(entry.label), str(entry.meaning), url == current, waits.get(entry.url_name, 0))
        for url, entry in visible
    ]


def waiting_for(user: Any, role: Role) -> dict[str, int]:
    """What waits for a user, by the name of the page; counted up to MOST. Two queries."""
    decisions = HealthStatus.objects.filter(decisions__gt=0)
    asked = Application.objects.filter(state=Application.State.OPEN)
    if role < Role.STAFF:
        decisions, asked = decisions.filter(repository__managers=user), asked.filter(repository__managers=user)
    return {
        "harvests": sum(decisions.values_list("decisions", flat=True)[:MOST]),
        "providers": asked[:MOST].count(),
    }
