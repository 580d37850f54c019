"""The states of a provider: one table that pages, interfaces, jobs and documents read.

awaiting approval → preview → live ⇄ paused → stopped
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import models
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class ProviderState(models.TextChoices):
    ASKED = "asked", _("awaiting approval")
    TRIAL = "trial", _("preview")
    LIVE = "live", _("live")
    PAUSED = "paused", _("paused")
    STOPPED = "stopped", _("stopped")


@dataclass(frozen=True, slots=True)
class StateRow:
    """What a state means. live_meaning: for a live source. harvested: on its schedule; listed: in the public list of
    providers.

    next: the states into which the provider's librarians may bring it; by_staff: those into which only staff may.
    """

    meaning: "StrOrPromise"
    live_meaning: "StrOrPromise"
    harvested: bool = False
    listed: bool = False
    next: tuple[ProviderState, ...] = ()
    by_staff: tuple[ProviderState, ...] = ()


ASKED, TRIAL, LIVE, PAUSED, STOPPED = ProviderState
STATES = {
    ASKED: StateRow(
        _("A librarian has registered it. It is not harvested until staff approve it."),
        _("A librarian has registered it. Readers cannot search it until staff approve it."),
        by_staff=(TRIAL, LIVE),  # by answering the application
    ),
    TRIAL: StateRow(
        _("It is harvested and checked. Only its librarians and staff see its records; readers do not."),
        _("Its librarians and staff can try it. Readers cannot search it."),
        harvested=True,
        next=(STOPPED,),
        by_staff=(LIVE,),
    ),
    LIVE: StateRow(
        _("It is harvested, and readers find its records."),
        _("Readers can search it live."),
        harvested=True,
        listed=True,
        next=(PAUSED, STOPPED),
    ),
    PAUSED: StateRow(
        _("It is not harvested for the time being. Its records stay in the search."),
        _("Readers cannot search it for the time being."),
        listed=True,
        next=(LIVE, STOPPED),
    ),
    STOPPED: StateRow(
        _("It is not harvested any more. What readers could find stays in the search."),
        _("Readers cannot search it any more."),
        by_staff=(LIVE,),
    ),
}
HARVESTED = tuple(state for state, row in STATES.items() if row.harvested)
LISTED = tuple(state for state, row in STATES.items() if row.listed)
NOT_PUBLISHED = (ASKED, TRIAL)  # providers that have never been live
