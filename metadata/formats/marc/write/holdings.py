"""Writes the libraries and copies of a record as MARC 21: 850, 852 and 866. Reading is in
`metadata.formats.marc.holdings`.
"""

from collections.abc import Iterator

from metadata.formats.marc.holdings import ISIL
from metadata.formats.marc.write.fields import Datafield
from metadata.record import BibliographicRecord, Item


def holdings(record: BibliographicRecord) -> Iterator[Datafield]:
    """Yield 852 for each item, and 866 for its issues held, with a link number ($8) where there are several 852.

    The ISIL of a library whose name is in 852$a is in 850, but only if the record has a single library: 850 cannot say
    which 852 it belongs to.
    """
    holders = {(item.holding_agent, _isil(item)) for item in record.items}
    if len(holders) == 1:
        ((name, code),) = holders
        yield Datafield("850", "  ", [("a", code if code != name else "")])
    several = len(record.items) > 1
    for number, item in enumerate(record.items, start=1):
        link = [("8", str(number))] if several and item.holding_issues else []
        notes = [("z", note) for note in item.notes]
        pages = [("u", uri) for uri in item.see_also]
        place = [("a", item.holding_agent), ("b", item.location), ("h", item.call_number)]
        yield Datafield("852", "  ", [*link, *place, *notes, *pages])
        if item.holding_issues:
            yield Datafield("866", "  ", [*link, ("a", item.holding_issues)])


def _isil(item: Item) -> str:
    return next((number.value for number in item.holding_agent_identifiers if number.scheme == ISIL), "")
