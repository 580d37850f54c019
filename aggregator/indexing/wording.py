"""The state of the search index in words. No database access."""

from collections.abc import Callable, Iterator

from django.template.defaultfilters import filesizeformat
from django.utils.formats import date_format
from django.utils.timesince import timesince
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from aggregator.indexing.state import MOST_COUNTED, Building, IndexState

LATE = 60 * 60  # seconds that a change may wait to be indexed

# Code of IndexUnavailable -> what to do.
_OF_A_SERVER: dict[str, Callable[[], str]] = {
    "unreachable": lambda: _(
        "OpenSearch does not answer: check that it runs, and SEARCH_URL. Everything except the search keeps working; "
        "changes wait."
    ),
    "overloaded": lambda: _("OpenSearch refuses requests because it is overloaded: give it more memory or processors."),
    "read_only": lambda: _(
        "OpenSearch takes no changes because its disk is nearly full: free space there. Searching goes on."
    ),
    "denied": lambda: _(
        "OpenSearch refuses our account: check SEARCH_URL, SEARCH_PASSWORD_FILE and the rights of the account."
    ),
}


def problems(state: IndexState) -> Iterator[str]:
    """What needs action, one sentence per problem."""
    if state.problem in _OF_A_SERVER:
        yield _OF_A_SERVER[state.problem]()
    elif state.problem:
        yield _("The search index cannot be used (%(code)s): run “reindex”.") % {"code": state.problem}
    if state.incomplete:
        yield _("The previous search index was removed, and the new one started empty: run “reindex”.")
    if state.oldest and state.lag > LATE:
        yield _("Changes made %(time)s ago are not searchable yet: check that a worker is running.") % {
            "time": timesince(state.oldest)
        }
    if state.building and state.building.silent:
        yield _("Building a new search index was interrupted: run “reindex” again.")


def status_rows(state: IndexState) -> Iterator[tuple[str, str]]:
    """The state as (name, value) pairs to display."""
    yield _("Engine"), f"{state.engine} / {state.shape}" if state.engine else "–"
    yield _("Books in the index"), f"{state.documents:,}"
    yield _("Size on disk"), filesizeformat(state.size)
    yield _("Pending changes"), _waiting(state)
    if state.building:
        yield _("A new index is being built"), _building(state.building)
    if state.switched_at:
        yield _("Last rebuilt"), date_format(localtime(state.switched_at), "SHORT_DATETIME_FORMAT")
    if state.generation:
        yield _("Name of the index"), state.generation


def _waiting(state: IndexState) -> str:
    if not state.oldest:
        return "0"
    more = "+" if state.waiting >= MOST_COUNTED else ""
    return _("%(count)s, the oldest waiting for %(time)s") % {
        "count": f"{state.waiting:,}{more}",
        "time": timesince(state.oldest),
    }


def _building(building: Building) -> str:
    return _("%(done)s of %(all)s books, started %(time)s ago") % {
        "done": f"{building.documents:,}",
        "all": f"{building.of:,}",
        "time": timesince(building.since),
    }
