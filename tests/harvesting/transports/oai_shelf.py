"""An honest OAI-PMH provider in a few lines, for tests that make it misbehave in one place."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.harvesting.fakeserver import Answer, Asked
from tests.harvesting.transports.oai_responses import METADATA, error, page, record, token, xml

type Arguments = dict[str, str]
type Fault = Callable[[Arguments, Callable[[], Answer]], Answer]


def honest(arguments: Arguments, right: Callable[[], Answer]) -> Answer:
    return right()


@dataclass
class Shelf:
    """dates: of record 1, 2, 3 …. fault: sees the arguments of the list request (also those in a token) and may
    call for the right answer. sizes: whether completeListSize is given. asked: list requests so far."""

    dates: list[str]
    page_size: int = 2
    granularity: str = "YYYY-MM-DD"
    earliest: str = "2020-01-01"
    sizes: bool = True
    sets: tuple[str, ...] = ()
    fault: Fault = honest
    asked: list[Arguments] = field(default_factory=list)

    def __call__(self, asked: Asked) -> Answer:
        arguments = asked.arguments or dict(asked.form)
        verb = arguments.get("verb", "")
        if verb == "Identify":
            inner = (
                f"<granularity>{self.granularity}</granularity><earliestDatestamp>{self.earliest}</earliestDatestamp>"
            )
            return xml(f"<Identify>{inner}</Identify>")
        if verb == "ListSets":
            return xml(
                "<ListSets>" + "".join(f"<set><setSpec>{each}</setSpec></set>" for each in self.sets) + "</ListSets>"
            )
        if "resumptionToken" in arguments:
            start, end, offset = arguments["resumptionToken"].split("|")
            arguments |= {"from": start, "until": end, "offset": offset}
        self.asked.append(arguments)
        return self.fault(arguments, lambda: self.listed(arguments))

    def chosen(self, arguments: Arguments) -> list[int]:
        start, end = arguments.get("from", ""), arguments.get("until", "") or "9999"
        return [
            number
            for number, date in enumerate(self.dates, 1)
            if date >= start and (date <= end or date.startswith(end))
        ]

    def listed(self, arguments: Arguments) -> Answer:
        chosen = self.chosen(arguments)
        if not chosen:
            return error("noRecordsMatch")
        offset = int(arguments.get("offset", "0"))
        shown = chosen[offset : offset + self.page_size]
        more = offset + self.page_size < len(chosen)
        text = f"{arguments.get('from', '')}|{arguments.get('until', '')}|{offset + self.page_size}" if more else ""
        size = len(chosen) if self.sizes else None
        end = token(text, size) if more or offset else ""
        if arguments["verb"] == "ListIdentifiers":
            return xml(f"<ListIdentifiers>{''.join(map(self.header, shown))}{end}</ListIdentifiers>")
        return page([record(number, METADATA, header=self.inner(number)) for number in shown], end)

    def inner(self, number: int) -> str:
        date = self.dates[number - 1]
        return f"<identifier>oai:provider.example:{number}</identifier><datestamp>{date}</datestamp>"

    def header(self, number: int) -> str:
        return f"<header>{self.inner(number)}</header>"
