"""The OAI-PMH 2.0 transport: which questions to ask, in which order, and when a list is over. No Django.

It is given the function that asks the network; reading the answers is in `oai_pmh_parse`. Starting an expired
list again and asking by date windows belong into `OaiPmhTransport.batches`, around `_list`.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import uniform

from lxml import etree

from harvesting.fetch import Fetched
from harvesting.transports.base import Batch, HarvestRequest, Identity, MetadataFormat, OaiSet, TransportError
from harvesting.transports.oai_pmh_parse import (
    is_envelope,
    read_content,
    read_envelope,
    read_error,
    read_formats,
    read_identity,
    read_page,
    read_sets,
    read_token,
)
from harvesting.transports.repetition import Repetition

type Fetch = Callable[[str, Mapping[str, str]], Fetched]

# A broken answer may be an accident on the way and is asked for again; the same damage twice is none.
DAMAGED = frozenset({"xml.malformed", "oai.not_oai", "oai.no_answer"})
# The run waits for minutes, or starts the list again: the same request once more cannot help.
NOT_REPEATED = frozenset({"http.503", "http.429", "oai.badResumptionToken"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often one request is repeated here; longer waits are the affair of the run.

    Waits are random between 0 and first_wait, 4 times that, 16 times that … seconds. A Retry-After of up to
    longest_retry_after seconds is waited for.
    """

    tries: int = 4
    first_wait: float = 2.0
    longest_retry_after: int = 60
    sleep: Callable[[float], None] = time.sleep

    def wait(self, error: TransportError, tried: int) -> float | None:
        """Seconds until the next try, None to give up."""
        if error.permanent or tried >= self.tries:
            return None
        if error.retry_after:
            return error.retry_after if error.retry_after <= self.longest_retry_after else None
        # Guidelines for harvesters, section 5: after a 503 that names no time, minutes must pass.
        if error.code in NOT_REPEATED:
            return None
        return uniform(0, self.first_wait * 4 ** (tried - 1))  # noqa: S311  (it spreads load, it hides nothing)


class OaiPmhTransport:
    """One base URL. `fetch(url, parameters)` returns a response of any status or raises TransportError."""

    def __init__(self, base_url: str, fetch: Fetch, patience: Patience | None = None) -> None:
        self.base_url = base_url
        self._fetch = fetch
        self._patience = patience or Patience()

    def identify(self) -> Identity:
        return read_identity(read_content(self._ask({"verb": "Identify"}), "Identify"))

    def metadata_formats(self) -> tuple[MetadataFormat, ...]:
        root = self._ask({"verb": "ListMetadataFormats"})
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

    def _set_pages(self) -> Iterator[tuple[OaiSet, ...]]:
        repetition = Repetition(self.base_url)
        arguments = {"verb": "ListSets"}
        while True:
            content = read_content(self._ask(arguments), "ListSets")
            page, (token, _) = read_sets(content), read_token(content)
            yield page
            if not token:
                return
            repetition.check([each.spec for each in page], token)
            arguments = {"verb": "ListSets", "resumptionToken": token}

    def batches(self, request: HarvestRequest) -> Iterator[Batch]:
        """The pages of the list in turn, from request.resumption_token if there is one; or the one record."""
        try:
            yield from self._record(request) if request.identifier else self._list(request)
        except TransportError as error:
            if error.code == "oai.cannotDisseminateFormat":
                error.facts.update(prefix=request.metadata_prefix, available=self._offered())
            raise

    def _record(self, request: HarvestRequest) -> Iterator[Batch]:
        arguments = {"verb": "GetRecord", "identifier": request.identifier, "metadataPrefix": request.metadata_prefix}
        yield read_page(self._ask(arguments), "GetRecord")

    def _list(self, request: HarvestRequest) -> Iterator[Batch]:
        repetition = Repetition(self.base_url)
        position = _Position(resumed=bool(request.resumption_token))
        token = request.resumption_token
        while True:
            root = self._ask(_list_arguments(request, token), position.is_end)
            batch = read_page(root, "ListRecords")
            token = batch.resumption_token
            if token:
                repetition.check([f"{each.identifier} {each.datestamp}" for each in batch.records], token)
            position.advance(batch)
            yield batch
            if not token:
                return

    def _offered(self) -> str:
        """The prefixes that would have been right, for the message."""
        try:
            return ", ".join(each.prefix for each in self.metadata_formats())
        except TransportError:
            return "?"

    def _ask(self, arguments: Mapping[str, str], is_end: Callable[[str], bool] = lambda code: False) -> etree._Element:
        """The <OAI-PMH> element of a response without error, or with one whose code `is_end` takes for the end."""
        last: TransportError | None = None
        tried = 0
        while True:
            try:
                return self._ask_once(arguments, is_end)
            except TransportError as error:
                tried += 1
                _name(error, self.base_url, arguments)
                wait = None if _same_damage(error, last) else self._patience.wait(error, tried)
                if wait is None:
                    raise
                last = error
            self._patience.sleep(wait)

    def _ask_once(self, arguments: Mapping[str, str], is_end: Callable[[str], bool]) -> etree._Element:
        fetched = self._fetch(self.base_url, arguments)
        # Errors of the protocol come with 404 or 422 too; those of a server that is down do not.
        if not (400 <= fetched.status < 500 and is_envelope(fetched.body)):
            fetched.checked()
        root = read_envelope(fetched.body, fetched.headers.get("content-type", ""))
        error = read_error(root)
        if error is None:
            fetched.checked()
            read_content(root, arguments["verb"])  # here, so that a response without it is asked for again
        elif not is_end(error.code):
            raise error
        return root


class _Position:
    """How far a list has been read, to tell its end from a failure where the provider says it by an error."""

    def __init__(self, *, resumed: bool) -> None:
        self._pages = 1 if resumed else 0
        self._received: int | None = None if resumed else 0  # a resumed list was begun by an earlier run
        self._size: int | None = None

    def advance(self, batch: Batch) -> None:
        self._pages += 1
        self._size = batch.complete_list_size or self._size
        if self._received is not None:
            self._received += len(batch.records)

    def is_end(self, code: str) -> bool:
        """Some providers give a token behind the end, and refuse it then. Section 3.5 knows no such end."""
        if code not in {"oai.noRecordsMatch", "oai.badResumptionToken"}:
            return False
        if self._pages and self._size is not None and self._received is not None:
            return self._received >= self._size
        return code == "oai.noRecordsMatch"


def _list_arguments(request: HarvestRequest, token: str) -> dict[str, str]:
    """A resumptionToken is an exclusive argument (section 3.5)."""
    if token:
        return {"verb": "ListRecords", "resumptionToken": token}
    arguments = {
        "verb": "ListRecords",
        "metadataPrefix": request.metadata_prefix,
        "from": request.from_,
        "until": request.until,
        "set": request.set_spec,
    }
    return {name: value for name, value in arguments.items() if value}


def _name(error: TransportError, base_url: str, arguments: Mapping[str, str]) -> None:
    """Say in the facts what was asked, for the message."""
    error.facts.setdefault("url", base_url)
    for name, value in arguments.items():
        error.facts.setdefault(name, value[:500])


def _same_damage(error: TransportError, last: TransportError | None) -> bool:
    """The same broken answer twice is no accident: final for the first page, where the base URL may be wrong,
    and for broken XML; in the middle of a list a page for people may be passing maintenance."""
    if last is None or error.code not in DAMAGED or error.code != last.code or error.facts != last.facts:
        return False
    error.permanent = error.code == "xml.malformed" or "resumptionToken" not in error.facts
    return True
