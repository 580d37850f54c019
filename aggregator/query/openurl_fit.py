"""Whether a book that a search found is the one that an OpenURL describes, and what of the OpenURL a search leaves out.

Pure. The values are those of Z39.88-2004, formats book and journal.
"""

import re
from collections.abc import Iterable, Iterator

from aggregator.query.openurl import Attempt, OpenUrlRequest, plain_words
from metadata.record import BibliographicRecord, Title
from metadata.serials import is_serial
from metadata.text.folding import fold, fold_tight

ARTICLES = frozenset({"article", "proceeding", "preprint", "bookitem"})
SERIALS = frozenset({"journal", "issue"})
BOOKS = frozenset({"book", "report", "conference", "dissertation"})
_SUBTITLE = re.compile(r" [:;=/] |[:：]")
_NUMBER = re.compile(r"[0-9]+")


def fits(wanted: OpenUrlRequest, attempt: Attempt, record: BibliographicRecord) -> bool:
    """Whether the record agrees with the OpenURL in everything that both state.

    If it was found by words only, its title must be the title of the OpenURL, not merely contain it.
    """
    if wanted.is_journal and attempt.query.journal:  # an article is meant, of which only its place is known
        return _is_titled(wanted.journal, (record.host.title, *_values(record.host.titles))) and _is_part(
            wanted, record
        )
    return (
        (_by_number(attempt) and not wanted.in_journal or _has_title(wanted, record))
        and _has_genre(wanted, record)
        and _is_part(wanted, record)
    )


def tells_apart(wanted: OpenUrlRequest, attempt: Attempt) -> bool:
    """Whether one of several hits may be meant: a title alone is also that of a set or of its other volumes."""
    return _by_number(attempt) or wanted.is_journal or any(value for _key, value in wanted.part)


def left_out(wanted: OpenUrlRequest, attempt: Attempt) -> Iterator[str]:
    """Yield the keys of the OpenURL that the search of an attempt does not contain."""
    query, by_number = attempt.query, _by_number(attempt)
    yield from (key for key, value in wanted.part if value)
    if wanted.genre:
        yield "genre"
    if wanted.title and not (query.title or query.journal) and not by_number:
        yield "title"
    if wanted.creator and not query.creator and not by_number:
        yield "au"
    if wanted.year and not query.from_year and not by_number:
        yield "date"
    yield from wanted.ignored


def _by_number(attempt: Attempt) -> bool:
    return bool(attempt.query.isbn or attempt.query.issn or attempt.query.q)


def _has_title(wanted: OpenUrlRequest, record: BibliographicRecord) -> bool:
    titles = _values((*record.titles, *record.alternatives))
    titles += [title.transcription for title in record.titles if title.transcription]
    titles += [f"{title} {record.volume}" for title in titles if record.volume]
    titles += [_SUBTITLE.split(title)[0] for title in titles]
    return _is_titled(wanted.title, titles)


def _values(titles: Iterable[Title]) -> list[str]:
    return [title.value for title in titles]


def _is_titled(wanted: str, titles: Iterable[str]) -> bool:
    return bool(wanted) and fold_tight(wanted) in {fold_tight(plain_words(title)) for title in titles}


def _has_genre(wanted: OpenUrlRequest, record: BibliographicRecord) -> bool:
    """Whether the record is an article, a serial or a book, as the OpenURL demands."""
    in_other = bool(record.host.title or record.host.issn)
    if wanted.in_journal or wanted.genre in ARTICLES:
        return in_other or not is_serial(record)
    if wanted.genre in SERIALS or wanted.is_journal:
        return is_serial(record) and not in_other
    return not (wanted.genre in BOOKS and is_serial(record))


def _is_part(wanted: OpenUrlRequest, record: BibliographicRecord) -> bool:
    """Whether volume, issue and first page agree. A serial as a whole is not the issue or page that was asked for."""
    part = {key: value for key, value in wanted.part if value}
    if not part:
        return True
    host = record.host
    if host.title or host.issn:
        own = {"volume": host.volume, "issue": host.issue or host.number, "spage": host.pages}
        return all(_agree(value, own[key]) for key, value in part.items())
    if is_serial(record) or "spage" in part or "issue" in part:
        return False
    return bool(record.volume) and _agree(part["volume"], record.volume)


def _agree(wanted: str, own: str) -> bool:
    """Whether two numbers are equal, compared by their first figures if both have some; one that is missing agrees."""
    if not wanted or not own:
        return True
    numbers = [_NUMBER.search(fold(text)) for text in (wanted, own)]
    if all(numbers):
        return len({int(number[0]) for number in numbers if number}) == 1
    return fold_tight(wanted) == fold_tight(own)
