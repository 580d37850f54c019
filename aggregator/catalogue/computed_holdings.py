"""Computes what libraries have of books where no stored holdings can be used: books that wait for their first merging,
and books as they are without the records of some providers. Writes nothing.
"""

from collections.abc import Iterable, Mapping, Sequence

from aggregator.libraries.holdings import Description, Held, held, reports_of
from aggregator.libraries.identify import PROVIDER, Code, KnownLibrary, Reported, Reports
from aggregator.libraries.provider_link import LinkSource
from aggregator.libraries.registry import find_libraries
from harvesting.models import Repository

type Members = Mapping[int, Sequence[Description]]  # by book


def computed_holdings(members: Members, repositories: Iterable[Repository]) -> dict[int, tuple[Held, ...]]:
    """Return what every library has of these books, in the order of the members. One query.

    A library that is not known so far is one with the primary key 0, named as the record names it.
    """
    owners = list(repositories)
    reports = Reports()
    for own in members.values():
        reports_of(own, reports)
    known = find_libraries(reports.first.keys())
    libraries = {code: known.get(code) or _unregistered(library, owners) for code, library in reports.first.items()}
    sources = {owner.pk: link_source(owner) for owner in owners}
    return {number: held(own, libraries, sources) for number, own in members.items()}


def link_source(repository: Repository) -> LinkSource:
    """Return what a repository defines about links to it: template, home page, encoding."""
    return LinkSource(
        link_template=repository.link_template, home_page=repository.home_page, encoding=repository.link_encoding
    )


def _unregistered(library: Reported, repositories: Iterable[Repository]) -> KnownLibrary:
    """A library as its record names it; a provider that is a library itself is named as in its registration."""
    for repository in repositories:
        if library.code == Code(PROVIDER, repository.number):
            return KnownLibrary(0, repository.name, repository.name_en)
    return KnownLibrary(0, library.name or library.code.value, library.name_en)
