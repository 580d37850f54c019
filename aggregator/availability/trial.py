"""Trying a library's interface with one book, for staff: what was asked, what came back, what it means."""

from dataclasses import dataclass, field

from aggregator.availability.adapters import adapter_of, ask
from aggregator.availability.answers import Availability, UnreadableAnswer
from aggregator.availability.failures import explain
from aggregator.availability.health import Facts
from aggregator.availability.questions import address_for
from aggregator.models import AvailabilityAdapter, Holding
from harvesting.types import TransportError


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial. book: the number that was tried, 0 = the library holds none.

    url: "" if none could be made. code, facts: why there is no answer.
    """

    book: int = 0
    url: str = ""
    availability: Availability = field(default_factory=Availability)
    code: str = ""
    facts: Facts = field(default_factory=dict)

    @property
    def problem(self) -> str:
        """What went wrong and what to do; "" if nothing did."""
        return explain(self.code, self.facts)


def try_with(row: AvailabilityAdapter, book: int = 0) -> Trial:
    """Ask a library about a book, by settings that need not be stored; without a book, about the newest that it holds.

    Waits for the answer, for some seconds at most. Nothing is noted.
    """
    book = book or _newest(row.library_id)
    url = address_for(row, book) if book else ""
    if not url:
        return Trial(book)
    try:
        return Trial(book, url, ask(url, adapter_of(row)))
    except TransportError as error:
        return Trial(book, url, code=error.code, facts={"url": url, **error.facts})
    except UnreadableAnswer as error:
        return Trial(book, url, code=error.code, facts={"url": url, "detail": error.detail})


def _newest(library: int) -> int:
    newest = Holding.objects.filter(library=library).order_by("-manifestation").values_list("manifestation", flat=True)
    return newest.first() or 0
