"""One condition of a request to NDL Search as a node of the search tree. Reads the database only for providers.

Every reader takes the text of one value and raises BadValue for a text that NDL Search would not understand.
"""

import re
import unicodedata
from collections.abc import Iterable

from aggregator.provision.contents import Terms, all_terms
from aggregator.provision.ndl.provider_ids import NUMBERS
from aggregator.search.base import MAX_CHARACTERS
from aggregator.search.documents import days_of
from aggregator.search.materials import COLLECTION, LEVELS, REPOSITORY
from aggregator.search.query.words import SHORTEST_BEGINNING
from aggregator.search.tree import (
    IMPOSSIBLE,
    Choice,
    Days,
    Either,
    Field,
    Masked,
    Node,
    Numbered,
    Word,
    Years,
    combine,
)
from harvesting.models import REPOSITORY_NUMBER, Repository, SourceRecord
from metadata.identifiers import normalise
from metadata.vocabularies.access import NDL_RIGHTS
from metadata.vocabularies.licences import is_public_domain
from metadata.vocabularies.media_types import MEDIA_TYPES
from metadata.xml.parsing import strip_illegal

_DATE = re.compile(r"([0-9]{4})(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?")
_CLASS = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:/\-]{0,30}")
_ITEM = re.compile(rf"(?:{REPOSITORY_NUMBER}-I[A-Za-z0-9_-]{{1,100}})|M([0-9]{{1,18}})")
ISSN_DIGITS = 8


class BadValue(ValueError):
    """A value that NDL Search would not understand."""


def check(text: str) -> str:
    """Return a value without blanks around it. Raises BadValue for values that no condition accepts."""
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS or strip_illegal(text) != text:
        raise BadValue(text[:MAX_CHARACTERS])
    return text


def words(text: str, field: Field) -> list[Node]:
    """Return the words of a value, which blanks separate."""
    return [Word(word, field) for word in check(text).split()]


def classification(text: str) -> Node:
    """Return the condition for the beginning of a class number of NDC, NDLC, LCC, DDC or UDC."""
    return Word(_class_number(text), "class")


def ndlc(text: str) -> Node:
    """Return the condition for the beginning of a class number of NDLC."""
    return Word(_class_number(text), "ndlc")


def _class_number(text: str) -> str:
    number = check(unicodedata.normalize("NFKC", text))
    if not _CLASS.fullmatch(number):
        raise BadValue(text)
    return number.rstrip(".")


def isbn(text: str) -> Node:
    """Return the condition for an ISBN in either length. A wrong check digit is searched as typed."""
    number = _compact(text)
    return Word(normalise("ISBN", number) or number, "isbn")


def isbn_or_beginning(text: str) -> Node:
    """Return the condition for an ISBN, or for the beginning of one where the length is another."""
    number = _compact(text)
    if len(number) in (10, 13):
        return isbn(text)
    if not number.isdecimal() or not SHORTEST_BEGINNING <= len(number) < 13:
        raise BadValue(text)
    beginning = number if number.startswith(("978", "979")) else f"978{number}"[:13]
    return Masked(f"{beginning}*", "isbn")


def issn(text: str) -> Node:
    number = _compact(text)
    return Word(normalise("ISSN", number) or number, "issn")


def issn_or_beginning(text: str) -> Node:
    """Return the condition for an ISSN, or for the beginning of one if it is shorter."""
    number = _compact(text)
    if not SHORTEST_BEGINNING <= len(number) <= ISSN_DIGITS:
        raise BadValue(text)
    return issn(text) if len(number) == ISSN_DIGITS else Masked(f"{number}*", "issn")


def _compact(text: str) -> str:
    number = re.sub(r"[\s\-‐–−]", "", unicodedata.normalize("NFKC", check(text))).upper()
    if not re.fullmatch(r"[0-9]{1,13}X?", number):
        raise BadValue(text)
    return number


def bibliography_number(text: str) -> Node:
    """Return the condition for a number of the Japanese national bibliography (JPNO)."""
    number = check(unicodedata.normalize("NFKC", text))
    if not number.isascii() or not number.replace("-", "").isalnum():
        raise BadValue(text)
    return Word(number, "jpno")


def dates(from_: str, until: str) -> Node:
    """Return the condition for dates of publication, "" leaves an end open.

    Both must be equally precise: year, month or day. Of a book whose month or day is unknown, any may be meant.
    """
    given = [check(text) for text in (from_, until) if text]
    found = [_DATE.fullmatch(text) for text in given]
    if not all(found) or len({len(text) for text in given}) > 1:
        raise BadValue(" ".join(given))
    first, last = days_of(from_.strip())[0], days_of(until.strip())[1]
    if any(int(text[:4]) == 0 for text in given) or (last and first > last):
        raise BadValue(" ".join(given))
    return Years(first // 10_000, last // 10_000) if len(given[0]) == len("2005") else Days(first, last)


def media_types(names: Iterable[str]) -> Node:
    """Return the condition for any of these mediatypes. Raises BadValue."""
    nodes = []
    for name in names:
        if name not in MEDIA_TYPES:
            raise BadValue(name)
        nodes.append(_of_providers(institutional()) if name == REPOSITORY else Choice("mediatype", name))
    return combine(nodes, Either)


def institutional() -> list[str]:
    """Return the numbers of the institutional repositories."""
    repositories = Repository.objects.filter(kind=Repository.Kind.INSTITUTIONAL).order_by("number")
    return list(repositories.values_list("number", flat=True))


def _of_providers(numbers: Iterable[str]) -> Node:
    """Return the condition for the books of any of these providers."""
    choices: list[Node] = [Choice("repository", number) for number in numbers]
    return combine(choices, Either) if choices else IMPOSSIBLE


def providers(names: Iterable[str]) -> Node:
    """Return the condition for any of these data providers, data groups, collection codes or access rights; an unknown
    one finds nothing.
    """
    terms = list(all_terms().values())
    return combine([_provider(name, terms) for name in names], Either)


def _provider(name: str, terms: list[Terms]) -> Node:
    if name in _GROUPS:
        return _GROUPS[name]
    if COLLECTION.fullmatch(name):
        return Choice("collection", name)
    if name == "open":
        return _of_providers(provider.number for provider in terms if is_public_domain(provider.licence))
    return _of_providers(provider_numbers(name, terms))


def provider_numbers(name: str, terms: Iterable[Terms]) -> list[str]:
    """Return the repository numbers on this site that the name of a data provider, or a number, stands for."""
    wanted = NUMBERS.get(name, (name,))
    return [provider.number for provider in terms if provider.number in wanted]


ACCESS_RIGHTS: dict[str, Node] = {
    name: combine([Choice("access", key) for key in keys], Either) for name, keys in NDL_RIGHTS.items()
}
# The data groups of NDL Search but for `open`, and its access rights.
_GROUPS: dict[str, Node] = {**{name: Choice("level", name) for name in LEVELS}, **ACCESS_RIGHTS}


def item(text: str) -> Node:
    """Return the condition for the book of a record or, beyond NDL's, with a number of this site (M…)."""
    token = check(text)
    match = _ITEM.fullmatch(token)
    if not match:
        raise BadValue(text)
    if match[1]:
        return Numbered(int(match[1]))
    number = SourceRecord.objects.filter(public_id=token).values_list("member__manifestation", flat=True).first()
    return Numbered(number) if number else IMPOSSIBLE
