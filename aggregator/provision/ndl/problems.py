"""The errors of NDL Search's SRU: its own texts (table 3-5 of its specification) in the standard's diagnostics."""

from aggregator.provision.sru.diagnostics import URI

# Text -> number in the standard's list of diagnostics.
OPERATION = "operation is not searchRetrieve"
VERSION = "version must be 1.1 or 1.2"
NO_QUERY = "query must be present"
SYNTAX = "illegal query syntax"
START = "illegal startRecord value"
MAXIMUM = "illegal maximumRecords value"
PACKING = "illegal recordPacking value"
SCHEMA = "illegal recordSchema value"
SORT = "illegal sortKeys value"
MEDIA_TYPE = "illegal mediaType value"
NO_RECORD = "Record does not exist"
UNAVAILABLE = "System temporarily unavailable"  # not NDL's: the search is down, or the client is over its budget
NUMBERS = {
    OPERATION: 4,
    VERSION: 5,
    NO_QUERY: 7,
    SYNTAX: 10,
    START: 6,
    MAXIMUM: 6,
    PACKING: 71,
    SCHEMA: 66,
    SORT: 80,
    MEDIA_TYPE: 6,
    NO_RECORD: 65,
    UNAVAILABLE: 2,
}


class Problem(Exception):
    """A request that is answered with a diagnostic. text: one of NUMBERS."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    @property
    def uri(self) -> str:
        return f"{URI}{NUMBERS[self.text]}"
