"""A finding about data, as a value. Pure; the sentences live in `metadata.catalogue`."""

import enum

from metadata.record import BibliographicRecord, Value


class Severity(enum.StrEnum):
    """IRDB's five outcomes and plain information, worst first."""

    RECORD_ERROR = "record_error"  # not registered, the earlier version stays
    ITEM_ERROR = "item_error"  # value dropped or replaced, record registered
    WARNING = "warning"  # value kept, provider told
    NORMALISED = "normalised"  # value changed, with a message
    NORMALISED_SILENTLY = "normalised_silently"  # value changed, counted only
    INFORMATION = "information"


class Issue(Value, frozen=True, kw_only=True):
    """code: stable rule code ("dcndl.E003"); field: where in the record; value: what stood there.

    result: what stands there now, where the value was changed; "" where it was kept or dropped.
    """

    code: str
    field: str = ""
    value: str = ""
    result: str = ""


class Reading(Value, frozen=True, kw_only=True):
    """What reading a payload gave. record is None when a record error forbids registering it."""

    record: BibliographicRecord | None = None
    issues: tuple[Issue, ...] = ()
