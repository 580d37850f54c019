"""A request as an OpenURL 1.0 (ANSI/NISO Z39.88-2004, key/encoded-value) for the form of a lender. Pure.

The service type `svc.ill=yes` (format sch_svc) says that the item is to be lent. Our own `/openurl` reads the same keys
and finds the same book.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

from aggregator.loans.request import LoanRequest
from metadata.links import safe_href

_FORMAT = "info:ofi/fmt:kev:mtx:"
_LONGEST = 200  # characters of a value
_LONGEST_URL = 6000  # servers refuse longer ones; each Japanese character takes nine
_MOST_AUTHORS, _MOST_ISBNS = 5, 5
_RANGE = re.compile(r"[^0-9]*([0-9]+) *[-‐–—~〜～] *([0-9]+)[^0-9]*")


def form_address(form: str, request: LoanRequest, site: str) -> str:
    """Return the address of a lender's form, filled with the request; "" if the form's address cannot be used.

    site: the address of this site, without a path.
    """
    address = safe_href(form)
    if not address:
        return ""
    base, hash_, fragment = address.partition("#")
    mark = "&" if "?" in base else "?"
    room = _LONGEST_URL - len(address)
    return f"{base}{mark if base[-1] not in '?&' else ''}{_fitting(request, site, room)}{hash_}{fragment}"


def openurl(request: LoanRequest, site: str) -> str:
    """Return the request as a query string, in UTF-8."""
    return _fitting(request, site, _LONGEST_URL)


def _fitting(request: LoanRequest, site: str, room: int) -> str:
    """As many pairs as there is room for; the most important ones come first."""
    text = ""
    for key, value in _pairs(request, site):
        if value:
            pair = f"{'&' if text else ''}{key}={quote(value[:_LONGEST], safe='')}"
            text += pair if len(text) + len(pair) <= room else ""
    return text


def _pairs(request: LoanRequest, site: str) -> Iterator[tuple[str, str]]:
    journal = _is_journal(request)
    yield "ctx_ver", "Z39.88-2004"
    yield "ctx_enc", "info:ofi/enc:UTF-8"
    yield "svc_val_fmt", f"{_FORMAT}sch_svc"
    yield "svc.ill", "yes"
    yield "rft_val_fmt", f"{_FORMAT}{'journal' if journal else 'book'}"
    yield "rft.genre", _genre(request, journal)
    yield from (("rft.isbn", isbn) for isbn in request.isbns[:_MOST_ISBNS])
    yield "rft.issn", f"{request.issn[:4]}-{request.issn[4:]}" if len(request.issn) == 8 else request.issn
    yield "rft_id", request.source
    yield "rft_id", f"info:ncid/{request.ncid}" if request.ncid else ""
    yield "rft.jtitle" if journal else "rft.btitle", request.title
    yield "rft.atitle", request.article
    yield from _part(request)
    yield from (("rft.au", author) for author in _authors(request))
    yield "rft.date", request.year
    yield "rft.pub", request.publisher
    yield "rft.edition", request.edition
    yield "rft.series", "" if journal else request.series
    yield "rft.place", request.place
    yield "rfr_id", f"info:sid/{urlsplit(site).hostname}" if urlsplit(site).hostname else ""
    yield "req_id", _requester(request, site)


def _is_journal(request: LoanRequest) -> bool:
    return not request.isbns and bool(request.issn or request.issue or request.article_volume)


def _genre(request: LoanRequest, journal: bool) -> str:
    if request.article:
        return "article" if journal else "bookitem"
    if journal:
        return "issue" if request.issue else "journal"
    return "book"


def _part(request: LoanRequest) -> Iterator[tuple[str, str]]:
    """What is wanted of the publication: volume, issue and pages."""
    yield "rft.volume", request.article_volume or request.volume
    yield "rft.issue", request.issue
    match = _RANGE.fullmatch(request.pages)
    yield "rft.spage", match[1] if match else request.pages
    yield "rft.epage", match[2] if match else ""


def _authors(request: LoanRequest) -> list[str]:
    names = (request.article_author or request.author).removesuffix(" ほか").split(" ; ")
    return [name.strip() for name in names[:_MOST_AUTHORS]]


def _requester(request: LoanRequest, site: str) -> str:
    """The borrowing library by its address on this site."""
    code = request.borrower.code()
    return f"{site}/libraries/{quote(code.value, safe='')}" if code and urlsplit(site).hostname else ""
