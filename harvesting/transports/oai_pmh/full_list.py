"""How all records of an OAI-PMH feed are got, come what may: at once, from the beginning again, by date windows.

Knows when to do which; one list is read in `oai_list`, windows in `oai_slices`, doubts are settled in `oai_doubts`.
"""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import msgspec

from harvesting.transports.oai_pmh.completeness import Answer, identifiers_agree, is_suspicious, look_for_more
from harvesting.transports.oai_pmh.date_windows import (
    AGAIN,
    DAY,
    MARK,
    YEAR,
    Dates,
    Plan,
    aligned,
    begin,
    decode,
    moment,
    other_form,
)
from harvesting.transports.oai_pmh.envelope import parse_date
from harvesting.transports.oai_pmh.paging import (
    ListRequest,
    Seen,
    Tally,
    deliver,
    ended_by_error,
    ignored_dates,
    outside,
    walk,
)
from harvesting.transports.oai_pmh.requests import Asker
from harvesting.transports.oai_pmh.responses import Page
from harvesting.transports.oai_pmh.windowed_list import DatesRefused, Slices, list_arguments
from harvesting.types import Batch, HarvestRequest, Identity, OaiSet, Observation, TransportError

RESTARTS = 2  # of a list whose token is refused; then it is read by windows
BROKEN_OFF = frozenset({"oai.badResumptionToken", "oai.unrepeatable", "oai.ended_by_error"})
# The provider cannot manage the whole list; smaller ones may be possible.
TOO_LARGE = frozenset({"http.413", "http.500", "http.502", "http.504", "net.too_large"})
REFUSED_AT_ONCE = TOO_LARGE | {"http.400", "oai.badArgument"}


class Provider:
    """What may be asked beside the list. Every answer is optional (NDL guideline 3.1.2: only ListRecords is not)."""

    def __init__(self, identify: Callable[[], Identity], sets: Callable[[], Iterator[tuple[OaiSet, ...]]]) -> None:
        self._identify = identify
        self._sets = sets

    def identity(self) -> Identity:
        """Empty where Identify is not answered."""
        try:
            return self._identify()
        except TransportError:
            return Identity()

    def has_lost(self, set_spec: str) -> bool:
        """Whether ListSets works and names neither this set nor one below it."""
        try:
            for page in self._sets():
                if any(each.spec == set_spec or each.spec.startswith(f"{set_spec}:") for each in page):
                    return False
        except TransportError as error:
            return error.code == "oai.noSetHierarchy"
        return True


class ListHarvest:
    """One reading of the list that a request asks for."""

    def __init__(
        self, asker: Asker, request: HarvestRequest, provider: Provider, clock: Callable[[], float] = time.time
    ) -> None:
        self._asker = asker
        self._request = request
        self._provider = provider
        self._clock = clock
        self._notices: list[Observation] = []
        self._tally = Tally(resumed=False)
        self._seen = Seen(complete=False)
        self._restarted = False

    def batches(self) -> Iterator[Batch]:
        """As `Transport.batches`, also from a token of an earlier run, which may have expired."""
        self._asker.begin()
        token = self._request.resumption_token
        plan, cause = decode(token), None
        if plan is None:
            try:
                plan = yield from self._at_once("" if token.startswith(MARK) else token)
            except TransportError as error:
                plan, cause = self._plan(error), error
        if plan is None:
            return
        self._notices.append(Observation(code="oai.windows", facts={"why": plan.why}))
        try:
            yield from Slices(self._asker, self._request, plan, self._seen, self._notices).batches()
        except DatesRefused as refused:
            yield from self._without_dates(plan, cause, refused)

    def _at_once(self, token: str) -> Generator[Batch, None, Plan | None]:
        """The whole list, begun again where it breaks off. Returns a plan if more must be looked for by windows."""
        left = RESTARTS
        while True:
            try:
                return (yield from self._in_either_form(token))
            except TransportError as error:
                if error.code not in BROKEN_OFF or not (token or self._tally.pages) or not left:
                    raise
                self._notices.append(Observation(code="oai.restarted", facts={"reason": error.message[:300]}))
                self._restarted = True
                left -= 1
                token = ""

    def _in_either_form(self, token: str) -> Generator[Batch, None, Plan | None]:
        """With the dates as asked for; where they are refused, by the day instead of the second, or the reverse."""
        given = Dates(from_=self._request.from_, until=self._request.until)
        try:
            return (yield from self._list(given, token))
        except TransportError as error:
            if error.code != "oai.badArgument" or token or self._tally.pages:
                raise
            self._refuse_lost_set(error)
            if given == Dates():
                raise
            self._notices.append(Observation(code="oai.granularity", facts={"asked": given.from_ or given.until}))
            try:
                return (yield from self._list(other_form(given), token))
            except TransportError:
                self._notices = [each for each in self._notices if each.code != "oai.granularity"]
                raise

    def _list(self, dates: Dates, token: str) -> Generator[Batch, None, Plan | None]:
        self._tally, self._seen = Tally(resumed=bool(token)), Seen(complete=not token)
        request = ListRequest(
            arguments=list_arguments(self._request, dates), token=token, asked_set=self._request.set_spec
        )
        for asked, page in walk(self._asker, request, self._tally):
            self._seen.add(page)
            if self._tally.pages == 1 and not token:
                self._look_at_the_first(page, dates)
            back = AGAIN if asked and asked == page.resumption_token else asked
            if not page.resumption_token:
                return (yield from self._end(page, back))
            # A token that stays the same cannot be gone on with by a later run.
            batch = Batch(records=(), resumption_token=AGAIN if back == AGAIN else page.resumption_token)
            yield from deliver(page, self._told(batch), back)
        return None

    def _look_at_the_first(self, page: Page, dates: Dates) -> None:
        if page.error is not None and self._restarted:
            raise page.error  # a list that had records a moment ago is not empty
        stray = outside(page.records, parse_date(dates.from_), parse_date(dates.until))
        if stray is not None:
            self._notices.append(ignored_dates(stray, dates.from_ or dates.until))
        set_spec = self._request.set_spec
        if page.error is not None and set_spec and self._provider.has_lost(set_spec):
            self._notices.append(Observation(code="oai.set_gone", facts={"set": set_spec}, incomplete=True))

    def _end(self, page: Page, asked: str) -> Generator[Batch, None, Plan | None]:
        """Deliver the last page. Returns a plan if the list was not whole."""
        tally = self._tally
        short = tally.is_clearly_short(self._seen)
        doubtful = tally.is_doubtful(page)
        if short or doubtful or is_suspicious(tally, page, self._request):
            answer = look_for_more(self._asker, self._request, tally, self._seen)
            if doubtful and answer is Answer.UNKNOWN and not self._restarted:
                reason = str(ended_by_error(page).facts["reason"])
                raise TransportError(reason, "oai.ended_by_error", permanent=False, reason=reason)
            if answer is Answer.MORE or (short and tally.resumed):
                plan = self._new_plan("oai.list_short")
                yield from deliver(page, self._told(Batch(records=(), resumption_token=plan.encode())), asked)
                return plan
            if short and not self._is_whole_all_the_same(answer, page):
                yield from deliver(page, self._told(Batch(records=(), resumption_token=asked, more=True)), asked)
                raise self._list_short()
        if doubtful:
            self._notices.append(ended_by_error(page))
        self._notices += self._differences()
        whole = not (self._request.from_ or self._request.until)
        incomplete = any(each.incomplete for each in (*self._notices, *page.observations))
        yield from deliver(page, self._told(Batch(records=(), exhaustive=whole and not incomplete)), asked)
        return None

    def _is_whole_all_the_same(self, answer: Answer, page: Page) -> bool:
        """Whether the announced size is to be doubted, not the list."""
        believed = page.ends and self._tally.pages > 1 and answer is Answer.NO_MORE
        return believed or identifiers_agree(self._asker, self._request, self._seen)

    def _differences(self) -> Iterator[Observation]:
        """What came and what was announced, where they are not the same (catalogue T7, T8)."""
        size, received, seen = self._tally.size, self._tally.received, len(self._seen)
        if received is None:
            return
        if size is not None and received != size:
            facts = {"received": received, "size": size}
            yield Observation(code="oai.size_differs", facts=facts, incomplete=received < size)
        if self._seen.complete and seen < received:
            facts = {"count": received - seen, "records": seen}
            yield Observation(code="oai.duplicates", facts=facts, incomplete=size is not None and seen < size)

    def _without_dates(self, plan: Plan, cause: TransportError | None, refused: DatesRefused) -> Iterator[Batch]:
        """The whole list for a provider that takes no dates; if that is what could not be had, its error."""
        dates = Dates(from_=self._request.from_, until=self._request.until)
        self._notices = [each for each in self._notices if each.code != "oai.windows"]
        if plan.why == "oai.list_short":
            raise self._list_short() from refused
        if dates == Dates() or plan.why != "oai.badArgument":
            raise cause or TransportError(plan.why, plan.why, permanent=False) from refused
        facts = {"asked": dates.from_ or dates.until}
        self._notices.append(Observation(code="oai.dates_refused", facts=facts))
        yield from self._list(Dates(), "")

    def _plan(self, error: TransportError) -> Plan:
        """A plan against the error. Raises it where windows cannot help."""
        begun = bool(self._tally.pages or self._tally.resumed)
        if error.code not in (BROKEN_OFF | TOO_LARGE if begun else REFUSED_AT_ONCE):
            raise error
        return self._new_plan(error.code)

    def _new_plan(self, why: str) -> Plan:
        identity = self._provider.identity()
        now = int(self._clock())
        told = moment(identity.earliest_datestamp)
        known = [now - 20 * YEAR if told is None or not 0 <= told <= now else told]
        if self._tally.oldest is not None:
            known.append(int(self._tally.oldest.timestamp()))
        oldest = max(0, min(known))
        plan = begin(
            why,
            Dates(from_=self._request.from_, until=self._request.until),
            now=now,
            oldest=aligned(oldest),
            finest=1 if "s" in identity.granularity.lower() else DAY,
        )
        return msgspec.structs.replace(plan, size=self._tally.size or 0)

    def _refuse_lost_set(self, error: TransportError) -> None:
        set_spec = self._request.set_spec
        if set_spec and self._provider.has_lost(set_spec):
            message = f"the set {set_spec} is gone"
            raise TransportError(message, "oai.set_gone", permanent=True, set=set_spec) from error

    def _list_short(self) -> TransportError:
        return TransportError(
            "the list ended too early",
            "oai.list_short",
            permanent=True,
            received=self._tally.received or len(self._seen),
            size=self._tally.size or 0,
        )

    def _told(self, batch: Batch) -> Batch:
        """The batch with the notices that have gathered."""
        observations = tuple(self._notices)
        self._notices.clear()
        return replace(batch, observations=observations)
