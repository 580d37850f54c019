"""Which part of the site a request asks: a dozen words, so that figures stay few. Pure; tells by the address."""

import re

from aggregator.query.costly_paths import without_language

OTHER = "other"
# By how the address begins, the first that fits; the most asked for first.
_KINDS = (
    ("page", re.compile(r"/books/[^/.]*\Z")),
    ("data", re.compile(r"/books/")),
    ("search", re.compile(r"/(?:search|feeds/)")),
    ("suggest", re.compile(r"/suggest\Z")),
    ("static", re.compile(r"/static/|/favicon\.ico\Z|/robots\.txt\Z")),
    ("oai", re.compile(r"/oai\Z")),
    ("api", re.compile(r"/api/|/sru\Z|/opensearch|/openurl\Z")),
    ("resourcesync", re.compile(r"/resourcesync/|/\.well-known/|/dumps/")),
    ("sitemap", re.compile(r"/sitemap")),
    ("operation", re.compile(r"/(?:healthz|metrics)\Z")),
    ("staff", re.compile(r"/(?:manage|admin|login|logout|password|invitation|notices)")),
)
KINDS = (*(name for name, _pattern in _KINDS), OTHER)


def kind(path: str) -> str:
    """One of KINDS."""
    plain = without_language(path)
    return next((name for name, pattern in _KINDS if pattern.match(plain)), OTHER)
