"""The OAI-PMH 2.0 transport: what its verbs are for. No Django.

It is given the function that asks the network. Asking one question is in `oai_asking`, getting a whole list in
`oai_harvest`.
"""

from collections.abc import Iterator

from harvesting.transports.oai_pmh.completeness import all_records
from harvesting.transports.oai_pmh.envelope import read_content
from harvesting.transports.oai_pmh.full_list import ListHarvest, Provider
from harvesting.transports.oai_pmh.requests import Asker, Fetch, Question
from harvesting.transports.oai_pmh.responses import read_end, read_formats, read_identity, read_sets
from harvesting.transports.patience import Patience
from harvesting.transports.repetition import Repetition
from harvesting.types import Batch, HarvestRequest, Identity, MetadataFormat, OaiSet, TransportError

__all__ = ["OaiPmhTransport", "Patience"]

MOST_SET_PAGES = 1_000


class OaiPmhTransport:
    """One base URL. fetch: returns a response of any status or raises TransportError. method: "GET" or "POST".

    encoding: what the provider really sends, "" = as it declares.
    """

    def __init__(
        self,
        base_url: str,
        fetch: Fetch,
        patience: Patience | None = None,
        *,
        method: str = "GET",
        encoding: str = "",
    ) -> None:
        self.base_url = base_url
        self._asker = Asker(base_url, fetch, patience or Patience(), method, encoding)

    def identify(self) -> Identity:
        return self._identify()

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        root = self._asker.root({"verb": "ListMetadataFormats"})
        return read_formats(read_content(root, "ListMetadataFormats"))

    def sets(self) -> tuple[OaiSet, ...]:
        """All sets, each once; () where the provider has none."""
        found: dict[OaiSet, None] = {}
        try:
            for page in self._set_pages():
                found.update(dict.fromkeys(page))
        except TransportError as error:
            if error.code != "oai.noSetHierarchy":
                raise
        return tuple(found)

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """The records of the list in turn, from request.resumption_token if there is one; or the one record."""
        try:
            if request.identifier:
                yield self._record(request)
            else:
                provider = Provider(lambda: self._identify(tries=1), self._set_pages)
                yield from ListHarvest(self._asker, request, provider).batches()
        except TransportError as error:
            if error.code == "oai.cannotDisseminateFormat":
                error.facts.update(prefix=request.metadata_prefix, available=self._offered())
            raise

    def _record(self, request: HarvestRequest) -> Batch:
        arguments = {"verb": "GetRecord", "identifier": request.identifier, "metadataPrefix": request.metadata_prefix}
        page = self._asker.page(Question(arguments=arguments))
        return Batch(
            records=all_records(page),
            response_date=page.response_date,
            observations=page.observations,
            broken=page.broken,
        )

    def _identify(self, tries: int = 0) -> Identity:
        return read_identity(read_content(self._asker.root({"verb": "Identify"}, tries), "Identify"))

    def _set_pages(self) -> Iterator[tuple[OaiSet, ...]]:
        repetition = Repetition(self.base_url)
        arguments = {"verb": "ListSets"}
        for _ in range(MOST_SET_PAGES):
            content = read_content(self._asker.root(arguments), "ListSets")
            page, token = read_sets(content), read_end(content)["resumption_token"]
            yield page
            if not token:
                return
            repetition.check([each.spec for each in page], token)
            arguments = {"verb": "ListSets", "resumptionToken": token}

    def _offered(self) -> str:
        """The prefixes that would have been right, for the message."""
        try:
            return ", ".join(each.prefix for each in self.metadata_formats())
        except TransportError:
            return "?"
