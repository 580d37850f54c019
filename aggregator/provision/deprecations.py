"""What is deprecated in the interfaces for programs: the one table behind the headers and the page of terms.

Announced with `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` headers. To deprecate something, add a row;
remove the row together with the thing itself, not before its sunset.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from django.utils.http import http_date

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

NOTICE_MONTHS = 12  # at least, between announcement and sunset


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """An address, or a parameter of it, that will be removed.

    path: a regular expression for the whole path. parameter: only requests with this parameter; "" = all. value: only
    with this value; "" = any. since, sunset: the days of the announcement and of the removal. successor: an address or
    a path on this site, "" if there is none. about: what to do, for people.
    """

    name: str
    path: str
    since: date
    sunset: date
    about: "StrOrPromise"
    parameter: str = ""
    value: str = ""
    successor: str = ""

    def concerns(self, path: str, query_string: str) -> bool:
        if not re.fullmatch(self.path, path):
            return False
        values = parse_qs(query_string, keep_blank_values=True).get(self.parameter, []) if self.parameter else [""]
        return bool(values) and (not self.value or self.value in values)


DEPRECATIONS: tuple[Deprecation, ...] = ()


def headers_for(path: str, query_string: str, terms: str) -> dict[str, str]:
    """Return the headers of a response; {} if nothing about its request is deprecated. terms: the page that explains.

    If several rows concern a request, the one that ends first counts.
    """
    rows = [row for row in DEPRECATIONS if row.concerns(path, query_string)]
    if not rows:
        return {}
    first = min(rows, key=lambda row: row.sunset)
    links = [f'<{terms}>; rel="deprecation"; type="text/html"', f'<{terms}>; rel="sunset"; type="text/html"']
    if first.successor:
        links.append(f'<{first.successor}>; rel="successor-version"')
    return {
        "Deprecation": f"@{_seconds(first.since)}",
        "Sunset": http_date(_seconds(first.sunset)),
        "Link": ", ".join(links),
    }


def _seconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
