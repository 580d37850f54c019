"""Several records asked for by name, one after the other, as one list: each is a page, so that a run can go on."""

from collections.abc import Iterator
from dataclasses import replace

from harvesting.types import Batch, HarvestRequest, Observation, Transport, TransportError

BETWEEN = "\n"  # identifiers of one run; none holds a line break
MISSING = "missing "  # in the memory of a run, before the place of an identifier that the provider does not know
# What says only that one record is not there.
UNKNOWN = frozenset({"oai.idDoesNotExist", "oai.noRecordsMatch", "rs.not_metadata", "http.404", "http.410"})


def batches(transport: Transport, request: HarvestRequest) -> Iterator[Batch]:
    """One batch or more for each identifier of the request; one without records where the provider does not know it.

    The resumptionToken is the number of identifiers that are done.
    """
    names = request.identifier.split(BETWEEN)
    for place in range(int(request.resumption_token or 0), len(names)):
        token = str(place + 1) if place + 1 < len(names) else ""
        yield _one(transport, replace(request, identifier=names[place], resumption_token=""), place, token)


def _one(transport: Transport, request: HarvestRequest, place: int, token: str) -> Batch:
    try:
        found = list(transport.batches(request))
    except TransportError as error:
        if error.code not in UNKNOWN:
            raise
        observation = Observation(code=error.code, facts={**error.facts, "identifier": request.identifier})
        return Batch(
            records=(), resumption_token=token, observations=(observation,), memory={f"{MISSING}{place}": error.code}
        )
    return replace(found[0], records=tuple(each for batch in found for each in batch.records), resumption_token=token)
