"""What somebody may have meant whose search found little: other letters, another script, a right ISBN. No HTTP.

Only what finds something is proposed, but for an ISBN: that its check digit is wrong is worth saying in any case.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from rapidfuzz.distance import OSA

from aggregator.models import Manifestation
from aggregator.query.parameters import address
from aggregator.results.alternatives import hits
from aggregator.results.highlight import folded_with_places
from aggregator.search.base import Query, SearchIndex
from aggregator.search.documents import suggestions
from aggregator.search.query.nearness import errors
from aggregator.search.suggest.entries import Entry, keys
from harvesting.records.compression import unpack_record
from metadata.identifiers import normalise
from metadata.text.folding import fold_tight
from metadata.text.romaji import kana, letters, romanise, sound

FEW = 2  # hits up to which something else may have been meant
MOST = 3  # proposals
TRIED = 6  # searches for them
MOST_WORDS = 5
# What has a meaning of its own in a search: such a query was written with care, and is left as it is.
_OPERATORS = re.compile(r'["“”「」『』:：|｜()（）]|(?:^|\s)[-－]|\b(?:AND|OR|NOT)\b')
_DIGITS = re.compile(r"[^0-9X]")
_BETWEEN = re.compile(r"[\s:：・,，、。.()（）=]+")
_LATIN_WORD = re.compile(r"[^\W\d_]{3,}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Meant:
    """Another text for the search. count: what it finds; 0 only for an ISBN that nothing here has, without a url."""

    text: str
    count: int
    url: str = ""


def did_you_mean(index: SearchIndex, query: Query, total: int, base: str) -> list[Meant]:
    """Proposals for the free text of a search with few hits, the likeliest first."""
    typed = query.q.strip()
    if total > FEW or query.page > 1 or not typed or _OPERATORS.search(typed):
        return []
    isbn = _DIGITS.sub("", typed.upper())
    if len(isbn) in (10, 13) and len(isbn) >= len(fold_tight(typed)) - 4:
        return _isbns(index, isbn, base) if not normalise("ISBN", isbn) else []
    wanted = [replace(query, q=text) for text in islice(_texts(index, typed), TRIED)]
    counted = [(each, hits(index, each)) for each in wanted]
    return [Meant(each.q, count, address(each, base)) for each, count in counted if count > total][:MOST]


def _texts(index: SearchIndex, typed: str) -> Iterator[str]:
    """Other texts, the likeliest first; none twice, and none that is the same when folded."""
    seen = {fold_tight(typed)}
    for text in _candidates(index, typed):
        key = fold_tight(text)
        if key not in seen:
            seen.add(key)
            yield text


def _candidates(index: SearchIndex, typed: str) -> Iterator[str]:
    yield from letters(typed)
    spelled, rest = kana(typed)
    if spelled and not rest:
        yield spelled
    yield from _near(index, typed)
    words = typed.split()
    if not 1 < len(words) <= MOST_WORDS:
        return
    for place, word in enumerate(words):
        if not hits(index, Query(q=word)):
            for other in _near(index, word):
                yield " ".join([*words[:place], other, *words[place + 1 :]])


def _near(index: SearchIndex, typed: str) -> list[str]:
    """Titles, names, subjects and words of books, by how little they differ from what was typed."""
    key = fold_tight(typed)
    numbers = index.near(typed)
    packed = Manifestation.objects.filter(pk__in=numbers).exclude(record=b"").values_list("record", flat=True)
    books = [suggestions(unpack_record(bytes(each))) for each in packed]
    found: dict[str, int] = {}
    for forms in (_forms, _parts) if not key.isascii() else (_forms, _romanised):
        for text, form in (pair for entries in books for pair in forms(entries, key)):
            distance = OSA.distance(key, form, score_cutoff=errors(key))
            if 0 < distance <= errors(key):
                found[text] = min(distance, found.get(text, distance))
        if found:
            break
    return sorted(found, key=lambda text: (found[text], text))[:MOST]


def _forms(entries: Iterable[Entry], _key: str) -> Iterator[tuple[str, str]]:
    """What a book has, as printed and as compared: whole texts by every form, words of Latin letters, and its parts."""
    for entry in entries:
        for form in keys(entry.forms):
            yield entry.label, form
        yield from ((word, fold_tight(word)) for word in _LATIN_WORD.findall(entry.label))
        parts = _BETWEEN.split(entry.label)
        yield from ((part, fold_tight(part)) for part in parts if len(parts) > 1)


def _parts(entries: Iterable[Entry], key: str) -> Iterator[tuple[str, str]]:
    """All parts of printed texts that are as long as what was typed: Japanese has no blanks between its words."""
    for entry in entries:
        letters_of, places = folded_with_places(entry.label)
        for start in range(len(letters_of) - len(key) + 1):
            end = start + len(key)
            yield entry.label[places[start] : places[end - 1] + 1], letters_of[start:end]


def _romanised(entries: Iterable[Entry], _key: str) -> Iterator[tuple[str, str]]:
    """The words of readings in Latin letters: "Murakami"."""
    for word in (word for entry in entries for form in entry.forms[1:] for word in _BETWEEN.split(form)):
        if heard := sound(word):
            yield romanise(word).capitalize(), heard


def _isbns(index: SearchIndex, wrong: str, base: str) -> list[Meant]:
    """Numbers with one digit, or two neighbours exchanged, other than typed, that are an ISBN of a book here."""
    found = []
    right = list(dict.fromkeys(filter(None, (normalise("ISBN", text) for text in _other_digits(wrong)))))
    for isbn in right:
        query = Query(q=isbn)
        count = hits(index, query)
        if count:
            found.append(Meant(isbn, count, address(query, base)))
    return found[:MOST] or [Meant(isbn, 0) for isbn in right[:1]]


def _other_digits(wrong: str) -> Iterator[str]:
    """The check digit first: it is what people misread most, and what is right when all others are."""
    places = [len(wrong) - 1, *range(len(wrong) - 1)]
    for place in places:
        digits = "0123456789X" if len(wrong) == 10 and place == 9 else "0123456789"
        yield from (wrong[:place] + digit + wrong[place + 1 :] for digit in digits)
    for place in range(len(wrong) - 1):
        yield wrong[:place] + wrong[place + 1] + wrong[place] + wrong[place + 2 :]
