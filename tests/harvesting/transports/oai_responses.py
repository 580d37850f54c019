"""OAI-PMH responses for tests, put together from text so that a test can break any part."""

from collections.abc import Sequence

from tests.harvesting.fakeserver import Answer

OAI = "http://www.openarchives.org/OAI/2.0/"
DC = "http://purl.org/dc/elements/1.1/"
METADATA = f'<dc xmlns="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="{DC}"><dc:title>本</dc:title></dc>'


def envelope(content: str, *, date: str = "2026-01-02T03:04:05Z", attributes: str = f'xmlns="{OAI}"') -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH {attributes}><responseDate>{date}</responseDate>'
        f"<request>http://provider.example/oai</request>{content}</OAI-PMH>"
    ).encode()


def xml(content: str, **options: str) -> Answer:
    return Answer(envelope(content, **options), headers={"Content-Type": "text/xml; charset=UTF-8"})


def record(number: int, metadata: str = METADATA, *, header: str = "", status: str = "") -> str:
    attribute = f' status="{status}"' if status else ""
    inner = header or f"<identifier>oai:provider.example:{number}</identifier><datestamp>2026-01-01</datestamp>"
    block = f"<metadata>{metadata}</metadata>" if metadata else ""
    return f"<record><header{attribute}>{inner}</header>{block}</record>"


def page(records: Sequence[str], token: str = "", **options: str) -> Answer:
    return xml(f"<ListRecords>{''.join(records)}{token}</ListRecords>", **options)


def token(text: str, size: int | None = None) -> str:
    attribute = f' completeListSize="{size}"' if size is not None else ""
    return f"<resumptionToken{attribute}>{text}</resumptionToken>"


def error(code: str, text: str = "no", **options: str) -> Answer:
    return xml(f'<error code="{code}">{text}</error>', **options)
