"""What of a merged record depends on two fields at once: titles, printed dates, persons in two lists. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from aggregator.merge import sameness
from metadata.record import Agent, BibliographicRecord, Title


def settle(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> BibliographicRecord:
    """The record with fields that agree with each other. records: all, the best first."""
    alternatives = (*_not_titles(merged), *_other_titles(merged, records))
    fitting: dict[str, Any] = {
        "dates": _printed(merged.issued, records) if merged.dates else (),
        "display_title": _displayed(merged, records) if merged.display_title else "",
        "alternatives": alternatives,
        "series": merged.series or tuple(_bracketed_series(merged, records)),
        "contributors": tuple(_not_creators(merged.creators, merged.contributors)) if merged.contributors else (),
    }
    unfit = {field: value for field, value in fitting.items() if value != getattr(merged, field)}
    return msgspec.structs.replace(merged, **unfit) if unfit else merged


def _printed(issued: str, records: Sequence[BibliographicRecord]) -> tuple[str, ...]:
    """The date of issue as somebody prints it who gives just that; else one that agrees with it."""
    with_dates = [each for each in records if each.dates]
    exact = (each.dates for each in with_dates if each.issued == issued)
    agreeing = (each.dates for each in with_dates if each.issued and issued.startswith(each.issued))
    return next(exact, next(agreeing, ()))


def _displayed(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> str:
    """The title for display of a record with this title."""
    return next((each.display_title for each in records if each.display_title and each.title == merged.title), "")


def _not_titles(merged: BibliographicRecord) -> Iterator[Title]:
    """Alternative titles but for those that are main titles now: one provider's other title is the main one of most."""
    main = {sameness.tight(each.value) for each in merged.titles} if merged.alternatives else ()
    return (each for each in merged.alternatives if sameness.tight(each.value) not in main)


def _other_titles(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> Iterator[Title]:
    """Main titles of others under which the book is known too (ワンピース beside ONE PIECE): people look for them.

    Not those that only begin or end otherwise, are the reading, or name the series or the volume.
    """
    others = [record for record in records if record.title and record.title != merged.title]
    if not others:
        return
    known = {sameness.tight(text) for text in _named(merged)}
    cores = {sameness.main_title((each,)) for each in (*merged.titles, *merged.alternatives)}
    for record in others:
        core = sameness.main_title(record.titles)
        if core and core not in cores and core not in known and sameness.tight(record.title) not in known:
            cores.add(core)
            yield record.titles[0]


def _bracketed_series(merged: BibliographicRecord, records: Sequence[BibliographicRecord]) -> Iterator[Title]:
    """The series that stands behind the title of others only: "瘋癲老人日記 (文春文庫)"."""
    bracketed = [record for record in records if not _BRACKETS.isdisjoint(record.title)]
    core = sameness.main_title(merged.titles) if bracketed and not sameness.parts(merged.title).series else ""
    for record in bracketed if core else ():
        series = sameness.parts(record.title).series
        if series and sameness.main_title(record.titles) == core:
            yield Title(value=series)
            return


_BRACKETS = frozenset(")]〕)]")


def _named(merged: BibliographicRecord) -> Iterator[str]:
    for each in (*merged.titles, *merged.volume_titles, *merged.alternatives, *merged.parts):
        yield from (each.value, each.transcription)
    for each in merged.series:
        yield from (each.value, each.value.partition(" ; ")[0])


def _not_creators(creators: Sequence[Agent], contributors: Sequence[Agent]) -> Iterator[Agent]:
    """Who stands among the creators is not named again, unless with a role that is not said there."""
    key = sameness.persons([*creators, *contributors])
    roles = {key(each): each.role for each in creators}
    for each in contributors:
        if key(each) not in roles or each.role not in ("", roles[key(each)]):
            yield each
