"""Proposals for a search that found little: other letters, another script, a corrected ISBN. No HTTP.

A proposal must find something, except a corrected ISBN: a wrong check digit is worth reporting in any case. The hits of
a sure one can be shown at once, in place of none.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from msgspec import structs
from rapidfuzz.distance import OSA

from aggregator.models import Manifestation
from aggregator.query.parameters import address
from aggregator.results.alternatives import Hits
from aggregator.results.highlight import folded_with_places
from aggregator.search.base import Query, SearchIndex
from aggregator.search.documents import suggestions
from aggregator.search.query.nearness import allowed_errors
from aggregator.search.query.spellings import other_spellings
from aggregator.search.suggest.entries import Entry, fold_all
from harvesting.records.compression import unpack_record
from metadata.identifiers import normalise
from metadata.text.confused import confused_spellings
from metadata.text.folding import fold_tight
from metadata.text.printed_words import whole_words
from metadata.text.romaji import kana, romanise, sound, typed_letters

FEW = 2  # hits; a search with more hits gets no proposals
MOST = 3  # proposals that are shown
TRIED = 6  # other texts that are searched for, to find proposals that have hits
MOST_WORDS = 5
SURE = 4  # characters of a text in which one wrong character leaves no doubt
# Operators of a search. A query that contains an operator was written on purpose and gets no proposals.
_OPERATORS = re.compile(r'["“”「」『』:：|｜()（）]|(?:^|\s)[-－]|\b(?:AND|OR|NOT)\b')
_DIGITS = re.compile(r"[^0-9X]")
_BETWEEN = re.compile(r"[\s:：・,，、。.()（）=]+")
_LATIN_WORD = re.compile(r"[^\W\d_]{3,}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Proposal:
    """Another text for the search. count: its hits; 0, without a url, only for an ISBN that no book here has.

    is_sure: it differs so little from what was typed, and nothing else does, that its hits can be shown at once.
    """

    text: str
    count: int
    url: str = ""
    is_sure: bool = False


class _Text(NamedTuple):
    """Another text. is_sure: see Proposal."""

    text: str
    is_sure: bool = False


def did_you_mean(hits: Hits, query: Query, total: int, base: str) -> list[Proposal]:
    """Return proposals for the free text of a search with few hits, the likeliest first."""
    typed = query.q.strip()
    if total > FEW or query.page > 1 or not typed or _OPERATORS.search(typed):
        return []
    isbn = _DIGITS.sub("", typed.upper())
    if len(isbn) in (10, 13) and len(isbn) >= len(fold_tight(typed)) - 4:
        return _isbns(hits, isbn, base) if not normalise("ISBN", isbn) else []
    if is_narrowed(query) and hits.of(Query(q=typed)) > FEW:
        return []  # the text is right: it is the conditions that leave few hits
    spellings = set(map(fold_tight, other_spellings(typed))) if total else set()
    found = []
    for text, is_sure in islice(_texts(hits, typed), TRIED):
        other = structs.replace(query, q=text)
        count = hits.of(other)
        # the search looks for other spellings of a loan word too: the printed one is proposed though it finds the same
        if count > total or (count == total and fold_tight(text) in spellings):
            found.append(Proposal(text, count, address(other, base), is_sure))
    only_one = sum(proposal.is_sure for proposal in found) == 1
    return [replace(proposal, is_sure=proposal.is_sure and only_one) for proposal in found[:MOST]]


def is_narrowed(query: Query) -> bool:
    """Return whether the search has conditions besides its free text."""
    plain = Query()
    return structs.replace(query, q="", page=plain.page, page_size=plain.page_size, sort=plain.sort) != plain


def _texts(hits: Hits, typed: str) -> Iterator[_Text]:
    """Yield other texts, the likeliest first; none that folds to the letters of the typed text or of an earlier one."""
    seen = {fold_tight(typed)}
    for other in _candidates(hits, typed):
        key = fold_tight(other.text)
        if key not in seen:
            seen.add(key)
            yield other


def _candidates(hits: Hits, typed: str) -> Iterator[_Text]:
    yield from map(_Text, typed_letters(typed))
    spelled, rest = kana(typed)
    if spelled and not rest:
        yield _Text(spelled)
    words = typed.split()
    yield from _near(hits.index, typed) or _confused(typed, len(words))
    if not 1 < len(words) <= MOST_WORDS:
        return
    for place, word in enumerate(words):
        if not hits.of(Query(q=word)):
            for other, is_sure in _near(hits.index, word) or _confused(word, 1):
                yield _Text(" ".join([*words[:place], other, *words[place + 1 :]]), is_sure)


def _confused(typed: str, words: int) -> list[_Text]:
    """Return the spellings with another one of commonly confused characters; sure if only one finds something."""
    return [_Text(text, is_sure=True) for text in confused_spellings(typed, TRIED)] if words <= MOST_WORDS else []


def _near(index: SearchIndex, typed: str) -> list[_Text]:
    """Return titles, names, subjects and words of books, the least different from what was typed first."""
    key = fold_tight(typed)
    numbers = index.near(typed)
    packed = Manifestation.objects.filter(pk__in=numbers).exclude(record=b"").values_list("record", flat=True)
    books = [suggestions(unpack_record(bytes(record))) for record in packed]
    distances: dict[str, int] = {}
    for forms in (_forms, _parts) if not key.isascii() else (_forms, _romanised):
        for text, form in (pair for entries in books for pair in forms(entries, key)):
            distance = OSA.distance(key, form, score_cutoff=allowed_errors(key))
            if 0 < distance <= allowed_errors(key):
                distances[text] = min(distance, distances.get(text, distance))
        if distances:
            break
    confused = set(map(fold_tight, confused_spellings(typed, len(typed) * MOST)))
    ranked = sorted(distances, key=lambda text: (distances[text], fold_tight(text) not in confused, text))[:MOST]
    nearest = {fold_tight(text) for text in ranked if distances[text] == 1}
    sure = (confused & nearest) or (nearest if len(key) >= SURE and not key.isascii() else set())
    return [_Text(text, len(sure) == 1 and fold_tight(text) in sure) for text in ranked]


def _forms(entries: Iterable[Entry], _key: str) -> Iterator[tuple[str, str]]:
    """Yield what may be proposed from the texts of a book, each as (as printed, as compared): whole texts with each of
    their forms, readings included; words in Latin letters; parts between signs.
    """
    for entry in entries:
        for form in fold_all(entry.forms):
            yield entry.label, form
        yield from ((word, fold_tight(word)) for word in _LATIN_WORD.findall(entry.label))
        parts = _BETWEEN.split(entry.label)
        yield from ((part, fold_tight(part)) for part in parts if len(parts) > 1)


def _parts(entries: Iterable[Entry], key: str) -> Iterator[tuple[str, str]]:
    """Yield all parts of printed texts that are as long as what was typed: Japanese has no spaces between words.

    The parts are compared as they are, and proposed with the words that they cut made whole.
    """
    for entry in entries:
        folded, places = folded_with_places(entry.label)
        for start in range(len(folded) - len(key) + 1):
            end = start + len(key)
            yield whole_words(entry.label, places[start], places[end - 1] + 1), folded[start:end]


def _romanised(entries: Iterable[Entry], _key: str) -> Iterator[tuple[str, str]]:
    """Yield the words of readings in Latin letters, such as "Murakami"."""
    for word in (word for entry in entries for form in entry.forms[1:] for word in _BETWEEN.split(form)):
        if sounds := sound(word):
            yield romanise(word).capitalize(), sounds


def _isbns(hits: Hits, wrong: str, base: str) -> list[Proposal]:
    """Return ISBNs of books here that differ from what was typed in one digit, or by two adjacent digits exchanged.

    If no book here has such an ISBN: the likeliest correction, without hits.
    """
    found = []
    valid = list(dict.fromkeys(filter(None, (normalise("ISBN", text) for text in _other_digits(wrong)))))
    for isbn in valid:
        query = Query(q=isbn)
        count = hits.of(query)
        if count:
            found.append(Proposal(isbn, count, address(query, base)))
    return found[:MOST] or [Proposal(isbn, 0) for isbn in valid[:1]]


def _other_digits(wrong: str) -> Iterator[str]:
    """Yield the number with one digit replaced, then with two adjacent digits exchanged.

    The check digit is replaced first: it is misread most often, and if all other digits are right, it is the wrong one.
    """
    places = [len(wrong) - 1, *range(len(wrong) - 1)]
    for place in places:
        digits = "0123456789X" if len(wrong) == 10 and place == 9 else "0123456789"
        yield from (wrong[:place] + digit + wrong[place + 1 :] for digit in digits)
    for place in range(len(wrong) - 1):
        yield wrong[:place] + wrong[place + 1] + wrong[place] + wrong[place + 2 :]
