"""Reads an OpenURL from another system and plans the searches that may find its book. No HTTP, no index.

OpenURL 1.0 (Z39.88-2004), key/encoded-value format, by value; also the keys of version 0.1 and those without "rft.".
Keys that do not describe a book are ignored, as the standard demands; `openurl_fit` names the others that no search
uses. The keys that NDL Search adds (any, ndl_jpno) are supported.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl

from django.utils.translation import gettext as _
from msgspec.structs import replace

from aggregator.query.values import TEXT_LIMIT, BadParameter, refuse_controls
from aggregator.search.base import Query
from metadata.identifiers import normalise, recognise

VERSIONS = ("Z39.88-2004",)
FORMATS = ("book", "journal", "dissertation", "dc")
# Name in ctx_enc -> Python's codec.
ENCODINGS = {"utf-8": "utf-8", "iso-8859-1": "iso-8859-1", "shift_jis": "cp932", "euc-jp": "euc_jp"}
PART = ("volume", "issue", "spage")  # keys that say which part of a journal or set is meant
# Keys that describe a book or article and that no search uses.
IGNORED = ("epage", "pages", "part", "quarter", "ssn", "artnum", "edition", "series", "place", "pub", "bici", "sici")
MOST_PARAMETERS = 100
MOST_NUMBERS = 5  # identifiers of one kind that are looked up
LONGEST_TITLE = 12  # words; the number of characters is limited as in any search
_PREFIX = re.compile(r"(?:rft|rft_dat)\.")
_SIGNS = re.compile(r"[\"“”「」『』()（）|｜:：]+")
_YEAR = re.compile(r"[12][0-9]{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenUrlRequest:
    """What an OpenURL asks for. Identifiers in their normal form; others: identifiers of other schemes."""

    isbns: tuple[str, ...] = ()
    issns: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()  # web addresses among the identifiers
    title: str = ""
    in_journal: bool = False  # the title is that of an article
    journal: str = ""  # whose article or part is meant
    creator: str = ""
    publisher: str = ""
    year: int = 0
    words: str = ""
    genre: str = ""
    is_journal: bool = False  # the title is that of a journal
    part: tuple[tuple[str, str], ...] = ()  # PART and what the link says of each; "" = nothing
    ignored: tuple[str, ...] = ()  # keys that describe the book but are not used


@dataclass(frozen=True, slots=True)
class Attempt:
    """A search to try. certain: whether a single hit is surely the book that was requested."""

    query: Query
    certain: bool = True


def read_openurl(query_string: str) -> OpenUrlRequest:
    """Return what a query string asks for. Raises BadParameter for a request that cannot be answered."""
    values = _values(query_string)
    _check_context(values)
    numbers = list(_numbers(values))
    wanted = OpenUrlRequest(
        isbns=_of("ISBN", numbers),
        issns=_of("ISSN", numbers),
        others=tuple(value.replace('"', "") for scheme, value in numbers if scheme not in ("ISBN", "ISSN", "page")),
        pages=_of("page", numbers),
        title=_title(values),
        in_journal=bool(values.get("atitle")),
        journal=_journal(values),
        creator=_creator(values),
        publisher=_text(values, "pub"),
        year=_year(values),
        words=_text(values, "any"),
        genre=_text(values, "genre").lower(),
        is_journal=not {"atitle", "btitle", "title"} & values.keys() and not {"jtitle", "stitle"}.isdisjoint(values),
        part=tuple((key, _text(values, key)) for key in PART),
        ignored=tuple(key for key in IGNORED if key in values),
    )
    if not any((numbers, wanted.title, wanted.creator, wanted.words)):
        raise BadParameter(*_nothing(values))
    return wanted


def attempts(wanted: OpenUrlRequest) -> Iterator[Attempt]:
    """Return the searches to try, the most precise first; the last ones are wider than the request."""
    yield from (Attempt(Query(isbn=isbn)) for isbn in wanted.isbns)
    yield from (Attempt(Query(q=f'identifier:"{identifier}"')) for identifier in wanted.others)
    words = Query(title=wanted.title, creator=wanted.creator)
    for issn in wanted.issns:
        yield Attempt(replace(words, issn=issn) if wanted.in_journal else Query(issn=issn))
    if wanted.words:
        yield Attempt(replace(words, q=wanted.words), certain=False)
    yield from _by_words(wanted, words)


def _by_words(wanted: OpenUrlRequest, words: Query) -> Iterator[Attempt]:
    if wanted.in_journal and wanted.journal:
        yield Attempt(replace(words, journal=wanted.journal))
    if wanted.is_journal and any(value for _key, value in wanted.part):
        yield Attempt(Query(journal=wanted.journal))
    if wanted.title and wanted.year:
        yield Attempt(replace(words, from_year=wanted.year, until_year=wanted.year), certain=bool(wanted.creator))
    if wanted.title and wanted.creator:
        yield Attempt(words, certain=not wanted.year)
    if wanted.title:
        yield Attempt(replace(words, creator=""), certain=not (wanted.creator or wanted.year))
    elif wanted.creator:
        yield Attempt(replace(words, publisher=wanted.publisher), certain=False)


Values = dict[str, list[str]]  # key without its prefix -> its values, in order


def _values(query_string: str) -> Values:
    if query_string.count("&") >= MOST_PARAMETERS:
        raise BadParameter("openurl", _("At most %(limit)d values are allowed.") % {"limit": MOST_PARAMETERS})
    plain = dict(parse_qsl(query_string, encoding="ascii", errors="replace"))
    name = plain.get("ctx_enc", "UTF-8").removeprefix("info:ofi/enc:").lower()
    if name not in ENCODINGS:
        raise BadParameter("ctx_enc", _("Allowed: %(names)s.") % {"names": ", ".join(ENCODINGS)})
    try:
        pairs = parse_qsl(query_string, encoding=ENCODINGS[name], errors="strict")
    except UnicodeDecodeError as error:
        raise BadParameter("ctx_enc", _("The values are not encoded in %(name)s.") % {"name": name}) from error
    values: Values = {}
    for key, value in pairs:
        text = value.strip()
        if text:
            refuse_controls(key, text[:TEXT_LIMIT])
            values.setdefault(_PREFIX.sub("", key), []).append(text)
    return values


def _check_context(values: Values) -> None:
    """Raise BadParameter for requests that need another transport or another format of description."""
    for name in ("url_ver", "ctx_ver"):
        if any(version not in VERSIONS for version in values.get(name, ())):
            raise BadParameter(name, _("Allowed: %(names)s.") % {"names": ", ".join(VERSIONS)})
    for name in ("rft_ref", "url_ctx_ref", "url_ctx_val"):
        if name in values:
            raise BadParameter(name, _("Metadata stored elsewhere is not fetched; give the search keys in the link."))
    for format_uri in values.get("rft_val_fmt", ()):
        if format_uri.rpartition(":")[2] not in FORMATS:
            names = ", ".join(f"info:ofi/fmt:kev:mtx:{name}" for name in FORMATS)
            raise BadParameter("rft_val_fmt", _("Allowed: %(names)s.") % {"names": names})


def _nothing(values: Values) -> tuple[str, str]:
    """Return which parameter is wrong and why, for a request that contains nothing to search for."""
    for name, example in (("isbn", "9784003101018"), ("issn", "0028-0836"), ("eissn", "0028-0836")):
        if name in values:
            return name, _("This number is not valid. Example: %(example)s") % {"example": example}
    keys = "rft.isbn, rft.issn, rft_id, rft.btitle, rft.atitle, rft.jtitle, rft.title, rft.au, rft.aulast"
    return "openurl", _("The link contains nothing to search for. Give at least one of: %(names)s.") % {"names": keys}


def _numbers(values: Values) -> Iterator[tuple[str, str]]:
    """Return pairs of scheme and normal form, with the scheme "page" for a web address; invalid ones are left out."""
    for key, scheme in (("isbn", "ISBN"), ("issn", "ISSN"), ("eissn", "ISSN"), ("ndl_jpno", "JPNO"), ("doi", "DOI")):
        for text in values.get(key, ())[:MOST_NUMBERS]:
            if value := normalise(scheme, text):
                yield scheme, value
    for text in (*values.get("rft_id", ()), *values.get("id", ()), *values.get("identifier", ()))[:MOST_NUMBERS]:
        scheme, value = recognise(re.sub(r"\Adoi:", "info:doi/", text, flags=re.IGNORECASE))
        if scheme:
            yield scheme, value
        elif text.startswith(("http://", "https://")):
            yield "page", text


def _of(scheme: str, numbers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for found_scheme, value in numbers if found_scheme == scheme))


def _title(values: Values) -> str:
    """Return the title: atitle for an article, else btitle; "title" is the old key for all kinds."""
    text = next((values[key][0] for key in ("atitle", "btitle", "title", "jtitle", "stitle") if key in values), "")
    return " ".join(_literal(text)[:LONGEST_TITLE])[:TEXT_LIMIT]


def _journal(values: Values) -> str:
    text = next((values[key][0] for key in ("jtitle", "stitle") if key in values), "")
    return plain_words(text)[:TEXT_LIMIT]


def _creator(values: Values) -> str:
    """Return the family name with the given name, else the whole name as it is written."""
    parts = [values[key][0] for key in ("aulast", "aufirst") if key in values]
    whole = next((values[key][0] for key in ("au", "creator", "aucorp") if key in values), "")
    return " ".join(_literal(" ".join(parts) or whole.replace(",", " ")))[:TEXT_LIMIT]


def plain_words(title: str) -> str:
    """Return a title as `OpenUrlRequest.title` has it, for comparison."""
    return " ".join(_literal(title)[:LONGEST_TITLE])


def _literal(text: str) -> list[str]:
    """Return the words of a text without search operators: a title may have hyphens, brackets, or the word OR."""
    words = (word.lstrip("-－−") for word in _SIGNS.sub(" ", text).split())
    return [word.lower() if word in ("AND", "OR", "NOT") else word for word in words if word]


def _year(values: Values) -> int:
    year = _YEAR.match(values["date"][0]) if "date" in values else None
    return int(year[0]) if year else 0


def _text(values: Values, key: str) -> str:
    return values[key][0][:TEXT_LIMIT] if key in values else ""
