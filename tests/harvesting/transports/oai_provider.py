"""A correct OAI-PMH provider in a few lines, for tests that make it misbehave in one respect."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.harvesting.fakeserver import Answer, Request
from tests.harvesting.transports.oai_responses import METADATA, error, page, record, token, xml

type Arguments = dict[str, str]
type Fault = Callable[[Arguments, Callable[[], Answer]], Answer]


def no_fault(arguments: Arguments, give_normal_answer: Callable[[], Answer]) -> Answer:
    return give_normal_answer()


@dataclass
class FakeProvider:
    """A provider whose records have consecutive numbers.

    dates: the datestamps of record 1, 2, 3 …. fault: a function that answers list requests; it receives their arguments
    (also those in a token) and a function that gives the correct answer. sizes: whether completeListSize is sent.
    requests: the list requests so far.
    """

    dates: list[str]
    page_size: int = 2
    granularity: str = "YYYY-MM-DD"
    earliest: str = "2020-01-01"
    sizes: bool = True
    sets: tuple[str, ...] = ()
    fault: Fault = no_fault
    requests: list[Arguments] = field(default_factory=list)

    def __call__(self, request: Request) -> Answer:
        arguments = request.arguments or dict(request.form)
        verb = arguments.get("verb", "")
        if verb == "Identify":
            inner = (
                f"<granularity>{self.granularity}</granularity><earliestDatestamp>{self.earliest}</earliestDatestamp>"
            )
            return xml(f"<Identify>{inner}</Identify>")
        if verb == "ListSets":
            return xml(
                "<ListSets>" + "".join(f"<set><setSpec>{spec}</setSpec></set>" for spec in self.sets) + "</ListSets>"
            )
        if "resumptionToken" in arguments:
            start, end, offset = arguments["resumptionToken"].split("|")
            arguments |= {"from": start, "until": end, "offset": offset}
        self.requests.append(arguments)
        return self.fault(arguments, lambda: self.list_response(arguments))

    def selected(self, arguments: Arguments) -> list[int]:
        start, end = arguments.get("from", ""), arguments.get("until", "") or "9999"
        return [
            number
            for number, date in enumerate(self.dates, 1)
            if date >= start and (date <= end or date.startswith(end))
        ]

    def list_response(self, arguments: Arguments) -> Answer:
        selected = self.selected(arguments)
        if not selected:
            return error("noRecordsMatch")
        offset = int(arguments.get("offset", "0"))
        shown_numbers = selected[offset : offset + self.page_size]
        has_more = offset + self.page_size < len(selected)
        token_text = (
            f"{arguments.get('from', '')}|{arguments.get('until', '')}|{offset + self.page_size}" if has_more else ""
        )
        size = len(selected) if self.sizes else None
        end = token(token_text, size) if has_more or offset else ""
        if arguments["verb"] == "ListIdentifiers":
            return xml(f"<ListIdentifiers>{''.join(map(self.header, shown_numbers))}{end}</ListIdentifiers>")
        return page([record(number, METADATA, header=self.inner(number)) for number in shown_numbers], end)

    def inner(self, number: int) -> str:
        date = self.dates[number - 1]
        return f"<identifier>oai:provider.example:{number}</identifier><datestamp>{date}</datestamp>"

    def header(self, number: int) -> str:
        return f"<header>{self.inner(number)}</header>"
