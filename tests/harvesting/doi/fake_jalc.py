"""A JaLC on loopback that takes documents, gives each a number, and registers what is in it when the test says so."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lxml import etree

from harvesting.doi.jalc_interface import RESULT_PATH, SEND_PATH
from metadata.deposits import jalc
from tests.harvesting.fakeserver import Answer, FakeServer, Request, serving


def answer(head: str, results: str = "") -> Answer:
    return Answer(f"<root><head>{head}</head><body>{results}</body></root>".encode())


def result(doi: str, status: str = "1", words: str = "") -> str:
    return f"<result><resultstatus>{status}</resultstatus><doi>{doi}</doi>{words}</result>"


@dataclass
class FakeJalc:
    """documents: exec_id -> the DOIs in the document. worked_off: whether results are given. refused: DOIs with errors.

    instead: answers instead of the usual ones, in order, None for a usual one.
    """

    server: FakeServer
    documents: dict[str, list[str]] = field(default_factory=dict)
    worked_off: bool = False
    refused: set[str] = field(default_factory=set)
    instead: list[Answer | None] = field(default_factory=list)

    @property
    def sent(self) -> list[str]:
        """Every DOI that has arrived, as often as it has."""
        return [doi.rpartition("/")[2] for dois in self.documents.values() for doi in dois]

    def __call__(self, request: Request) -> Answer:
        usual = {SEND_PATH: self._take, RESULT_PATH: self._result}[request.path](request)
        return (self.instead.pop(0) if self.instead else None) or usual

    def _take(self, request: Request) -> Answer:
        document = request.body[request.body.index(b"<?xml") : request.body.rindex(b"</root>") + len(b"</root>")]
        root = etree.fromstring(document)
        jalc.schema().assertValid(root)
        assert b'name="login_id"\r\n\r\nuser' in request.body
        number = str(len(self.documents) + 1)
        self.documents[number] = [element.text or "" for element in root.iterfind("body/content/doi")]
        return answer(f"<totalcnt>0</totalcnt><exec_id>{number}</exec_id>")

    def _result(self, request: Request) -> Answer:
        [dois] = [dois for number, dois in self.documents.items() if f"\r\n\r\n{number}\r\n".encode() in request.body]
        if not self.worked_off:
            return answer("<status>0</status>")
        texts = [result(doi, "0", "<errcd>E12</errcd>") if doi in self.refused else result(doi) for doi in dois]
        return answer("<status>1</status>", "".join(texts))


@contextmanager
def running() -> Iterator[FakeJalc]:
    with serving() as server:
        jalc_ = FakeJalc(server)
        server.answer = jalc_
        yield jalc_
