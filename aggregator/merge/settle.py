"""Corrections of a merged record that depend on two fields at once: titles, printed dates, persons in two lists."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from aggregator.merge import sameness
from metadata.record import Agent, BibliographicRecord, Title


def settle(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> BibliographicRecord:
    """Return the record with fields that agree with each other. records: all merged records, best first."""
    alternatives = (*_not_titles(merged), *_other_titles(merged, records))
    consistent: dict[str, Any] = {
        "dates": _printed_dates(merged.issued, records) if merged.dates else (),
        "display_title": _display_title(merged, records),
        "alternatives": alternatives,
        "series": merged.series or tuple(_bracketed_series(merged, records)),
        "contributors": tuple(_not_creators(merged.creators, merged.contributors)) if merged.contributors else (),
    }
    changes = {field: value for field, value in consistent.items() if value != getattr(merged, field)}
    return msgspec.structs.replace(merged, **changes) if changes else merged


def _printed_dates(issued: str, records: Sequence[BibliographicRecord]) -> tuple[str, ...]:
    """The printed date of a record with exactly this date of issue; otherwise one that agrees with it."""
    with_dates = [record for record in records if record.dates]
    exact = (record.dates for record in with_dates if record.issued == issued)
    agreeing = (record.dates for record in with_dates if record.issued and issued.startswith(record.issued))
    return next(exact, next(agreeing, ()))


def _display_title(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> str:
    """The display title of the best record that has the merged record's title; that title if none has one."""
    shown = (record.display_title for record in records if record.display_title and record.title == merged.title)
    return next(shown, merged.title)


def _not_titles(merged: BibliographicRecord) -> Iterator[Title]:
    """Alternative titles without those that are main titles of the merged record."""
    main = {sameness.tight(title.value) for title in merged.titles} if merged.alternatives else ()
    return (title for title in merged.alternatives if sameness.tight(title.value) not in main)


def _other_titles(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> Iterator[Title]:
    """Other main titles by which the book is also known (ワンピース beside ONE PIECE): readers search for them.

    Not those that differ only at the beginning or end, are the reading, or name the series or the volume.
    """
    others = [record for record in records if record.title and record.title != merged.title]
    if not others:
        return
    known = {sameness.tight(text) for text in _known_names(merged)}
    cores = {sameness.main_title((title,)) for title in (*merged.titles, *merged.alternatives)}
    for record in others:
        core = sameness.main_title(record.titles)
        if core and core not in cores and core not in known and sameness.tight(record.title) not in known:
            cores.add(core)
            yield record.titles[0]


def _bracketed_series(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> Iterator[Title]:
    """The series, where some records have it only in brackets behind the title: "瘋癲老人日記 (文春文庫)"."""
    bracketed = [record for record in records if not _BRACKETS.isdisjoint(record.title)]
    core = sameness.main_title(merged.titles) if bracketed and not sameness.parts(merged.title).series else ""
    for record in bracketed if core else ():
        series = sameness.parts(record.title).series
        if series and sameness.main_title(record.titles) == core:
            yield Title(value=series)
            return


_BRACKETS = frozenset(")]〕）］")


def _known_names(merged: BibliographicRecord) -> Iterator[str]:
    for title in (*merged.titles, *merged.volume_titles, *merged.alternatives, *merged.parts):
        yield from (title.value, title.transcription)
    for series in merged.series:
        yield from (series.value, series.value.partition(" ; ")[0])


def _not_creators(creators: Sequence[Agent], contributors: Sequence[Agent]) -> Iterator[Agent]:
    """Contributors who are not also creators, unless they have a role that the creator entry lacks."""
    key = sameness.persons([*creators, *contributors])
    roles = {key(agent): agent.role for agent in creators}
    for agent in contributors:
        if key(agent) not in roles or agent.role not in ("", roles[key(agent)]):
            yield agent
