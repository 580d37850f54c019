"""An OAI-PMH provider whose records change at random from harvest to harvest, for comparisons of two harvesters."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any

from harvesting.http.fetch import Fetched
from tests.books import book
from tests.harvesting.transports.oai_responses import OAI, envelope

URL = "http://provider.example/oai"
RIGHTS = (
    '<about><rights xmlns="http://www.openarchives.org/OAI/2.0/rights/"><rightsReference ref="{}"/></rights></about>'
)
LICENCES = ("http://creativecommons.org/licenses/by/4.0/", "http://creativecommons.org/publicdomain/zero/1.0/")
NAMESPACES = (f'xmlns="{OAI}"', f'xmlns="{OAI}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"')


@dataclass(frozen=True)
class Held:
    """A record of the provider. version: of its title; "" is invalid, so that the record is rejected."""

    name: str
    version: str = "1"
    day: int = 1
    sets: tuple[str, ...] = ()
    deleted: bool = False
    licence: str = ""
    noise: str = ""

    def xml(self) -> str:
        status = ' status="deleted"' if self.deleted else ""
        sets = "".join(f"<setSpec>{spec}</setSpec>" for spec in self.sets)
        header = (
            f"<header{status}><identifier>oai:p.example:{self.name}</identifier>"
            f"<datestamp>2026-01-{self.day:02}T00:00:00Z</datestamp>{sets}</header>"
        )
        if self.deleted:
            return f"<record>{header}</record>"
        title = f"題名{self.version}" if self.version else ""
        about = RIGHTS.format(self.licence) if self.licence else ""
        metadata = book(self.name, title=title).decode().partition("?>")[2]
        return f"<record>{header}{self.noise}<metadata>{metadata}</metadata>{about}</record>"


@dataclass
class ChangingProvider:
    """records: in the order of the list. past: former states of records, to which they may go back."""

    random: random.Random
    records: list[Held] = field(default_factory=list)
    past: list[Held] = field(default_factory=list)
    page_size: int = 4
    namespaces: str = NAMESPACES[0]
    between: str = "\n"
    count: int = 0

    def fetch(self, url: str, arguments: Mapping[str, str], /, **options: Any) -> Fetched:
        offset = int(arguments.get("resumptionToken", "0"))
        shown = self.records[offset : offset + self.page_size]
        following = offset + self.page_size
        token = f"<resumptionToken>{following if following < len(self.records) else ''}</resumptionToken>"
        content = self.between.join(held.xml() for held in shown)
        body = envelope(f"<ListRecords>{content}{token}</ListRecords>", attributes=self.namespaces)
        return Fetched(url=url, status=200, headers={"content-type": "text/xml"}, stream=BytesIO(body), final_url=url)

    def change(self) -> None:
        """Do one of the things that happen to a provider's records."""
        happening = self.random.choice(
            [self._add, self._alter, self._alter, self._go_back, self._delete, self._remove, self._move, self._repeat,
             self._disguise]
        )  # fmt: skip
        happening()

    def fill(self, count: int) -> None:
        for _ in range(count):
            self._add()

    def _add(self) -> None:
        self.count += 1
        self.records.insert(self.random.randint(0, len(self.records)), Held(f"b{self.count}"))

    def _place(self) -> int:
        if not self.records:
            self._add()
        return self.random.randrange(len(self.records))

    def _put(self, place: int, **values: Any) -> None:
        self.past.append(self.records[place])
        self.records[place] = replace(self.records[place], **values)

    def _alter(self) -> None:
        place = self._place()
        held = self.records[place]
        self._put(
            place,
            **self.random.choice(
                [
                    {"version": str(self.random.randint(2, 5)), "day": min(28, held.day + 1)},
                    {"version": str(self.random.randint(2, 5))},
                    {"version": ""},
                    {"day": min(28, held.day + 1)},
                    {"sets": self.random.choice([(), ("a",), ("a", "b"), ("not a set",)])},
                    {"licence": self.random.choice(["", *LICENCES])},
                    {"noise": self.random.choice(["", "<!-- <record> -->", "\n ", "<!-- </record> -->"])},
                ]
            ),
        )

    def _go_back(self) -> None:
        names = {held.name: place for place, held in enumerate(self.records)}
        candidates = [held for held in self.past if held.name in names]
        if candidates:
            held = self.random.choice(candidates)
            self.past.append(self.records[names[held.name]])
            self.records[names[held.name]] = held

    def _delete(self) -> None:
        place = self._place()
        self._put(place, deleted=True, day=min(28, self.records[place].day + 1))

    def _remove(self) -> None:
        self.past.append(self.records.pop(self._place()))

    def _move(self) -> None:
        self.records.insert(self._place(), self.records.pop(self._place()))

    def _repeat(self) -> None:
        """List a record twice: as it is, or in a former state."""
        held = self.records[self._place()]
        former = [other for other in self.past if other.name == held.name]
        self.records.insert(self._place(), self.random.choice([held, *former]))

    def _disguise(self) -> None:
        """Write the same pages in another way."""
        self.namespaces = self.random.choice(NAMESPACES)
        self.page_size = self.random.randint(2, 6)
        self.between = self.random.choice(["\n", "", "<!-- <record> -->", "\n<?pi?>\n"])
