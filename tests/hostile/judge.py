"""Checks whether a response of the site used hostile text as markup, a formula, a header or a link."""

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator

import lxml.html
from django.http import HttpResponse
from lxml import etree

# Elements that no page of the site has
FOREIGN = {"iframe", "object", "embed", "base", "style", "math", "mtext", "template", "xmp", "marquee", "video", "x",
           "source", "u", "frame", "applet"}  # fmt: skip
OFTEN = {"b", "q", "a", "button"}  # elements of the site's pages as well as of the payloads
LINKING = {"href", "src", "action", "formaction", "data", "poster", "xlink:href", "cite", "background", "srcset"}
OURS = {"http", "https", "mailto", "tel"}
SCRIPTS = {"alert(7)", "xss_probe()", "fetch('//evil.example')"}  # in the payloads
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
DATA = {"application/json", "application/ld+json"}
XHTML = "{http://www.w3.org/1999/xhtml}"
CANARY = "xq"


def content_of(answer: HttpResponse) -> bytes:
    """Return the whole body, streamed or not."""
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def faults(answer: HttpResponse, body: bytes) -> Iterator[str]:
    """Yield what is wrong with a response, by the rules for its content type."""
    yield from header_faults(answer)
    kind = answer.get("Content-Type", "").partition(";")[0]
    known = [judge for ending, judge in JUDGES.items() if kind.endswith(ending)]
    if known:
        yield from known[0](body)
    elif body and kind not in PLAIN:
        yield f"an answer of the type {kind!r}, which this test cannot check"


PLAIN = {"text/plain", "text/x-bibtex", "application/x-bibtex", "application/octet-stream", "text/javascript"}
RIS = r"[A-Z][A-Z0-9]  - "


def header_faults(answer: HttpResponse) -> Iterator[str]:
    """Yield injected header lines, redirects to other sites, and missing security headers."""
    for name, value in answer.items():
        if re.search(r"[\r\n\x00]", value) or (name == "Set-Cookie" and value.startswith("x=")):
            yield f"header {name}: {value!r}"
    if answer.get("X-Content-Type-Options") != "nosniff":
        yield "the type may be guessed"
    if "Content-Security-Policy" not in answer and "html" in answer.get("Content-Type", ""):
        yield "no Content-Security-Policy"
    yield from place_faults(answer.get("Location", ""))


def place_faults(address: str) -> Iterator[str]:
    """Yield the address if it leads to another site."""
    if address and not re.match(r"/(?![/\\])|[?#]|http://(testserver|127\.0\.0\.1:8000)/", address):
        yield f"leads to {address!r}"


def html_faults(body: bytes) -> Iterator[str]:
    """Yield elements, attributes and links that the site itself does not write."""
    page = body.replace(b"\x00", "\ufffd".encode())
    for element in lxml.html.document_fromstring(page, UTF8).iter(etree.Element) if page.strip() else ():
        tag = str(element.tag).lower()
        text = (element.text or "").strip()
        if tag in FOREIGN or tag.startswith(CANARY) or (tag in OFTEN and _text(element) in SCRIPTS):
            yield f"<{tag}> {text[:60]}"
        if tag == "script" and not _own_script(element):
            yield f"<script> {text[:60]}"
        if element.get("rel") == "stylesheet" and not element.get("href", "").startswith("/static/"):
            yield f"style of {element.get('href')}"
        for name, value in element.items():
            yield from _attribute_faults(tag, name.lower(), value)


UTF8 = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)


def _text(element: lxml.html.HtmlElement) -> str:
    """The whole text: that before the first mark of a hit may look like a script."""
    return "".join(element.itertext()).strip()


def _own_script(element: lxml.html.HtmlElement) -> bool:
    if element.get("type") in DATA:
        json.loads(element.text or "")
        return True
    return element.get("src", "").startswith(("/static/", "/admin/jsi18n/")) and not (element.text or "").strip()


def _attribute_faults(tag: str, name: str, value: str) -> Iterator[str]:
    if name.startswith(("on", CANARY)) or name in {"style", "srcdoc"}:
        yield f"<{tag} {name}={value[:60]!r}>"
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", re.sub(r"[\x00-\x20\ufffd]", "", value).lower())
    if name in LINKING and scheme and scheme[1] not in OURS:
        yield f"<{tag} {name}={value[:60]!r}>"
    if tag == "meta" and name == "content" and re.search(r"^\s*\d+\s*;.*(script|data):", value, re.IGNORECASE):
        yield f"<meta content={value[:60]!r}>"


def xml_faults(body: bytes) -> Iterator[str]:
    """Yield a syntax error, and elements, attributes and links that the site itself does not write."""
    try:
        root = etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        yield f"XML: {error}"
        return
    for element in root.iter(etree.Element):
        tag = str(element.tag)
        if tag.startswith(XHTML + "script") or etree.QName(element).localname.startswith(CANARY):
            yield f"<{tag}>"
        for name, value in element.items():
            yield from _attribute_faults(tag, name, value)


def _json_faults(body: bytes) -> Iterator[str]:
    return _lines_faults(body, [body])


def _lines_faults(body: bytes, lines: list[bytes] | None = None) -> Iterator[str]:
    """Yield a syntax error of JSON Lines, or of the given lines."""
    try:
        for line in body.splitlines() if lines is None else lines:
            json.loads(line)
    except ValueError as error:
        yield f"JSON: {error}"


def _ris_faults(body: bytes) -> Iterator[str]:
    yield from (f"RIS {line!r}" for line in body.decode().split("\r\n") if line and not re.match(RIS, line))


def _csv_faults(body: bytes) -> Iterator[str]:
    for row in csv.reader(io.StringIO(body.decode("utf-8-sig"), newline="")):
        yield from (f"a formula in CSV: {cell!r}" for cell in row if cell.startswith(FORMULA) and not _number(cell))


def _number(cell: str) -> bool:
    return bool(re.fullmatch(r"-?\d+(\.\d+)?", cell))


def _zip_faults(body: bytes) -> Iterator[str]:
    packed = zipfile.ZipFile(io.BytesIO(body))
    for name in packed.namelist():
        text = packed.read(name)
        if name.endswith((".xml", ".rels")):
            yield from xml_faults(text)
        if "sheet" in name and (b"<f>" in text or b"<hyperlink" in text):
            yield f"a formula or a link in {name}"


def _packed_faults(body: bytes) -> Iterator[str]:
    text = gzip.decompress(body)
    yield from xml_faults(text) if text.startswith(b"<") else _lines_faults(text)


# End of the content type -> its check
JUDGES: dict[str, Callable[[bytes], Iterator[str]]] = {
    "html": html_faults,
    "jsonl": _lines_faults,
    "ndjson": _lines_faults,
    "json": _json_faults,
    "xml": xml_faults,
    "csv": _csv_faults,
    "gzip": _packed_faults,
    "zip": _zip_faults,
    "sheet": _zip_faults,
    "research-info-systems": _ris_faults,
}
