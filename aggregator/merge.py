"""Several descriptions of one book as one record, by one rule for each field. Pure; knows no provider and no database.

The result depends on the set of records alone: they are ranked first, the fullest first, equal ones by their URI and
then by all they say. Nothing that only one record knows is lost, and nothing is said twice in another spelling.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import msgspec

from aggregator.matching.names import person_form, publisher_form
from metadata.record import (
    Agent,
    BibliographicRecord,
    Conference,
    File,
    Funding,
    Host,
    Identifier,
    Item,
    Subject,
    Title,
    encode_record,
)
from metadata.text import fold_tight

Records = Sequence[BibliographicRecord]  # ranked, the best first; a rule is given those that have its field
Rule = Callable[[Records, str], Any]


def merge(records: Records) -> BibliographicRecord:
    """One record for the group; a single record is returned as it is."""
    if len(records) == 1:
        return records[0]
    ranked = sorted(records, key=_rank)
    merged: dict[str, Any] = {}
    for field, rule in RULES.items():
        holders = [record for record in ranked if getattr(record, field)]
        if holders:
            merged[field] = rule(holders, field) if len(holders) > 1 else getattr(holders[0], field)
    return BibliographicRecord(**merged)


def _rank(record: BibliographicRecord) -> tuple[int, str, bytes]:
    """The fullest first; the rest only makes the order certain."""
    filled = sum(bool(getattr(record, field)) for field in _TELLING)
    return -filled, record.uri, encode_record(record)


# Fields that a careful description has and a thin one lacks.
_TELLING = (
    "titles",
    "volumes",
    "series",
    "editions",
    "creators",
    "publishers",
    "issued",
    "identifiers",
    "subjects",
    "languages",
    "extents",
    "material_types",
    "notes",
    "prices",
    "publication_places",
    "responsibility",
    "display_title",
)


def first(records: Records, field: str) -> Any:
    """The value of the best record that has one."""
    return getattr(records[0], field)


def longest_date(records: Records, field: str) -> str:
    """The best record's date, as exactly as any record that agrees with it gives it: 1991 and 1991-12 are 1991-12."""
    best = str(first(records, field))
    return max((date for record in records if (date := getattr(record, field)).startswith(best)), key=len, default=best)


def titles(records: Records, field: str) -> tuple[Title, ...]:
    """The best record's titles; a reading that it lacks comes from whoever has the same title."""
    readings: dict[str, Title] = {}
    for record in records:
        for title in getattr(record, field):
            if title.transcription:
                readings.setdefault(fold_tight(title.value), title)
    return tuple(_with_reading(title, readings) for title in first(records, field))


def _with_reading(title: Title, readings: dict[str, Title]) -> Title:
    known = None if title.transcription else readings.get(fold_tight(title.value))
    return msgspec.structs.replace(title, transcription=known.transcription) if known else title


def union(records: Records, field: str) -> tuple[Any, ...]:
    """Every value once, in the order of the records; the fullest form of what folds alike."""
    return _united(records, field, _sameness)


def persons(records: Records, field: str) -> tuple[Agent, ...]:
    """Every person and body once, whether or not the name comes with a role and dates."""
    return _united(records, field, lambda agent: person_form(agent.name) or agent.name, _whole_agent)


def publishers(records: Records, field: str) -> tuple[Agent, ...]:
    """Every publisher once, with or without 株式会社."""
    return _united(records, field, lambda agent: publisher_form(agent.name) or agent.name, _whole_agent)


def _united(
    records: Records,
    field: str,
    sameness: Callable[[Any], Hashable],
    join: Callable[[Any, Any], Any] | None = None,
) -> tuple[Any, ...]:
    best: dict[Hashable, Any] = {}
    for record in records:
        for value in getattr(record, field):
            key = sameness(value)
            best[key] = (join or _fuller)(best[key], value) if key in best else value
    return tuple(best.values())


def _whole_agent(known: Agent, other: Agent) -> Agent:
    """The fuller one, with what only the other knows: reading, URI, other names, identifiers, affiliations."""
    best: Agent = _fuller(known, other)
    rest = other if best is known else known
    added: dict[str, Any] = {
        name: getattr(rest, name) for name in ("transcription", "uri", "kind") if not getattr(best, name)
    }
    for name in ("other_names", "identifiers", "affiliations"):
        added[name] = tuple(dict.fromkeys((*getattr(best, name), *getattr(rest, name))))
    return msgspec.structs.replace(best, **added)


def _sameness(value: Any) -> Hashable:
    """Values with equal sameness say the same thing."""
    if isinstance(value, str):
        return fold_tight(value) or value
    if isinstance(value, Title):
        return fold_tight(value.value)
    if isinstance(value, Subject):
        return value.scheme, fold_tight(value.value) or value.uri
    if isinstance(value, Identifier):
        return value.scheme, value.value
    key: Hashable = value
    return key


def _fuller(known: Any, other: Any) -> Any:
    """The one that also has a reading, a URI or a place; the known one where neither has more."""
    if isinstance(known, str):
        return known
    return other if _size(other) > _size(known) else known


def _size(value: msgspec.Struct) -> int:
    return sum(bool(getattr(value, name)) for name in value.__struct_fields__)


def all_items(records: Records, field: str) -> tuple[Item, ...]:
    """Every copy: two providers' copies are two copies; the same one, sent twice, is one."""
    return tuple(dict.fromkeys(item for record in records for item in getattr(record, field)))


def as_sent(records: Records, field: str) -> tuple[Any, ...]:
    """Links and the like: every one once, by its exact form."""
    return tuple(dict.fromkeys(value for record in records for value in getattr(record, field)))


def host(records: Records, field: str) -> Host:
    """The best record's publication around the article, as a whole: parts of two would name a third."""
    return next((record.host for record in records if record.host != Host()), Host())


def files(records: Records, field: str) -> tuple[File, ...]:
    """Every file once by its address, as whoever says most of it describes it."""
    return _united(records, field, lambda file: file.uri or file)


def fundings(records: Records, field: str) -> tuple[Funding, ...]:
    """Every award once by its number; without a number, by all that is said."""
    return _united(records, field, lambda funding: fold_tight(funding.award.value) or funding)


def conferences(records: Records, field: str) -> tuple[Conference, ...]:
    """Every conference once by its first name and when it was."""
    return _united(records, field, _meeting)


def _meeting(conference: Conference) -> Hashable:
    names = conference.names
    return (fold_tight(names[0].value), conference.start or conference.date.value) if names else conference


# The rule for every field, in the order of the record. A test sees to it that none is missing.
RULES: dict[str, Rule] = {
    "uri": first,
    "repository_number": first,
    "level": first,
    "cataloging_status": first,
    "cataloging_rule": first,
    "sub_category": first,
    "titles": titles,
    "display_title": first,
    "alternatives": union,
    "volumes": titles,
    "volume_titles": titles,
    "series": union,
    "parts": union,
    "editions": first,
    "creators": persons,
    "contributors": persons,
    "responsibility": first,
    "publishers": publishers,
    "publication_places": first,
    "issued": longest_date,
    "dates": first,
    "identifiers": union,
    "invalid_identifiers": union,
    "source_identifiers": union,
    "subjects": union,
    "genres": union,
    "languages": union,
    "original_languages": union,
    "extents": first,
    "prices": first,
    "audiences": union,
    "material_types": as_sent,
    "formats": union,
    "notes": union,
    "abstracts": union,
    "contents": union,
    "rights": union,
    "access_rights": union,
    "rights_holders": union,
    "relations": as_sent,
    "spatial": union,
    "temporal": union,
    "host": host,
    "see_also": as_sent,
    "thumbnails": as_sent,
    "items": all_items,
    "series_creators": union,
    "volume_ranges": first,
    "periodicities": first,
    "publication_statuses": first,
    "digitized_publishers": publishers,
    "other_dates": as_sent,
    "dissertation_numbers": union,
    "degree_names": union,
    "degree_grantors": persons,
    "licenses": as_sent,
    "rights_agents": persons,
    "registrations": union,
    "resource_version": first,
    "version_type": first,
    "dataset_series": first,
    "files": files,
    "fundings": fundings,
    "conferences": conferences,
    "record_status": first,
    "creator_alternatives": union,
    "alternative_volumes": titles,
    "series_volumes": union,
}
