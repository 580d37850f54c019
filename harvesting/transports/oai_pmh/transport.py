"""The OAI-PMH 2.0 transport: Identify, formats, sets and records. No Django.

HTTP requests are made by a function that is passed in. Single requests are in `requests`, whole lists in `full_list`.
"""

from collections.abc import Iterator
from dataclasses import replace

from harvesting.transports.oai_pmh.completeness import all_records
from harvesting.transports.oai_pmh.envelope import read_content
from harvesting.transports.oai_pmh.full_list import ListHarvest, ProviderInfo
from harvesting.transports.oai_pmh.loop_detection import LoopDetector
from harvesting.transports.oai_pmh.requests import Fetch, OaiClient, OaiRequest
from harvesting.transports.oai_pmh.responses import read_formats, read_identity, read_list_end, read_sets
from harvesting.transports.oai_pmh.sampling import sampled_batches
from harvesting.transports.retries import BUSY, RetryPolicy
from harvesting.types import Batch, HarvestRequest, Identity, MetadataFormat, OaiSet, TransportError

MAX_SET_PAGES = 1_000
NOT_RETRIED = BUSY | {"oai.badResumptionToken", "oai.unrepeatable"}


class OaiPmhTransport:
    """The transport for one base URL.

    fetch: returns a response of any status or raises TransportError. method: "GET" or "POST".
    encoding: the encoding that the provider really uses, "" = as declared.
    """

    def __init__(
        self,
        base_url: str,
        fetch: Fetch,
        retry_policy: RetryPolicy | None = None,
        *,
        method: str = "GET",
        encoding: str = "",
    ) -> None:
        self.base_url = base_url
        policy = replace(retry_policy or RetryPolicy(), not_retried=NOT_RETRIED)
        self._client = OaiClient(base_url, fetch, policy, method, encoding)

    def identify(self) -> Identity:
        return self._identify()

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        root = self._client.fetch_root({"verb": "ListMetadataFormats"})
        return read_formats(read_content(root, "ListMetadataFormats"))

    def sets(self) -> tuple[OaiSet, ...]:
        """Return all sets without duplicates; () if the provider has none."""
        sets: dict[OaiSet, None] = {}
        try:
            for page in self._set_pages():
                sets.update(dict.fromkeys(page))
        except TransportError as error:
            if error.code != "oai.noSetHierarchy":
                raise
        return tuple(sets)

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """Yield the records of the list, from request.resumption_token if there is one; or the requested record."""
        try:
            if request.identifier:
                yield self._record(request)
            else:
                provider = ProviderInfo(lambda: self._identify(max_attempts=1), self._set_pages)
                yield from ListHarvest(self._client, request, provider).batches()
        except TransportError as error:
            if error.code == "oai.cannotDisseminateFormat":
                error.facts.update(prefix=request.metadata_prefix, available=self._available_prefixes())
            raise

    def sampled(self, request: HarvestRequest, size: int) -> Iterator[Batch]:
        provider = ProviderInfo(lambda: self._identify(max_attempts=1), self._set_pages)
        yield from sampled_batches(self.batches, request, provider.identity())

    def _record(self, request: HarvestRequest) -> Batch:
        arguments = {"verb": "GetRecord", "identifier": request.identifier, "metadataPrefix": request.metadata_prefix}
        page = self._client.fetch_page(OaiRequest(arguments=arguments))
        return Batch(
            records=all_records(page),
            response_date=page.response_date,
            observations=page.observations,
            broken=page.broken,
        )

    def _identify(self, max_attempts: int = 0) -> Identity:
        return read_identity(read_content(self._client.fetch_root({"verb": "Identify"}, max_attempts), "Identify"))

    def _set_pages(self) -> Iterator[tuple[OaiSet, ...]]:
        loop_detector = LoopDetector(self.base_url)
        arguments = {"verb": "ListSets"}
        for _ in range(MAX_SET_PAGES):
            content = read_content(self._client.fetch_root(arguments), "ListSets")
            page, token = read_sets(content), read_list_end(content)["resumption_token"]
            yield page
            if not token:
                return
            loop_detector.check([oai_set.spec for oai_set in page], token)
            arguments = {"verb": "ListSets", "resumptionToken": token}

    def _available_prefixes(self) -> str:
        """Return the prefixes that the provider offers, for the message."""
        try:
            return ", ".join(metadata_format.prefix for metadata_format in self.metadata_formats())
        except TransportError:
            return "?"
