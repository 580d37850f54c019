"""The elements of JPCOAR whose text or attribute the schema restricts. Tables only."""

from collections.abc import Callable
from typing import NamedTuple

from metadata.formats.common.uris import is_uri
from metadata.formats.jpcoar.names import NAME_SCHEMES
from metadata.formats.jpcoar.terms import (
    DATE_TYPES,
    FUNDER_IDENTIFIERS,
    OBJECT_TYPES,
    REGISTRATION_AGENCIES,
)
from metadata.formats.jpcoar.write.values import is_country, is_date, is_positive
from metadata.text.dates import w3cdtf


class Typed(NamedTuple):
    """What the schema requires of an element. label: of the description that replaces it, if its value is not valid.

    attribute: one whose value must be among `terms`; another value is replaced by `default`, and left out if that is
    "". If `default` is None, the whole element is not valid. required: an element without the attribute gets the
    default.
    """

    label: str
    is_valid: Callable[[str], object] = bool
    attribute: str = ""
    terms: frozenset[str] = frozenset()
    default: str | None = None
    required: bool = True

    def term(self, value: str) -> str | None:
        """Return the value of the attribute, "" if the element has none, None if the element is not valid."""
        if not self.attribute or value in self.terms:
            return value
        return self.default if value or self.required else ""


_SOURCES = frozenset({"PISSN", "EISSN", "ISBN", "ISSN", "NCID"})
_HOLDERS = frozenset("kakenhi ISNI Ringgold GRID ROR FANO ISIL MARC OCLC".split())
_STREAMS = frozenset({"Crossref Funder", "JGN_fundingStream"})
_AGENCIES = REGISTRATION_AGENCIES | {"PMID"}
_YES_OR_NO = frozenset({"True", "False"})
TYPED = {
    "datacite:date": Typed("日付", is_date, "dateType", frozenset(DATE_TYPES)),
    "dcndl:dateGranted": Typed("学位授与年月日", w3cdtf),
    "jpcoar:identifier": Typed("識別子", is_uri, "identifierType", frozenset({"DOI", "HDL", "URI"})),
    "jpcoar:identifierRegistration": Typed("識別子", bool, "identifierType", _AGENCIES),
    "jpcoar:sourceIdentifier": Typed("収録物識別子", bool, "identifierType", _SOURCES),
    "jpcoar:nameIdentifier": Typed("識別子", bool, "nameIdentifierScheme", frozenset(NAME_SCHEMES)),
    "jpcoar:holdingAgentNameIdentifier": Typed("所蔵館の識別子", bool, "nameIdentifierScheme", _HOLDERS),
    "jpcoar:funderIdentifier": Typed("助成機関の識別子", bool, "funderIdentifierType", FUNDER_IDENTIFIERS, "Other"),
    "jpcoar:fundingStreamIdentifier": Typed("プログラムの識別子", bool, "fundingStreamIdentifierType", _STREAMS, ""),
    "jpcoar:conferenceSequence": Typed("会議の回次", is_positive),
    "jpcoar:conferenceCountry": Typed("会議の開催国", is_country),
    "jpcoar:datasetSeries": Typed("データセットシリーズ", _YES_OR_NO.__contains__),
    "jpcoar:URI": Typed("本文", lambda text: not text or is_uri(text), "objectType", OBJECT_TYPES, "other", False),
}
