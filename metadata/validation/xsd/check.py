"""Checking a payload against the official schema (XSD) of its format. Pure but for the schema files of one folder.

What is found becomes a few issues that name the place and what the schema wants there. Each schema is compiled once
in a process, when the first record of its format comes; the checks may run in any number of threads.
"""

import re
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from metadata.issue import Issue
from metadata.validation.xsd.folder import SchemaError, SchemaFile, SchemaFolder
from metadata.vocabularies.namespaces import shorten

MOST = 5  # findings of one record that are told
# What is checked: libxml2 writes a sentence with the whole path for each fault, so all three must have an end.
MOST_NODES = 20_000  # elements and attributes; the largest real records have some thousand
DEEPEST = 24  # levels
LONGEST_NAME = 64  # characters of a name with its prefix
MOST_VERSIONS = 1000  # of formats, as records name them
LONGEST = 100  # characters of a place
_SHOWN, _NAMES = 120, 8  # characters of a value, names of what is expected

_count_nodes = etree.XPath("count(descendant-or-self::*) + count(descendant-or-self::*/@*)")
_is_odd = etree.XPath(
    f"boolean(descendant-or-self::*[string-length(name()) > {LONGEST_NAME}]) or boolean({'/'.join('*' * DEEPEST)})"
)
_MESSAGE = re.compile(r"Element '([^']*)'(?:, attribute '([^']*)')?: (.*)", re.DOTALL)
_EXPECTED = re.compile(r"Expected is (?:one of )?\( (.*) \)", re.DOTALL)
_ATTRIBUTE = re.compile(r"The attribute '([^']*)' is (not allowed|required but missing)")
_BEGUN = re.compile(r"(?:\[facet '\w+'\] The value )?'(.*)", re.DOTALL)  # libxml2 cuts what is too long
_TYPE = re.compile(r"'(.*)' is not a valid value of the .*type '([^']*)'", re.DOTALL)
_FACET = re.compile(r"\[facet '(\w+)'\] The value '(.*)' (?:is|has) .*?([{('].*[})'])\.\Z", re.DOTALL)


class Schemas:
    """The schemas that the operator has placed in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = SchemaFolder(folder)
        self._lock = threading.Lock()
        self._compiled: dict[tuple[str, str], _Checker | None] = {}

    def check(self, root: etree._Element) -> list[Issue]:
        """What the schema of the record's own namespace finds; nothing where there is none for it."""
        checker = self._checker(root)
        if checker is None:
            return []
        counted: Any = _count_nodes(root)
        nodes = int(counted)
        try:
            if nodes <= MOST_NODES and not _is_odd(root):
                return checker.check(root)
        except etree.XMLSchemaValidateError:  # a value that libxml2 finds no end of comparing
            pass
        return [Issue(code="xsd.I109", field=shorten(root.tag), value=str(nodes))]

    def _checker(self, root: etree._Element) -> "_Checker | None":
        key = (root.tag, root.get("version", "")[:20])
        if key not in self._compiled:
            with self._lock:
                if len(self._compiled) >= MOST_VERSIONS:  # every record pretends to be of another one
                    return self._prepared(*key)
                self._compiled[key] = self._prepared(*key)
        return self._compiled[key]

    def _prepared(self, tag: str, version: str) -> "_Checker | None":
        file = self.folder.main(tag, version) if tag.startswith("{") else None
        if file is None:
            return None
        try:
            return _checker_of(self.folder, file, tag[1:].partition("}")[0])
        except SchemaError:  # told by the system check, once for the installation
            return None


@cache
def schemas_in(folder: str) -> Schemas:
    """The schemas of a folder, the same object for the whole process."""
    return Schemas(Path(folder))


class _Checker:
    """One compiled schema. libxml2 only reads it while it checks, but lxml keeps one log of errors for it."""

    def __init__(self, schema: etree.XMLSchema) -> None:
        self._schema = schema
        self._lock = threading.Lock()

    def check(self, root: etree._Element) -> list[Issue]:
        with self._lock:
            if self._schema.validate(root):
                return []
            log: Any = self._schema.error_log
            errors = [(error.path or "", error.message or "") for error in log]
        issues = list(_unique(_issue(root, path, message) for path, message in errors[: MOST * 4]))
        if len(errors) > MOST * 4 or len(issues) > MOST:
            return [*issues[:MOST], Issue(code="xsd.I108", field=shorten(root.tag), value=str(len(errors)))]
        return issues


@cache
def _checker_of(folder: SchemaFolder, file: SchemaFile, namespace: str) -> _Checker:
    return _Checker(folder.compiled(file, namespace))


def _unique(issues: Iterator[Issue]) -> Iterator[Issue]:
    """One finding for each place: of a value libxml2 says first which rule it breaks, then that its type is wrong."""
    seen = set()
    for issue in issues:
        if (issue.code, issue.field) not in seen:
            seen.add((issue.code, issue.field))
            yield issue


def _issue(root: etree._Element, path: str, message: str) -> Issue:
    found = _MESSAGE.fullmatch(message)
    if found is None:
        return Issue(code="xsd.W106", field=_place(root, path, root.tag), value=_names_in(message))
    tag, attribute, text = found.groups()
    place = _place(root, path, tag)
    named = _ATTRIBUTE.match(text)
    if named:
        code = "xsd.W103" if named[2] == "not allowed" else "xsd.W104"
        return Issue(code=code, field=_short_place(f"{place}/@{shorten(named[1])}"))
    if attribute:
        place = _short_place(f"{place}/@{shorten(attribute)}")
    if text.startswith("This element is not expected"):
        return Issue(code="xsd.W101", field=place, value=_expected(text))
    if text.startswith("Missing child element"):
        return Issue(code="xsd.W102", field=place, value=_expected(text))
    if text.startswith("Character content other than whitespace"):
        return Issue(code="xsd.W107", field=place)
    value = _value(text)
    return Issue(code="xsd.W105" if value else "xsd.W106", field=place, value=value or _names_in(text))


def _place(root: etree._Element, path: str, tag: str) -> str:
    """Where it is below the root, as in "jpcoar:creator[2]/jpcoar:creatorName"."""
    steps = path.split("/")[2:]
    names = _walked(root, steps) if "*" in path else steps
    return _short_place("/".join(names) or shorten(tag))


def _short_place(place: str) -> str:
    """The end of it, which says most."""
    while len(place) > LONGEST and "/" in place:
        place = place.partition("/")[2]
    return place[-LONGEST:]


def _walked(root: etree._Element, steps: list[str]) -> list[str]:
    """The names on a way that libxml2 tells in numbers, because the record writes its elements without prefix."""
    names, node = [], root
    for step in steps:
        number = re.fullmatch(r"\*(?:\[(\d+)\])?", step)
        if number is None:
            return []
        node = node[int(number[1] or 1) - 1]
        same = sum(1 for _each in node.itersiblings(node.tag, preceding=True))
        following = next(node.itersiblings(node.tag), None)
        names.append(shorten(node.tag) + (f"[{same + 1}]" if same or following is not None else ""))
    return names


def _expected(text: str) -> str:
    found = _EXPECTED.search(text)
    names = found[1].split(", ") if found else []
    shown = [_short_name(name) for name in names[:_NAMES]]
    return ", ".join([*shown, "…"] if len(names) > _NAMES else shown) or "–"


def _short_name(name: str) -> str:
    """libxml2 writes ##other{namespace}* where any element of another namespace may stand."""
    return shorten(name) if name.startswith("{") else name


def _value(text: str) -> str:
    """What stands there and, in brackets, what may; "" where the message is about something else."""
    facet = _FACET.match(text)
    if facet:
        name, value, wanted = facet.groups()
        wanted = wanted.strip("{}()").replace("'", "") if name != "pattern" else wanted.strip("'")
        return (
            f"{_shortened(value)} [{_shortened(wanted if name in {'enumeration', 'pattern'} else f'{name} {wanted}')}]"
        )
    typed = _TYPE.match(text)
    if typed:
        return f"{_shortened(typed[1])} [{_shortened(typed[2].rpartition('}')[2])}]"
    begun = _BEGUN.match(text)
    return f"{_shortened(begun[1])} [–]" if begun else ""


def _wanted(facet: str, text: str) -> str:
    """What the facet allows, without libxml2's marks around it."""
    if facet == "pattern":
        return text.strip("'")
    plain = text.strip("{}()").replace("'", "")
    return plain if facet == "enumeration" else f"{facet} {plain}"


def _names_in(text: str) -> str:
    return _shortened(re.sub(r"\{[^{}]*\}[\w.-]+", lambda name: shorten(name[0]), text[: _SHOWN * 8]))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
