"""Compares records before and after DC-NDL: equal except for what DC-NDL has no place for (NO_PLACE)."""

import msgspec

from metadata.formats.common.uris import as_uri
from metadata.formats.dcndl.write import NO_PLACE
from metadata.identifiers import normalise
from metadata.record import Agent, BibliographicRecord
from tests.metadata.formats.normal_numbers import with_normal_numbers

assert NO_PLACE.keys() == {
    "uri",
    "display_title",
    "items.uri",
    "control_number",
    "identifiers.printed",
    "other_dates",
}  # what is compared below


ISBN_NOTE = "ISBN : "
AGENTS = ("creators", "contributors", "rights_agents", "degree_grantors")


def comparable(record: BibliographicRecord, sent: BibliographicRecord) -> BibliographicRecord:
    """Return the record with its dates in a fixed order, without the URIs and the title that `sent` did not have."""
    items = tuple(
        item if position < len(sent.items) and sent.items[position].uri else msgspec.structs.replace(item, uri="")
        for position, item in enumerate(record.items)
    )
    dates = tuple(sorted(record.other_dates, key=lambda date: (date.type, date.value)))
    return msgspec.structs.replace(
        record,
        uri=record.uri if sent.uri else "",
        display_title=record.display_title if sent.display_title else "",
        items=items,
        other_dates=dates,
    )


def with_uris(record: BibliographicRecord) -> BibliographicRecord:
    """Return the record with what DC-NDL makes of the URIs of subjects and bodies that are none ("[E]" is escaped) and
    of ISBNs with ten digits.
    """
    subjects = tuple(msgspec.structs.replace(subject, uri=as_uri(subject.uri)) for subject in record.subjects)
    agents = {name: tuple(map(_agent, getattr(record, name))) for name in AGENTS}
    return _with_qualifiers(msgspec.structs.replace(with_normal_numbers(record), subjects=subjects, **agents))


def _with_qualifiers(record: BibliographicRecord) -> BibliographicRecord:
    """Return the record with the qualifiers of its ISBNs that it has in notes ("ISBN : 4-10-… (large print)")."""
    texts = [note.removeprefix(ISBN_NOTE) for note in record.notes if note.startswith(ISBN_NOTE)]
    printed = {normalise("ISBN", text.partition(" ")[0]): text for text in texts}
    numbers = tuple(
        msgspec.structs.replace(number, printed=printed.get(number.value, number.printed))
        for number in record.identifiers
    )
    notes = tuple(note for note in record.notes if not note.startswith(ISBN_NOTE))
    return msgspec.structs.replace(record, identifiers=numbers, notes=notes)


def _agent(agent: Agent) -> Agent:
    """Return the agent; of identifiers whose URI is none, only the number, from which reading derives the URI."""
    identifiers = tuple(msgspec.structs.replace(number, uri=as_uri(number.uri)) for number in agent.identifiers)
    affiliations = tuple(map(_agent, agent.affiliations))
    return msgspec.structs.replace(agent, uri=as_uri(agent.uri), identifiers=identifiers, affiliations=affiliations)
