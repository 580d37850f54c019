"""Web pages of a sample provider: home page, pages of the records, OpenURL resolver. Pure.

Plain pages in Japanese. They stand for the web sites of the libraries, so that links from the catalogue have a target.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from html import escape
from http import HTTPStatus
from itertools import islice
from urllib.parse import quote, urlencode

from metadata.formats import crosswalk_of
from metadata.identifiers import normalise
from metadata.record import BibliographicRecord
from metadata.text.folding import fold_tight
from metadata.xml.parsing import XmlError, parse
from sampleprovider.iiif import iiif
from sampleprovider.replies import Params, Reply
from sampleprovider.source import SampleRecord, SampleSource

Sources = Mapping[str, SampleSource]

SHOWN = 50
FRAME = """<!DOCTYPE html>
<html lang="ja"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>body{{max-width:44rem;margin:2rem auto;padding:0 1rem;font-family:sans-serif;\
line-height:1.7;border-top:.5rem solid #7a5}}dt{{font-weight:bold}}footer{{color:#555;margin-top:3rem}}</style>
</head><body>{body}<footer>見本の館のページ（実在の機関ではありません）</footer></body></html>
"""
POLICY = ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'")

# Keys of the title in OpenURL 1.0 (KEV: book, journal) and 0.1, the most specific first
TITLE_KEYS = ("rft.btitle", "rft.atitle", "rft.title", "rft.jtitle", "title")
ISBN_KEYS = ("rft.isbn", "isbn")


def page(sources: Sources, path: str, params: Params) -> Reply | None:
    """Return the page at a path, None if there is none."""
    name, _, rest = path.lstrip("/").partition("/")
    if not name:
        return html_page(
            "見本の提供元", _links((f"/{source.name}/", source.title or source.name) for source in sources.values())
        )
    source = sources.get(name)
    kind, _, local = rest.partition("/")
    if source is None or kind not in _PAGES:
        return None
    return _PAGES[kind](source, local, dict(params))


def home(source: SampleSource, local: str, params: dict[str, str]) -> Reply:
    """The home page: name of the provider, a search form, and its latest records."""
    listing = source.holdings.listing(source.prefixes[0], "")
    shown = islice((record for record in reversed(listing) if not record.deleted), SHOWN)
    path = f"/{escape(quote(source.name))}"
    body = f"""<p lang="en">{escape(source.title_en)}</p><p>{escape(source.description)}</p>
<p><a href="{path}/oai?verb=Identify">OAI-PMH</a>　{len(source.holdings)}件</p>
<form action="{path}/openurl"><label>書名 <input name="rft.title"></label>
<label>ISBN <input name="rft.isbn"></label> <button>探す</button></form>"""
    return html_page(source.title or source.name, body + _record_links(source, shown))


def book_page(source: SampleSource, local: str, params: dict[str, str]) -> Reply:
    """The page of a record; 410 if the record is deleted."""
    record = source.holdings.find(local)
    if record is None:
        return not_found()
    if record.deleted:
        return html_page("この資料は削除されました", "", HTTPStatus.GONE)
    shown = read_record(record)
    rows = (
        ("著者", [agent.name for agent in shown.creators] or list(shown.responsibility)),
        ("出版者", [agent.name for agent in shown.publishers]),
        ("巻次", [volume.value for volume in shown.volumes]),
        ("出版年月", [shown.issued]),
        (
            "識別子",
            [f"{identifier.scheme} {identifier.printed or identifier.value}" for identifier in shown.identifiers],
        ),
        ("所蔵", [f"{item.holding_agent} {item.call_number}" for item in shown.items]),
        ("レコード", [record.identifier]),
    )
    facts = "".join(f"<dt>{name}</dt><dd>{escape('、'.join(filter(None, values)))}</dd>" for name, values in rows)
    xml = "".join(f' <a href="{escape(_xml_path(source, record, prefix))}">{prefix}</a>' for prefix in record.payloads)
    up = f'<p><a href="/{escape(quote(source.name))}/">{escape(source.title or source.name)}</a>　XML:{xml}</p>'
    return html_page(name_of(record), f"<dl>{facts}</dl>{up}")


def resolver(source: SampleSource, local: str, params: dict[str, str]) -> Reply:
    """OpenURL resolver: redirects to the page of the matching record, or lists several."""
    matches = matching_records(source, params)
    if not matches:
        return not_found()
    if len(matches) > 1:
        return html_page("見つかった資料", _record_links(source, matches))
    return Reply(b"", status=HTTPStatus.FOUND, headers=(("Location", page_path(source, matches[0])),))


def picture(source: SampleSource, local: str, params: dict[str, str]) -> Reply:
    """The picture of a record, or its IIIF manifest."""
    return (iiif(source.name, local) if source.holdings.find(local.partition("/")[0]) else None) or not_found()


def matching_records(source: SampleSource, params: dict[str, str]) -> list[SampleRecord]:
    """The records with the ISBN; if there is no ISBN or no such record, those with the title."""
    isbn = normalise("ISBN", next((params[key] for key in ISBN_KEYS if params.get(key)), ""))
    title = fold_tight(next((params[key] for key in TITLE_KEYS if params.get(key)), ""))
    matches: list[SampleRecord] = []
    if isbn:
        records = source.holdings.candidates(isbn, "")
        matches = [record for record in records if isbn in read_record(record).values("ISBN")]
    if title and not matches:
        matches = [record for record in source.holdings.candidates("", title) if title in titles(read_record(record))]
    return matches


def titles(record: BibliographicRecord) -> set[str]:
    """The forms of the title that a link may contain, folded."""
    return {fold_tight(text) for text in (record.title, record.display_title, f"{record.title} {record.volume}")}


def read_record(record: SampleRecord) -> BibliographicRecord:
    """Return the record as read from the first readable format; an empty record if none is readable."""
    readings = (_read(record.payloads[prefix]) for prefix in record.payloads)
    return next((reading for reading in readings if reading is not None), BibliographicRecord())


@lru_cache(maxsize=4096)
def _read(payload: bytes) -> BibliographicRecord | None:
    """Read a payload without validation: a provider shows its records even if they are wrong. None if unknown."""
    try:
        root = parse(payload)
    except XmlError:
        return None
    crosswalk = crosswalk_of(root.tag)
    return crosswalk.read(root).record if crosswalk else None


def name_of(record: SampleRecord) -> str:
    """The title of the record, else its identifier."""
    shown = read_record(record)
    return shown.display_title or f"{shown.title} {shown.volume}".strip() or record.identifier


def page_path(source: SampleSource, record: SampleRecord) -> str:
    """Return the path of the page of a record."""
    local = record.local_id
    if source.holdings.find(local) is not record:
        local = record.identifier
    return f"/{quote(source.name)}/books/{quote(local, safe='')}"


def html_page(title: str, body: str, status: int = HTTPStatus.OK) -> Reply:
    """Return a whole page. title: text; body: HTML."""
    shown = FRAME.format(title=escape(title), body=f"<h1>{escape(title)}</h1>{body}")
    return Reply(shown.encode(errors="replace"), status, "text/html; charset=UTF-8", (POLICY,))


def not_found() -> Reply:
    """Return the page for status 404."""
    return html_page("見つかりません", "<p>このページ、またはこの資料はありません。</p>", HTTPStatus.NOT_FOUND)


def _record_links(source: SampleSource, records: Iterable[SampleRecord]) -> str:
    return _links((page_path(source, record), name_of(record)) for record in records)


def _links(links: Iterable[tuple[str, str]]) -> str:
    return "<ul>" + "".join(f'<li><a href="{escape(url)}">{escape(name)}</a></li>' for url, name in links) + "</ul>"


def _xml_path(source: SampleSource, record: SampleRecord, prefix: str) -> str:
    query = {"verb": "GetRecord", "metadataPrefix": prefix, "identifier": record.identifier}
    return f"/{quote(source.name)}/oai?{urlencode(query)}"


_PAGES: dict[str, Callable[[SampleSource, str, dict[str, str]], Reply]] = {
    "": home,
    "books": book_page,
    "iiif": picture,
    "openurl": resolver,
}
