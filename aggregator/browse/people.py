"""Persons and bodies by their identifiers: names that records give with one, and what else identifies them. No HTTP.

Two records name the same person only if both give the same identifier, never because the names are alike.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from aggregator.browse.counting import current_run
from aggregator.browse.kinds import identity_code
from aggregator.models import Heading, HeadingLink
from aggregator.search.base import Query
from metadata import authorities

MOST = 60  # names or identifiers


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person or body as its page shows it. names: other forms, as records give them. others: identifiers that records
    give of the same person. letter, key: place in the list of all.
    """

    identifier: str
    label: str = ""
    reading: str = ""
    names: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    first_year: int = 0
    last_year: int = 0
    letter: str = ""
    key: str = ""

    @property
    def query(self) -> Query:
        """The search for the works."""
        return Query(identities=(self.identifier,))


def find_person(identifier: str) -> Person:
    """Return the person or body, without a name if no record gave one at the last counting. Three queries."""
    run = current_run()
    row = Heading.objects.filter(run=run.pk, code=identity_code(identifier)).first() if run else None
    if row is None:
        return Person(identifier=identifier)
    links = HeadingLink.objects.filter(run=row.run, code=row.code).order_by("pk")[: 2 * MOST]
    names = dict.fromkeys(link.text for link in links if link.is_name)
    others = {link.value for link in links if not link.is_name}
    return Person(
        identifier=identifier,
        label=row.label,
        reading=row.reading,
        names=tuple(name for name in names if name != row.label)[:MOST],
        others=tuple(sorted(others, key=lambda other: (authorities.order(other), other))[:MOST]),
        first_year=row.first_year,
        last_year=row.last_year,
        letter=row.letter,
        key=row.key,
    )


def identity_labels(identifiers: Iterable[str]) -> dict[str, str]:
    """Return the names of identifiers that were counted, each with its identifier. At most two queries."""
    codes = {identity_code(identifier): identifier for identifier in identifiers}
    run = current_run() if codes else None
    rows = Heading.objects.filter(run=run.pk, code__in=codes).values_list("code", "label") if run else ()
    return {
        codes[code]: _("%(name)s (%(identifier)s)") % {"name": name, "identifier": codes[code]} for code, name in rows
    }
