"""Checks URLs that a page may link to, and fills link templates (OpenURL) with the values of a record. Pure.

Values from a provider or a record are percent-encoded in a URL, and never become part of its host name.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from urllib.parse import SplitResult, quote, unquote, urlsplit

# Placeholders that a template may contain. Those of KEY_PLACEHOLDERS identify a book; a template needs one of them. The
# others only narrow the search.
ISBN_PLACEHOLDERS = ("isbn", "isbn_hyphens", "isbn10", "isbn10_hyphens")
NUMBER_PLACEHOLDERS = (*ISBN_PLACEHOLDERS, "issn", "issn_digits", "doi", "jpno", "ncid")
KEY_PLACEHOLDERS = (*NUMBER_PLACEHOLDERS, "identifier", "title")
PLACEHOLDERS = (*KEY_PLACEHOLDERS, "creator", "family", "given", "corporate", "publisher", "place", "year", "volume")
# Character encodings in which a provider reads percent-encoded values: common name -> Python's codec.
ENCODINGS = {"utf-8": "utf-8", "euc-jp": "euc_jp", "shift_jis": "cp932"}


def safe_href(url: str) -> str:
    """Return the trimmed URL if a page may link to it, else "".

    It must have the scheme http or https and a host, and no user name and no control characters.
    """
    if not url or _PLAIN.fullmatch(url):
        return url
    trimmed = url.strip(_C0_AND_SPACE)
    return trimmed if not _FORBIDDEN.search(trimmed) and split_url(trimmed) else ""


@lru_cache(maxsize=1024)  # a page checks the template of a provider for every copy
def check_template(template: str) -> str:
    """Return what is wrong with a link template as a code ("template.host", …); "" if it is valid or empty."""
    if not template:
        return ""
    return next((code for code, is_wrong in _TEMPLATE_CHECKS if is_wrong(template)), "")


def placeholders_of(template: str) -> list[str]:
    """Return the names of the placeholders in a template."""
    return _PLACEHOLDER.findall(template)


def encode(text: str, encoding: str) -> bytes | None:
    """Encode a value for a link; None if the encoding (a key of ENCODINGS) lacks one of its characters."""
    encodable = text if encoding == "utf-8" else text.translate(_ONE_OF_TWO)
    try:
        return encodable[:_MAX_VALUE].encode(ENCODINGS[encoding])
    except UnicodeEncodeError:
        return None


def fill_template(template: str, values: Mapping[str, bytes]) -> str:
    """Return the URL: the template without the query parameters that have no value.

    Return "" if a placeholder outside the query has no value, or if the values would change the host or the folder.
    values: by placeholder, encoded as the provider reads them (see `encode`); b"" where the record has none.
    """
    address, question, rest = template.partition("?")
    query, hash_, fragment = rest.partition("#")
    if not all(values[name] for name in _PLACEHOLDER.findall(address + fragment)):
        return ""
    filled = [part for part in query.split("&") if all(values[name] for name in _PLACEHOLDER.findall(part))]
    url = _fill(address, values) + question + _fill("&".join(filled), values) + hash_ + _fill(fragment, values)
    return url if _has_same_target(url, template) else ""


def _fill(text: str, values: Mapping[str, bytes]) -> str:
    return _PLACEHOLDER.sub(lambda match: quote(values[match[1]], safe=""), text)


def _has_same_target(url: str, template: str) -> bool:
    """Whether scheme and host are those of the template, and no value adds a segment ".." that leads elsewhere."""
    parts, expected = split_url(url), split_url(template)
    if parts is None or expected is None or (parts.scheme, parts.netloc) != (expected.scheme, expected.netloc):
        return False
    return _dots(parts.path) == _dots(expected.path)


def _dots(path: str) -> int:
    """Count the segments that browsers read as "." or ".."; %2e counts as a dot."""
    return sum(unquote(segment) in (".", "..") for segment in path.split("/"))


_C0_AND_SPACE = "".join(map(chr, range(0x21)))
# Browsers drop tabs and line ends and read a backslash as a slash: "https:\\good.example\@evil.example".
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
# Most URLs: nothing in them, not even a port above 59999, takes `split_url` to judge.
_PLAIN = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.\-]*(?::[1-5]?[0-9]{1,4})?(?:[/?#][!-\[\]-~]*)?")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_MAX_VALUE = 200  # characters of a title; servers refuse URLs that are too long
# Characters of JIS X 0208 that Unicode has twice. The form on the right is known to both of Python's codecs.
_ONE_OF_TWO = str.maketrans("～－∥—￠￡￢", "〜−‖―¢£¬")


def split_url(url: str) -> SplitResult | None:
    """Split an absolute http(s) URL without user information; None for anything else."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port  # raises ValueError if the port is not a number
    except ValueError:
        return None
    is_valid = parts.scheme in ("http", "https") and host and "@" not in parts.netloc and " " not in parts.netloc
    return parts if is_valid else None


# The order matters: a check relies on the ones before it.
_TEMPLATE_CHECKS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("template.character", lambda template: " " in template or bool(_FORBIDDEN.search(template))),
    ("template.braces", lambda template: not {"{", "}"}.isdisjoint(_PLACEHOLDER.sub("", template))),
    ("template.place", lambda template: not set(_PLACEHOLDER.findall(template)) <= set(PLACEHOLDERS)),
    ("template.address", lambda template: split_url(template) is None),
    ("template.host", lambda template: bool(_PLACEHOLDER.search(urlsplit(template).netloc))),
    ("template.no_place", lambda template: set(KEY_PLACEHOLDERS).isdisjoint(_PLACEHOLDER.findall(template))),
)
