"""The merge rule of every field of a record, as a table: which of several values is taken, and which count as equal."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from aggregator.merge import several, single
from aggregator.merge.sameness import (
    KeyFactory,
    conference,
    editions,
    extents,
    identifier,
    independent,
    main_title,
    material_type,
    persons,
    publisher,
    series,
    several_persons,
    subject,
    text,
    texts,
    titled,
    volumes,
)
from aggregator.merge.single import Combine
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight


def _nowhere(_merged: BibliographicRecord) -> Iterable[Any]:
    return ()


def _other_titles(merged: BibliographicRecord) -> Iterable[Any]:
    return ((title,) for title in (*merged.titles[1:], *merged.alternatives))


def _nothing(_eligible: single.Records, _filling: single.Records, _field: str) -> tuple[()]:
    return ()


def _unsplit(value: Any) -> Sequence[Any]:
    return (value,)


@dataclass(frozen=True, slots=True)
class Rule:
    """How a field is merged.

    combine: returns the value for the merged record. make_key: values with the same key count as equal; None: the
    field's values are not compared. single: one value is taken, from the most trusted records; otherwise every record
    contributes. split: a value as the several values it may contain. elsewhere: equal values that the merged record
    has in other fields.
    """

    combine: Combine
    make_key: KeyFactory | None = None
    split: Callable[[Any], Sequence[Any]] = _unsplit
    single: bool = False
    elsewhere: Callable[[BibliographicRecord], Iterable[Any]] = _nowhere


_INTERNAL = Rule(single.first, single=True)
_TEXTS = Rule(several.union(text), independent(text))
_LONG_TEXTS = Rule(several.long_texts, independent(text))
_SINGLE_TEXTS = Rule(single.most_frequent(texts), independent(texts), single=True)
_TITLES = Rule(several.union(titled), independent(titled))
_VOLUMES = Rule(single.volumes, independent(volumes), single=True)
_PERSONS = Rule(several.persons, persons, several_persons)
_PUBLISHERS = Rule(several.publishers, independent(publisher))
_IDENTIFIERS = Rule(several.union(identifier), independent(identifier))
_SUBJECTS = Rule(several.subjects, independent(subject))
_DISTINCT = Rule(several.distinct, independent(lambda value: value))

# In the order of the record's fields. A test checks that none is missing.
RULES: dict[str, Rule] = {
    "uri": _INTERNAL,
    "repository_number": _INTERNAL,
    "level": _INTERNAL,
    "cataloging_status": _INTERNAL,
    "cataloging_rule": _INTERNAL,
    "sub_category": Rule(several.words_once),  # codes of collections and kinds, with blanks between
    "titles": Rule(single.titles, independent(main_title), single=True, elsewhere=_other_titles),
    "display_title": _INTERNAL,
    "alternatives": _TITLES,
    "volumes": _VOLUMES,
    "volume_titles": _VOLUMES,
    "series": Rule(several.series, independent(series)),
    "parts": _TITLES,
    "editions": Rule(single.most_frequent(editions), independent(editions), single=True),
    "creators": _PERSONS,
    "contributors": _PERSONS,
    "responsibility": Rule(single.first, independent(texts), single=True),
    "publishers": _PUBLISHERS,
    "publication_places": _SINGLE_TEXTS,
    "issued": Rule(single.date, independent(lambda date: date[:4]), single=True),
    "dates": _INTERNAL,  # belongs to the date of issue, see `settle`
    "identifiers": _IDENTIFIERS,
    "invalid_identifiers": _IDENTIFIERS,
    "source_identifiers": _IDENTIFIERS,
    "subjects": _SUBJECTS,
    "genres": _SUBJECTS,
    "languages": Rule(several.languages, independent(text)),
    "original_languages": Rule(several.languages, independent(text)),
    "extents": Rule(single.fullest_most_frequent(extents), independent(extents), single=True),
    "prices": _SINGLE_TEXTS,
    "audiences": _TEXTS,
    "material_types": Rule(several.distinct, independent(material_type)),
    "formats": _TEXTS,
    "notes": _LONG_TEXTS,
    "abstracts": _LONG_TEXTS,
    "contents": _LONG_TEXTS,
    "rights": _TEXTS,
    "access_rights": _TEXTS,
    "rights_holders": _TEXTS,
    "relations": _DISTINCT,
    "spatial": _TEXTS,
    "temporal": _TEXTS,
    "host": Rule(single.host, independent(lambda around: fold_tight(around.title)), single=True),
    "see_also": _DISTINCT,
    "thumbnails": _DISTINCT,
    "items": Rule(_nothing),  # in the table of holdings
    "series_creators": _TEXTS,
    "volume_ranges": _SINGLE_TEXTS,
    "periodicities": _SINGLE_TEXTS,
    "publication_statuses": _SINGLE_TEXTS,
    "digitized_publishers": _PUBLISHERS,
    "other_dates": _DISTINCT,
    "dissertation_numbers": _TEXTS,
    "degree_names": _TEXTS,
    "degree_grantors": _PERSONS,
    "licenses": _DISTINCT,
    "rights_agents": _PERSONS,
    "registrations": _IDENTIFIERS,
    "resource_version": Rule(single.most_frequent(text), independent(text), single=True),
    "version_type": Rule(single.most_frequent(text), independent(text), single=True),
    "dataset_series": _INTERNAL,
    # of several descriptions of one digital file, the fullest is kept
    "files": Rule(several.union(lambda file: file.uri or file), independent(lambda file: file.uri or file)),
    "fundings": Rule(
        several.union(lambda funding: fold_tight(funding.award.value) or funding),
        independent(lambda funding: fold_tight(funding.award.value) or funding),
    ),
    "conferences": Rule(several.union(conference), independent(conference)),
    "record_status": _INTERNAL,
    "creator_alternatives": _TITLES,
    "alternative_volumes": _VOLUMES,
    "series_volumes": _TITLES,
    "sources": Rule(_nothing),  # those of a book are its members, see `catalogue.identity`
    "control_number": _INTERNAL,
}
