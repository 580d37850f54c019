"""Requests several records by identifier, one after the other, as if they were one list.

Every record is a page of its own, so that an interrupted run resumes at the first record it has not stored yet.
"""

from collections.abc import Iterator
from dataclasses import replace

from harvesting.types import Batch, HarvestRequest, Observation, Transport, TransportError

SEPARATOR = "\n"  # between the identifiers of one run; no identifier contains a line break
MISSING_PREFIX = "missing "  # a run's memory has this key plus the position for each identifier that is unknown
# Errors that only say that this one record does not exist; any other error ends the run.
UNKNOWN_RECORD_CODES = frozenset(
    {"oai.idDoesNotExist", "oai.noRecordsMatch", "rs.not_metadata", "http.404", "http.410"}
)


def batches(transport: Transport, request: HarvestRequest) -> Iterator[Batch]:
    """Yield one batch for each identifier of the request; it has no records if the provider does not know the record.

    The resumptionToken is the number of identifiers that have been requested.
    """
    identifiers = request.identifier.split(SEPARATOR)
    for position in range(int(request.resumption_token or 0), len(identifiers)):
        token = str(position + 1) if position + 1 < len(identifiers) else ""
        single = replace(request, identifier=identifiers[position], resumption_token="")
        yield _fetch_record(transport, single, position, token)


def _fetch_record(transport: Transport, request: HarvestRequest, position: int, token: str) -> Batch:
    try:
        batches = list(transport.batches(request))
    except TransportError as error:
        if error.code not in UNKNOWN_RECORD_CODES:
            raise
        observation = Observation(code=error.code, facts={**error.facts, "identifier": request.identifier})
        return Batch(
            records=(),
            resumption_token=token,
            observations=(observation,),
            memory={f"{MISSING_PREFIX}{position}": error.code},
        )
    records = tuple(record for batch in batches for record in batch.records)
    return replace(batches[0], records=records, resumption_token=token)
