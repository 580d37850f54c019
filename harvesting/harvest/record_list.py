"""Requests several records by identifier, one after the other, as if they were one list.

Every record is a page of its own, so that an interrupted run resumes at the first record it has not stored yet.
"""

from collections.abc import Iterator
from dataclasses import replace

from harvesting.types import Batch, HarvestRequest, Observation, Transport, TransportError

SEPARATOR = "\n"  # between the identifiers of one run; no identifier contains a line break
MISSING_PREFIX = "missing "  # a run's memory has this key plus the position for each identifier that is unknown
GONE = frozenset({"http.404", "http.410"})


def batches(transport: Transport, unknown_codes: frozenset[str], request: HarvestRequest) -> Iterator[Batch]:
    """Yield one batch for each identifier of the request; it has no records if the provider does not know the record.

    The resumptionToken is the number of identifiers that have been requested. unknown_codes: errors that, like GONE,
    only say that this one record does not exist; any other error ends the run.
    """
    identifiers = request.identifier.split(SEPARATOR)
    for position in range(int(request.resumption_token or 0), len(identifiers)):
        token = str(position + 1) if position + 1 < len(identifiers) else ""
        single = replace(request, identifier=identifiers[position], resumption_token="")
        yield _fetch_record(transport, unknown_codes | GONE, single, position, token)


def _fetch_record(
    transport: Transport, unknown_codes: frozenset[str], request: HarvestRequest, position: int, token: str
) -> Batch:
    try:
        batches = list(transport.batches(request))
    except TransportError as error:
        if error.code not in unknown_codes:
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
