"""The table of the addresses of the JSON interface: parameters, answers, possible errors. No HTTP.

The views refuse parameters that are not in the table; the OpenAPI document and the documentation are made from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from aggregator.provision.api import shapes
from aggregator.provision.api.parameters import (
    CURSOR,
    LIBRARY_CODE,
    LIVE_SOURCE,
    NUMBER,
    RECORD_ID,
    SIZE,
    SOURCE,
    Parameter,
    live_parameters,
    search_parameters,
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One address, read by GET. name: the URL name. kinds: of errors, keys of `problems.TITLES`.

    examples: paths to try, in which {record} and {number} are replaced by examples from the catalogue. with_key:
    requests without an API key are refused. reads_search: `read_query` checks its parameters. is_asked_later: it also
    answers with 202, as long as the answer is not there.
    """

    name: str
    path: str
    summary: str | Promise
    about: str | Promise
    answers: Sequence[type]
    parameters: tuple[Parameter, ...] = ()
    examples: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    with_key: bool = False
    reads_search: bool = False
    is_asked_later: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The names of the parameters in the query string."""
        return frozenset(parameter.name for parameter in self.parameters if not parameter.in_path)


OPERATIONS = (
    Operation(
        "api_search",
        "/api/search",
        _("Search"),
        _("Hits and facets of a search. The number of hits is exact, and following “next” reads all of them."),
        (shapes.Found,),
        tuple(search_parameters()),
        (
            "/api/search?q=夏目漱石",
            "/api/search?title=こころ&from=1990&type=Book",
            "/api/search?changed_from=2026-01-01&sort=changed&size=100",
        ),
        ("parameter", "key", "too-many", "unavailable"),
        reads_search=True,
    ),
    Operation(
        "api_record",
        "/api/records/{id}",
        _("One record"),
        _("The merged record of a permanent ID, with its source records and holdings; or a provider’s own record."),
        (shapes.Merged, shapes.Source),
        (RECORD_ID, SOURCE),
        ("/api/records/{record}", "/api/records/{record}?source=1"),
        ("parameter", "not-given", "not-found", "gone"),
    ),
    Operation(
        "api_repositories",
        "/api/repositories",
        _("Providers"),
        _("The providers in order of their numbers, with licence, state, counts and the last harvest."),
        (shapes.Providers,),
        (SIZE, CURSOR),
        ("/api/repositories",),
        ("parameter",),
    ),
    Operation(
        "api_repository",
        "/api/repositories/{number}",
        _("One provider"),
        _("The list entry of one provider."),
        (shapes.Provider,),
        (NUMBER,),
        ("/api/repositories/{number}",),
        ("parameter", "not-found"),
    ),
    Operation(
        "libraries_json",
        "/libraries.json",
        _("Libraries"),
        _("The libraries in order of their numbers, with place, coordinates and the number of books that they hold."),
        (shapes.Libraries,),
        (),
        ("/libraries.json",),
        ("parameter",),
    ),
    Operation(
        "library_json",
        "/libraries/{code}.json",
        _("One library"),
        _("A library under its number or any of its codes: address, opening hours, branches, books."),
        (shapes.LibraryPage,),
        (LIBRARY_CODE,),
        (),
        ("parameter", "not-found"),
    ),
    Operation(
        "api_live",
        "/api/live",
        _("Live search in one catalogue"),
        _(
            "Searches a catalogue that is not harvested by this site. The search runs in the background: as long as "
            "the status is 202, request the same address again after the time in Retry-After. Answers are kept for a "
            "few minutes."
        ),
        (shapes.Live,),
        (LIVE_SOURCE, *live_parameters()),
        (),
        ("parameter", "not-found", "key", "too-many", "unavailable"),
        reads_search=True,
        is_asked_later=True,
    ),
    Operation(
        "api_usage",
        "/api/usage",
        _("Use of an API key"),
        _("The limits of the API key sent with the request, and its requests day by day."),
        (shapes.Usage,),
        (),
        (),
        ("parameter", "key"),
        with_key=True,
    ),
)
BY_NAME = {operation.name: operation for operation in OPERATIONS}
