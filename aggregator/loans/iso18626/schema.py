"""Checks a message against our own RELAX NG, `iso18626.rng`, and says which element is wrong. Pure but for that file.

libxml2's messages often name neither the element nor what is missing. So the element is found by its path, and
what is allowed and required in it is read from the grammar itself.
"""

import re
import threading
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from aggregator.loans.iso18626.errors import MessageError
from aggregator.loans.iso18626.messages import NAMESPACE
from metadata.xml.parsing import PARSER_OPTIONS

_FILE = Path(__file__).with_name("iso18626.rng")
_RNG = "{http://relaxng.org/ns/structure/1.0}"
_STEP = re.compile(r"(?:[^:\[]*:)?([^:\[]+)(?:\[([0-9]+)\])?")
_CODES = {"action": "iso18626.E009", "reasonForMessage": "iso18626.E010"}  # values with an error of their own
_MOST_NAMES = 5
_lock = threading.Lock()  # a schema has only one error log


class _Content(NamedTuple):
    """The children of an element, in order, and those of them that it must have."""

    allowed: tuple[str, ...]
    required: tuple[str, ...]


def check(root: etree._Element) -> None:
    """Raise MessageError for the first thing in which the message differs from the schema."""
    schema = _schema()
    with _lock:
        if schema.validate(root):
            return
        log: Any = schema.error_log
        errors = [(error.type_name, error.path or "") for error in log]
    raise _error(root, errors)


def place_of(element: etree._Element) -> str:
    """Return the path of an element below the root, such as "request/header/timestamp"."""
    names = [_name(node) for node in (element, *element.iterancestors())]
    return "/".join(reversed(names[:-1])) or names[-1]


@cache
def _schema() -> etree.RelaxNG:
    return etree.RelaxNG(_grammar())


@cache
def _grammar() -> etree._Element:
    return etree.fromstring(_FILE.read_bytes(), etree.XMLParser(**PARSER_OPTIONS))


def _error(root: etree._Element, errors: list[tuple[str, str]]) -> MessageError:
    """The first error that names an element below the message; the one with the longest path is the closest."""
    kind, path = max(errors[:20], key=lambda error: error[1].count("/"), default=("", ""))
    element = _find(root, path)
    if "ATTR" in kind:
        return MessageError("iso18626.E011", place_of(element if element.attrib else _parent(element)))
    for node in (element, element.getparent()):
        if node is not None and (problem := _wrong_children(node)):
            return problem
    content = _contents().get(_key(element), _Content((), ()))
    if kind == "RELAXNG_ERR_NOELEM" and content.allowed:  # there is a choice of elements
        return MessageError("iso18626.E007", place_of(element), " / ".join(content.allowed))
    if "ELEM" in kind or "INTER" in kind or content.allowed:
        return MessageError("iso18626.E006", place_of(_parent(element)), _name(element))
    return MessageError(_CODES.get(_name(element), "iso18626.E008"), place_of(element), element.text or "")


def _wrong_children(element: etree._Element) -> MessageError | None:
    """Children that the element may not have, that it lacks, or that are in another order than in the schema."""
    content = _contents().get(_key(element))
    if content is None or not content.allowed:
        return None
    names = [_name(child) for child in element]
    place = place_of(element)
    if unknown := [name for name in names if name not in content.allowed]:
        return MessageError("iso18626.E005", place, unknown[0])
    if missing := [name for name in content.required if name not in names]:
        return MessageError("iso18626.E007", place, ", ".join(missing[:_MOST_NAMES]))
    order = [content.allowed.index(name) for name in names]
    wrong = next((number for number, pair in enumerate(pairwise(order)) if pair[0] > pair[1]), None)
    return MessageError("iso18626.E006", place, names[wrong + 1]) if wrong is not None else None


def _parent(element: etree._Element) -> etree._Element:
    parent = element.getparent()
    return element if parent is None else parent


def _find(root: etree._Element, path: str) -> etree._Element:
    """The element of a path such as "/*/*[2]" or "/i:ISO18626Message/i:request", as far as it exists."""
    node = root
    for step in path.split("/")[2:]:
        match = _STEP.fullmatch(step)
        if match is None:
            return node
        children = [child for child in node if match[1] in ("*", _name(child))]
        index = int(match[2] or 1) - 1
        if index >= len(children):
            return node
        node = children[index]
    return node


def _name(element: etree._Element) -> str:
    """The name without our namespace; with its namespace if that is another one."""
    return element.tag.removeprefix(f"{{{NAMESPACE}}}")


def _key(element: etree._Element) -> tuple[str, str]:
    parent = element.getparent()
    return ("" if parent is None else _name(parent), _name(element))


@cache
def _contents() -> dict[tuple[str, str], _Content]:
    """The content of every element, by the name of its parent and its own."""
    grammar = _grammar()
    defines = {define.get("name", ""): define for define in grammar.iterchildren(f"{_RNG}define")}
    contents: dict[tuple[str, str], _Content] = {}
    to_visit = [("", element) for element in grammar.iterfind(f"{_RNG}start/{_RNG}element")]
    while to_visit:
        parent, element = to_visit.pop()
        name = element.get("name", "")
        children = list(_children(element, defines, required=True))
        contents[parent, name] = _Content(
            tuple(dict.fromkeys(child.get("name", "") for child, _required in children)),
            tuple(dict.fromkeys(child.get("name", "") for child, required in children if required)),
        )
        to_visit.extend((name, child) for child, _required in children)
    return contents


def _children(
    pattern: etree._Element, defines: dict[str, etree._Element], *, required: bool
) -> Iterator[tuple[etree._Element, bool]]:
    """The element patterns inside a pattern, through references, and whether each must be there."""
    for inner in pattern:
        kind = str(inner.tag).removeprefix(_RNG)
        if kind == "element":
            yield inner, required
        elif kind == "ref":
            yield from _children(defines[inner.get("name", "")], defines, required=required)
        elif kind != "attribute":
            must = required and kind not in ("optional", "zeroOrMore", "choice")
            yield from _children(inner, defines, required=must)
