"""Issues: what is wrong with, or was changed in, the data of a record. Pure; messages are in `metadata.catalogue`."""

import enum

from metadata.record import BibliographicRecord, Value


class Severity(enum.StrEnum):
    """The five outcomes of IRDB, and information; worst first."""

    RECORD_ERROR = "record_error"  # not registered, the earlier version stays
    ITEM_ERROR = "item_error"  # value dropped or replaced, record registered
    WARNING = "warning"  # value kept; the provider should correct it
    NORMALISED = "normalised"  # value changed, with a message
    NORMALISED_SILENTLY = "normalised_silently"  # value changed, counted only
    INFORMATION = "information"


class Profile(enum.StrEnum):
    """The practice that the severities follow."""

    NDL = "ndl"  # the guideline of NDL Search
    IRDB = "irdb"  # the practice of IRDB
    LAX = "lax"  # for providers that follow neither, mostly foreign ones with oai_dc


class Issue(Value, frozen=True, kw_only=True):
    """One issue. code: stable rule code ("dcndl.E003"); field: the place in the record; value: the value received.

    result: the value registered, if it was changed; "" if it was kept or dropped.
    """

    code: str
    field: str = ""
    value: str = ""
    result: str = ""


def where(element: str, attribute: str, *values: str) -> str:
    """Return the place of an element by an attribute: where("jpcoar:identifier", "identifierType", "DOI", "URI").

    DC-NDL, RSS and JSON name the scheme alone: "dcterms:identifier[ISBN]", because a datatype or a URI says it there.
    """
    return f"{element}[{' or '.join(f'@{attribute}="{value}"' for value in values)}]"


class Enriched(Value, frozen=True, kw_only=True):
    """What enrichment rules made of a record.

    version: of the rule set. names: of the rules that changed the record, () = none. original: the record without the
    rules, if they changed it; None if they did not, or if it could not be registered without them.
    """

    version: int
    names: tuple[str, ...] = ()
    original: BibliographicRecord | None = None


class Reading(Value, frozen=True, kw_only=True):
    """The result of reading a payload. record is None if a record error forbids registering it.

    enriched: None if the provider has never had enrichment rules.
    """

    record: BibliographicRecord | None = None
    issues: tuple[Issue, ...] = ()
    enriched: Enriched | None = None
