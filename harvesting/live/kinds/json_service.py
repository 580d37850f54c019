"""Asks services that answer in JSON, by a mapping that staff enter: a new service needs no code.

A path leads from an object to values: names joined by dots; lists on the way stand for all their members.
"""

from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from harvesting.live.options import Options, read_options
from harvesting.live.templates import check as check_template
from harvesting.live.templates import request_by_template
from harvesting.live.types import (
    ANY,
    MAX_BYTES,
    MAX_HITS,
    TITLE,
    Described,
    Fetch,
    Found,
    LiveError,
    LiveProtocol,
    LiveSource,
    Question,
    RawHit,
    Request,
    Word,
    total_of,
)
from harvesting.types import Observation
from metadata.formats.json.columns import COLUMNS, known_heading, read_row
from metadata.formats.json.read import write
from metadata.links import fill_template, safe_href, split_url

MOST_FIELDS = 60
MAX_DEPTH = 8  # names that a path may have
MAX_VALUES = 50  # values that are read of one field of one record
MAX_TEXT = 4000  # characters that are read of one value
_EXAMINED = 5  # records that a mapping is proposed from
_TOTALS = ("totalresults", "totalitems", "totalcount", "total", "numfound", "total_count", "hits", "count")
_UNSAFE = frozenset(".{}=\n\r")  # characters that names in a path cannot have
_OF_ROWS = ("deleted", "datestamp", "identifier")  # columns that say something about rows of a file
MAPPED = tuple(name for name in COLUMNS if name not in _OF_ROWS)


def request_for(source: LiveSource, question: Question, start: int, limit: int) -> Request:
    """Return the request for a question; the address of the source is its template."""
    return request_by_template(source.address, read_options(source.options), question, start, limit)


def find(source: LiveSource, body: bytes, content_type: str) -> Found:
    """Return the records of an answer. Raises LiveError "live.not_json" or "live.no_items"."""
    options = read_options(source.options)
    answer = decoded(body)
    items = items_of(answer, options.items)
    total, observations = total_of(next(texts_at(answer, options.total), "") if options.total else "", len(items))
    hits = tuple(_hit(item, options) for item in items[:MAX_HITS] if isinstance(item, dict))
    if len(items) > MAX_HITS:
        observations = (*observations, Observation(code="live.too_many", facts={"count": len(items)}))
    return Found(hits=hits, total=total, observations=observations)


def decoded(body: bytes) -> Any:
    """Return the answer as Python values."""
    if len(body) > MAX_BYTES:
        raise LiveError("live.too_large")
    try:
        return msgspec.json.decode(body.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LiveError("live.not_json", str(error)[:200]) from error


def items_of(answer: Any, path: str) -> list[Any]:
    """Return the list at a path; "" = the answer itself. A source may leave out the list if there are no hits."""
    value = answer
    for name in path.split(".") if path else ():
        if not isinstance(value, dict):
            raise LiveError("live.no_items", path)
        value = value.get(name)
    if value is None and path:
        return []
    if not isinstance(value, list):
        raise LiveError("live.no_items", path or "-")
    return value


def texts_at(value: Any, path: str) -> Iterator[str]:
    """Yield the texts and numbers that a path leads to, at most MAX_VALUES."""
    values = [value]
    for name in path.split("."):
        values = [inner[name] for outer in values for inner in _members(outer) if isinstance(inner, dict)
                  and name in inner][:MAX_VALUES]  # fmt: skip
    for member in [member for outer in values for member in _members(outer)][:MAX_VALUES]:
        if isinstance(member, str | int | float) and not isinstance(member, bool):
            yield str(member)[:MAX_TEXT]


def _members(value: Any) -> list[Any]:
    return value[:MAX_VALUES] if isinstance(value, list) else [value]


def _hit(item: dict[str, Any], options: Options) -> RawHit:
    cells = [(column, text) for path, column in options.fields.items() for text in texts_at(item, path)]
    record = read_row(cells).record
    return RawHit(link=_link(item, options.link), payload=write(record))


def _link(item: dict[str, Any], link: str) -> str:
    """The address of a record: the value at a path, or a template that is filled with values at paths."""
    if "{" not in link:
        return safe_href(next(texts_at(item, link), "")) if link else ""
    places = link_paths(link)
    return fill_template(link, {path: next(texts_at(item, path), "").encode() for path in places})


def link_paths(template: str) -> list[str]:
    """The paths in the braces of a template."""
    return [part.partition("}")[0] for part in template.split("{")[1:]]


def describe(fetch: Fetch, address: str, words: str) -> Described:
    """Return a proposed mapping and an example, from the answer to a search for these words."""
    options = Options()
    requests = (
        request_by_template(address, options, Word(field, words), 1, options.page_size) for field in (ANY, TITLE)
    )
    url = next((request.url for request in requests if request.url), "")
    if not url:
        raise LiveError("live.nothing_asked", words)
    answer = decoded(fetch(url, {}).body)
    options = proposed(answer)
    items = items_of(answer, options.items) if options.fields else []
    shown = items[0] if items else answer
    return Described(options, msgspec.json.format(msgspec.json.encode(shown)).decode()[:MAX_TEXT])


def proposed(answer: Any) -> Options:
    """Return the mapping that the names in an answer suggest."""
    items, records = _longest_list(answer)
    fields: dict[str, str] = {}
    for path in dict.fromkeys(path for record in records[:_EXAMINED] for path in _paths(record)):
        column = known_heading(path.rpartition(".")[2]) or known_heading(path)
        if column in MAPPED and column not in fields.values():
            fields[path] = column
    link = next((path for path, column in fields.items() if column == "url"), "")
    return Options(items=items, fields=fields, link=link, total=_total_path(answer))


def _longest_list(answer: Any) -> tuple[str, list[Any]]:
    """Path and members of the longest list of objects; of equal ones the outermost."""
    best: tuple[str, list[Any]] = ("", [])
    waiting: deque[tuple[str, Any]] = deque([("", answer)])
    while waiting:
        path, value = waiting.popleft()
        if isinstance(value, list) and len(value) > len(best[1]) and isinstance(value[0], dict):
            best = (path, value)
        if isinstance(value, dict) and path.count(".") < MAX_DEPTH:
            waiting.extend((f"{path}.{name}" if path else name, inner) for name, inner in _named(value))
    return best


def _named(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the members of an object that a path can lead to."""
    return ((name, inner) for name, inner in value.items() if name and _UNSAFE.isdisjoint(name))


def _paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths to texts and numbers in a record."""
    if isinstance(value, dict) and path.count(".") < MAX_DEPTH:
        for name, inner in _named(value):
            yield from _paths(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for inner in value[:_EXAMINED]:
            yield from _paths(inner, path)
    elif path and isinstance(value, str | int | float):
        yield path


def _total_path(answer: Any) -> str:
    numbers = {path for path in _number_paths(answer) if path.rpartition(".")[2].lower() in _TOTALS}
    return min(numbers, key=lambda path: _TOTALS.index(path.rpartition(".")[2].lower()), default="")


def _number_paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths to numbers outside lists."""
    if isinstance(value, dict) and path.count(".") < MAX_DEPTH:
        for name, inner in _named(value):
            yield from _number_paths(inner, f"{path}.{name}" if path else name)
    elif path and isinstance(value, int) and not isinstance(value, bool):
        yield path


def check(options: Options) -> str:
    """See `LiveProtocol`."""
    paths = [options.items, options.total, *options.fields, *link_paths(options.link)]
    if any(path.count(".") >= MAX_DEPTH for path in paths) or len(options.fields) > MOST_FIELDS:
        return "options"
    if not set(options.fields.values()) <= set(MAPPED) or "title" not in options.fields.values():
        return "fields"
    if "{" in options.link and split_url(options.link.partition("{")[0]) is None:
        return "template.address"
    return check_template(options.search_page) if options.search_page else ""


PROTOCOL = LiveProtocol(
    request_for=request_for, find=find, describe=describe, check_address=check_template, check=check
)
