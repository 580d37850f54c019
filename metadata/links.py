"""Which URLs a page may link to, and link templates (OpenURL) with places for a record's values. Pure.

What a provider or a record says goes into a URL quoted, and never into the part that names the host.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from urllib.parse import SplitResult, quote, unquote, urlsplit

# What a template may ask for. Only the first three kinds lead to a book; the others only narrow a link that has one.
ISBN_PLACES = ("isbn", "isbn_hyphens", "isbn10", "isbn10_hyphens")
NUMBER_PLACES = (*ISBN_PLACES, "issn", "issn_digits", "doi", "jpno", "ncid")
KEY_PLACES = (*NUMBER_PLACES, "identifier", "title")
PLACES = (*KEY_PLACES, "creator", "family", "given", "corporate", "publisher", "place", "year", "volume")
# How a provider reads what stands behind a "%": the name that people know -> Python's codec.
ENCODINGS = {"utf-8": "utf-8", "euc-jp": "euc_jp", "shift_jis": "cp932"}


def safe_href(url: str) -> str:
    """The URL, trimmed, if a page may link to it: http or https, a host, no user name, no control characters."""
    trimmed = url.strip(_C0_AND_SPACE)
    return trimmed if not _FORBIDDEN.search(trimmed) and split_url(trimmed) else ""


@lru_cache(maxsize=1024)  # a page checks the template of each provider for each copy
def check_template(template: str) -> str:
    """What is wrong with a link template, as a code ("template.host", …); "" if nothing, or if there is none."""
    if not template:
        return ""
    return next((code for code, is_wrong in _TEMPLATE_CHECKS if is_wrong(template)), "")


def places_of(template: str) -> list[str]:
    """The names of the places in a template."""
    return _PLACE.findall(template)


def encode(text: str, encoding: str) -> bytes | None:
    """A value as it goes into a link, None where the encoding (a key of ENCODINGS) lacks one of its characters."""
    plain = text if encoding == "utf-8" else text.translate(_ONE_OF_TWO)
    try:
        return plain[:_LONGEST_VALUE].encode(ENCODINGS[encoding])
    except UnicodeEncodeError:
        return None


def fill_template(template: str, values: Mapping[str, bytes]) -> str:
    """The template's parameters without those that have no value; "" if a place outside the query has none.

    values: encoded as the provider reads them (see `encode`), b"" where the record has nothing.
    """
    address, question, rest = template.partition("?")
    query, hash_, fragment = rest.partition("#")
    if not all(values[name] for name in _PLACE.findall(address + fragment)):
        return ""
    kept = [each for each in query.split("&") if all(values[name] for name in _PLACE.findall(each))]
    url = _put(address, values) + question + _put("&".join(kept), values) + hash_ + _put(fragment, values)
    return url if _leads_to_same_place(url, template) else ""


def _put(text: str, values: Mapping[str, bytes]) -> str:
    return _PLACE.sub(lambda place: quote(values[place[1]], safe=""), text)


def _leads_to_same_place(url: str, template: str) -> bool:
    """Same scheme and host as the template, and no value that climbs out of its folder."""
    parts, wanted = split_url(url), split_url(template)
    if parts is None or wanted is None or (parts.scheme, parts.netloc) != (wanted.scheme, wanted.netloc):
        return False
    return _dots(parts.path) == _dots(wanted.path)


def _dots(path: str) -> int:
    """How many segments browsers take for "this folder" and "the folder above"; %2e counts as a dot."""
    return sum(unquote(segment) in (".", "..") for segment in path.split("/"))


_C0_AND_SPACE = "".join(map(chr, range(0x21)))
# Browsers drop tabs and line ends and read a backslash as a slash: "https:\\good.example\@evil.example".
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
_PLACE = re.compile(r"\{([^{}]*)\}")
_LONGEST_VALUE = 200  # characters of a title; longer ones only make a URL that servers refuse
# One character of JIS X 0208, two of Unicode: the codecs know only one of them.
_ONE_OF_TWO = str.maketrans("～－∥—￠￡￢", "〜−‖―¢£¬")


def split_url(url: str) -> SplitResult | None:
    """The parts of an absolute http(s) URL without user information, None for anything else."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port  # raises for a port that is no number
    except ValueError:
        return None
    good = parts.scheme in ("http", "https") and host and "@" not in parts.netloc and " " not in parts.netloc
    return parts if good else None


# In this order: each check relies on those before it.
_TEMPLATE_CHECKS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("template.character", lambda template: " " in template or bool(_FORBIDDEN.search(template))),
    ("template.braces", lambda template: not {"{", "}"}.isdisjoint(_PLACE.sub("", template))),
    ("template.place", lambda template: not set(_PLACE.findall(template)) <= set(PLACES)),
    ("template.address", lambda template: split_url(template) is None),
    ("template.host", lambda template: bool(_PLACE.search(urlsplit(template).netloc))),
    ("template.no_place", lambda template: set(KEY_PLACES).isdisjoint(_PLACE.findall(template))),
)
