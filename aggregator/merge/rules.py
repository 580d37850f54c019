"""The rule for every field of a record: what of several values stands, and which of them say the same. A table."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from aggregator.merge import several, single
from aggregator.merge.sameness import (
    Judge,
    conference,
    editions,
    extents,
    identifier,
    main_title,
    material_type,
    persons,
    plainly,
    publisher,
    series,
    several_persons,
    subject,
    text,
    texts,
    titled,
    volumes,
)
from aggregator.merge.single import Take
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight


def _nowhere(_merged: BibliographicRecord) -> Iterable[Any]:
    return ()


def _other_titles(merged: BibliographicRecord) -> Iterable[Any]:
    return ((each,) for each in (*merged.titles[1:], *merged.alternatives))


def _one(value: Any) -> Sequence[Any]:
    return (value,)


@dataclass(frozen=True, slots=True)
class Rule:
    """take: the value for the merged record. judge: values with the same key say the same; None: nobody is asked.

    single: one value stands for all, and is taken from those that are trusted most; else everyone is heard. apart: what
    one value says if it is several in one. elsewhere: values of a merged record that it has in other fields.
    """

    take: Take
    judge: Judge | None = None
    apart: Callable[[Any], Sequence[Any]] = _one
    single: bool = False
    elsewhere: Callable[[BibliographicRecord], Iterable[Any]] = _nowhere


_INTERNAL = Rule(single.first, single=True)
_TEXTS = Rule(several.union(text), plainly(text))
_LONG_TEXTS = Rule(several.long_texts, plainly(text))
_WORDS = Rule(single.most_said(texts), plainly(texts), single=True)
_TITLES = Rule(several.union(titled), plainly(titled))
_VOLUMES = Rule(single.volumes, plainly(volumes), single=True)
_PERSONS = Rule(several.persons, persons, several_persons)
_PUBLISHERS = Rule(several.publishers, plainly(publisher))
_IDENTIFIERS = Rule(several.union(identifier), plainly(identifier))
_SUBJECTS = Rule(several.subjects, plainly(subject))
_AS_SENT = Rule(several.as_sent, plainly(lambda value: value))

# In the order of the record. A test sees to it that none is missing.
RULES: dict[str, Rule] = {
    "uri": _INTERNAL,
    "repository_number": _INTERNAL,
    "level": _INTERNAL,
    "cataloging_status": _INTERNAL,
    "cataloging_rule": _INTERNAL,
    "sub_category": _INTERNAL,
    "titles": Rule(single.titles, plainly(main_title), single=True, elsewhere=_other_titles),
    "display_title": _INTERNAL,
    "alternatives": _TITLES,
    "volumes": _VOLUMES,
    "volume_titles": _VOLUMES,
    "series": Rule(several.series, plainly(series)),
    "parts": _TITLES,
    "editions": Rule(single.most_said(editions), plainly(editions), single=True),
    "creators": _PERSONS,
    "contributors": _PERSONS,
    "responsibility": Rule(single.first, plainly(texts), single=True),
    "publishers": _PUBLISHERS,
    "publication_places": _WORDS,
    "issued": Rule(single.date, plainly(lambda date: date[:4]), single=True),
    "dates": _INTERNAL,  # goes with the date of issue, see `settle`
    "identifiers": _IDENTIFIERS,
    "invalid_identifiers": _IDENTIFIERS,
    "source_identifiers": _IDENTIFIERS,
    "subjects": _SUBJECTS,
    "genres": _SUBJECTS,
    "languages": Rule(several.languages, plainly(text)),
    "original_languages": Rule(several.languages, plainly(text)),
    "extents": Rule(single.fullest_said(extents), plainly(extents), single=True),
    "prices": _WORDS,
    "audiences": _TEXTS,
    "material_types": Rule(several.as_sent, plainly(material_type)),
    "formats": _TEXTS,
    "notes": _LONG_TEXTS,
    "abstracts": _LONG_TEXTS,
    "contents": _LONG_TEXTS,
    "rights": _TEXTS,
    "access_rights": _TEXTS,
    "rights_holders": _TEXTS,
    "relations": _AS_SENT,
    "spatial": _TEXTS,
    "temporal": _TEXTS,
    "host": Rule(single.host, plainly(lambda around: fold_tight(around.title)), single=True),
    "see_also": _AS_SENT,
    "thumbnails": _AS_SENT,
    "items": Rule(several.as_sent),  # two providers' copies are two copies; the same one, sent twice, is one
    "series_creators": _TEXTS,
    "volume_ranges": _WORDS,
    "periodicities": _WORDS,
    "publication_statuses": _WORDS,
    "digitized_publishers": _PUBLISHERS,
    "other_dates": _AS_SENT,
    "dissertation_numbers": _TEXTS,
    "degree_names": _TEXTS,
    "degree_grantors": _PERSONS,
    "licenses": _AS_SENT,
    "rights_agents": _PERSONS,
    "registrations": _IDENTIFIERS,
    "resource_version": Rule(single.most_said(text), plainly(text), single=True),
    "version_type": Rule(single.most_said(text), plainly(text), single=True),
    "dataset_series": _INTERNAL,
    "files": Rule(
        several.union(lambda file: file.uri or file), plainly(lambda file: file.uri or file)
    ),  # as whoever says most of it describes it
    "fundings": Rule(
        several.union(lambda each: fold_tight(each.award.value) or each),
        plainly(lambda each: fold_tight(each.award.value) or each),
    ),
    "conferences": Rule(several.union(conference), plainly(conference)),
    "record_status": _INTERNAL,
    "creator_alternatives": _TITLES,
    "alternative_volumes": _VOLUMES,
    "series_volumes": _TITLES,
}
