"""Validates payloads against the official schema (XSD) of their format. Pure except for reading schema files.

Errors become a few issues that name the place and what the schema requires there. Each schema is compiled once per
process, when the first record of its format is checked; checks may run in any number of threads.
"""

import re
import threading
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from lxml import etree

from metadata.issue import Issue
from metadata.validation.xsd.folder import SchemaError, SchemaFile, SchemaFolder
from metadata.vocabularies.namespaces import shorten

MAX_ISSUES = 5  # reported for one record
# Records beyond these three limits are not checked: libxml2 writes a message with the whole path for every error, so
# the length of all messages grows with each of them.
MAX_NODES = 20_000  # elements and attributes; the largest real records have some thousand
MAX_DEPTH = 24  # levels of nested elements
MAX_NAME_LENGTH = 64  # characters of a name with its prefix
MAX_VERSIONS = 1000  # entries of the cache: versions of formats, as records name them
MAX_PLACE_LENGTH = 100  # characters of a place
_SHOWN, _MAX_NAMES = 120, 8  # characters of a value; expected elements that are listed

_count_nodes = etree.XPath("count(descendant-or-self::*) + count(descendant-or-self::*/@*)")
_exceeds_limits = etree.XPath(
    f"boolean(descendant-or-self::*[string-length(name()) > {MAX_NAME_LENGTH}]) or boolean({'/'.join('*' * MAX_DEPTH)})"
)
_MESSAGE = re.compile(r"Element '([^']*)'(?:, attribute '([^']*)')?: (.*)", re.DOTALL)
_EXPECTED = re.compile(r"Expected is (?:one of )?\( (.*) \)", re.DOTALL)
_ATTRIBUTE = re.compile(r"The attribute '([^']*)' is (not allowed|required but missing)")
_CUT_OFF = re.compile(r"(?:\[facet '\w+'\] The value )?'(.*)", re.DOTALL)  # libxml2 cuts off long messages
_TYPE = re.compile(r"'(.*)' is not a valid value of the .*type '([^']*)'", re.DOTALL)
_FACET = re.compile(r"\[facet '(\w+)'\] The value '(.*)' (?:is|has) .*?([{('].*[})'])\.\Z", re.DOTALL)


class Schemas:
    """The schemas that the operator has placed in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = SchemaFolder(folder)
        self._lock = threading.Lock()
        self._compiled: dict[tuple[str, str], _Checker | None] = {}

    def check(self, root: etree._Element) -> list[Issue]:
        """Return the issues by the schema of the record's namespace; none if there is no schema for it.

        A record that is too large to check gets one issue that says so.
        """
        checker = self._checker(root)
        if checker is None:
            return []
        counted: Any = _count_nodes(root)
        nodes = int(counted)
        try:
            if nodes <= MAX_NODES and not _exceeds_limits(root):
                return checker.check(root)
        except etree.XMLSchemaValidateError:  # libxml2 gave up on comparing a value
            pass
        return [Issue(code="xsd.I109", field=shorten(root.tag), value=str(nodes))]

    def _checker(self, root: etree._Element) -> "_Checker | None":
        key = (root.tag, root.get("version", "")[:20])
        if key not in self._compiled:
            with self._lock:
                if len(self._compiled) >= MAX_VERSIONS:  # records with ever new versions must not fill the cache
                    return self._load(*key)
                self._compiled[key] = self._load(*key)
        return self._compiled[key]

    def _load(self, tag: str, version: str) -> "_Checker | None":
        file = self.folder.schema_for(tag, version) if tag.startswith("{") else None
        if file is None:
            return None
        try:
            return _compiled_checker(self.folder, file, tag[1:].partition("}")[0])
        except SchemaError:  # reported by the system check, once for the installation
            return None


@lru_cache(maxsize=8)
def schemas_in(folder: str) -> Schemas:
    """Return the schemas of a folder; the same object for the whole process."""
    return Schemas(Path(folder))


class _Checker:
    """One compiled schema. The lock protects the error log, of which lxml has only one per schema."""

    def __init__(self, schema: etree.XMLSchema) -> None:
        self._schema = schema
        self._lock = threading.Lock()

    def check(self, root: etree._Element) -> list[Issue]:
        with self._lock:
            if self._schema.validate(root):
                return []
            log: Any = self._schema.error_log
            errors = [(error.path or "", error.message or "") for error in log]
        issues = list(_unique(_issue(root, path, message) for path, message in errors[: MAX_ISSUES * 4]))
        if len(errors) > MAX_ISSUES * 4 or len(issues) > MAX_ISSUES:
            return [*issues[:MAX_ISSUES], Issue(code="xsd.I108", field=shorten(root.tag), value=str(len(errors)))]
        return issues


@lru_cache(maxsize=256)
def _compiled_checker(folder: SchemaFolder, file: SchemaFile, namespace: str) -> _Checker:
    return _Checker(folder.compile_schema(file, namespace))


def _unique(issues: Iterator[Issue]) -> Iterator[Issue]:
    """One issue for each code and place: libxml2 reports a bad value twice, with the facet and then with the type."""
    seen = set()
    for issue in issues:
        if (issue.code, issue.field) not in seen:
            seen.add((issue.code, issue.field))
            yield issue


def _issue(root: etree._Element, path: str, message: str) -> Issue:
    match = _MESSAGE.fullmatch(message)
    if match is None:
        return Issue(code="xsd.W106", field=_place(root, path, root.tag), value=_names_in(message))
    tag, attribute, text = match.groups()
    place = _place(root, path, tag)
    attribute_error = _ATTRIBUTE.match(text)
    if attribute_error:
        code = "xsd.W103" if attribute_error[2] == "not allowed" else "xsd.W104"
        return Issue(code=code, field=_short_place(f"{place}/@{shorten(attribute_error[1])}"))
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
    """The path below the root, such as "jpcoar:creator[2]/jpcoar:creatorName"."""
    steps = path.split("/")[2:]
    names = _named_steps(root, steps) if "*" in path else steps
    return _short_place("/".join(names) or shorten(tag))


def _short_place(place: str) -> str:
    """The end of a place that is too long: the end is the most informative part."""
    while len(place) > MAX_PLACE_LENGTH and "/" in place:
        place = place.partition("/")[2]
    return place[-MAX_PLACE_LENGTH:]


def _named_steps(root: etree._Element, steps: list[str]) -> list[str]:
    """The names for a path of "*[2]" steps, which libxml2 gives if the elements have no prefix."""
    names, node = [], root
    for step in steps:
        number = re.fullmatch(r"\*(?:\[(\d+)\])?", step)
        if number is None:
            return []
        node = node[int(number[1] or 1) - 1]
        same = sum(1 for _ in node.itersiblings(node.tag, preceding=True))
        following = next(node.itersiblings(node.tag), None)
        names.append(shorten(node.tag) + (f"[{same + 1}]" if same or following is not None else ""))
    return names


def _expected(text: str) -> str:
    match = _EXPECTED.search(text)
    names = match[1].split(", ") if match else []
    shown = [_short_name(name) for name in names[:_MAX_NAMES]]
    return ", ".join([*shown, "…"] if len(names) > _MAX_NAMES else shown) or "–"


def _short_name(name: str) -> str:
    """A prefixed name. Where any element of another namespace is allowed, libxml2 writes ##other{namespace}*."""
    return shorten(name) if name.startswith("{") else name


def _value(text: str) -> str:
    """Return the value and, in brackets, what is allowed; "" if the message of libxml2 is about something else."""
    facet = _FACET.match(text)
    if facet:
        name, value, wanted = facet.groups()
        return f"{_shortened(value)} [{_shortened(_wanted(name, wanted))}]"
    typed = _TYPE.match(text)
    if typed:
        return f"{_shortened(typed[1])} [{_shortened(typed[2].rpartition('}')[2])}]"
    cut_off = _CUT_OFF.match(text)
    return f"{_shortened(cut_off[1])} [–]" if cut_off else ""


def _wanted(facet: str, text: str) -> str:
    """What the facet allows, without libxml2's quotation marks and brackets."""
    if facet == "pattern":
        return text.strip("'")
    plain = text.strip("{}()").replace("'", "")
    return plain if facet == "enumeration" else f"{facet} {plain}"


def _names_in(text: str) -> str:
    return _shortened(re.sub(r"\{[^{}]*\}[\w.-]+", lambda match: shorten(match[0]), text[: _SHOWN * 8]))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
