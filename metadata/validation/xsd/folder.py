"""The folder in which an operator has placed official schemas: finding and compiling them. No network access.

Files may be anywhere below the folder; one from http://host/path may be at host/path. Schemas that are included or
imported are searched here too, never outside the folder. No file is changed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

from metadata.vocabularies.namespaces import DC, JPCOAR_VERSIONS, RDF, XLINK, XML
from metadata.xml.parsing import PARSER_OPTIONS

MAX_FILES = 1000
MAX_FILE_BYTES = 2 * 1024 * 1024  # the largest official schema has 80 kB
_XS = "{http://www.w3.org/2001/XMLSchema}"
_NUMBER = re.compile(r"(\d+)[-._](\d+)")
# Addresses that official schemas import -> namespace. Those of XML and XLink exist in several editions, which do not
# differ for our purpose, so any of them is used.
IMPORTED = {
    "www.w3.org/2001/xml.xsd": XML,
    "www.w3.org/2001/03/xml.xsd": XML,
    "www.w3.org/2009/01/xml.xsd": XML,
    "www.loc.gov/mods/xml.xsd": XML,
    "www.loc.gov/standards/xlink/xlink.xsd": XLINK,
    "dublincore.org/schemas/xmls/simpledc20021212.xsd": DC,
}
_INTERCHANGEABLE = frozenset({XML, XLINK})
_BY_NAME = {address.rpartition("/")[2]: namespace for address, namespace in IMPORTED.items()}


class SchemaError(Exception):
    """A schema cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """One file: its target namespace, and the root elements that it declares."""

    path: Path
    namespace: str
    roots: frozenset[str]

    @property
    def number(self) -> tuple[int, ...]:
        """The version in the name of the file (mods-3-8.xsd), () if it has none."""
        match = _NUMBER.search(self.path.stem)
        return tuple(map(int, match.groups())) if match else ()

    @property
    def is_official(self) -> bool:
        return not any(word in str(self.path).lower() for word in ("unofficial", "reconstructed"))


class SchemaFolder:
    """The schemas of one folder, read on first use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    @cached_property
    def files(self) -> tuple[SchemaFile, ...]:
        """The readable schemas, sorted by path. Links that lead outside the folder are left out."""
        return tuple(filter(None, map(_read_file, self._paths())))

    def _paths(self) -> Iterator[Path]:
        for number, path in enumerate(sorted(self.folder.rglob("*.xsd"))):
            if number == MAX_FILES:
                return
            if self.contains(path) and path.is_file() and path.stat().st_size <= MAX_FILE_BYTES:
                yield path

    def contains(self, path: Path) -> bool:
        """Whether the path is inside the folder after links are resolved."""
        return path.resolve().is_relative_to(self.folder)

    def schema_for(self, tag: str, version: str = "") -> SchemaFile | None:
        """Return the schema for a root element, None if there is none. version: of the record, as far as known.

        If the folder has no schema of this version, the next later one is used, else the newest.
        """
        namespace, _brace, name = tag[1:].partition("}")
        wanted = JPCOAR_VERSIONS.get(namespace, namespace)
        candidates = [
            file
            for file in self.files
            if JPCOAR_VERSIONS.get(file.namespace, file.namespace) == wanted
            and name in file.roots
            and (namespace != RDF or self._is_dcndl(file))
        ]
        candidates = [file for file in candidates if file.is_official] or candidates
        number = tuple(map(int, re.findall(r"\d+", version)[:2]))
        later = sorted((file for file in candidates if file.number >= number), key=lambda file: file.number)
        newest = max(candidates, key=lambda file: file.number, default=None)
        return later[0] if number and later else newest

    def _is_dcndl(self, file: SchemaFile) -> bool:
        """Whether a schema for rdf:RDF is in a folder "dcndl": other RDF schemas do not describe DC-NDL's elements."""
        return "dcndl" in file.path.relative_to(self.folder).parts[:-1]

    def unusable_reason(self, tag: str) -> str | None:
        """Return why documents with this root element cannot be checked; None: there is no schema; "": they can be."""
        file = self.schema_for(tag)
        if file is None:
            return None
        try:
            self.compile_schema(file, tag[1:].partition("}")[0])
        except SchemaError as error:
            return f"{file.path.relative_to(self.folder)}: {error}"
        return ""

    def locate(self, address: str) -> Path | None:
        """Return the file for an address or a path that a schema refers to; None if the folder has none."""
        place = unquote(re.sub(r"^(https?|file):/*", lambda match: "/" if match[1] == "file" else "", address))
        path = self.folder / place  # an absolute path replaces the folder
        if self.contains(path) and path.is_file():
            return path
        name = place.rpartition("/")[2]
        namespace = IMPORTED.get(place) or _BY_NAME.get(name)
        candidates = [file.path for file in self.files if file.namespace == namespace]
        same = [path for path in candidates if path.name == name]
        return next(iter(same or (candidates if namespace in _INTERCHANGEABLE else [])), None)

    def compile_schema(self, file: SchemaFile, namespace: str) -> etree.XMLSchema:
        """Compile a schema for documents that use this spelling of its namespace. Raises SchemaError."""
        resolver = _Resolver(self, file.namespace, namespace)
        try:
            document = etree.fromstring(resolver.text(file.path), _parser(resolver), base_url=str(file.path))
            return etree.XMLSchema(document)
        except (etree.LxmlError, OSError, SchemaError) as error:
            raise SchemaError(resolver.missing or str(error)) from error


class _Resolver(etree.Resolver):
    """Finds included and imported schemas, in the folder only.

    own: the namespace of the schema; written: the spelling in the documents, which replaces it. So a schema for one of
    JPCOAR's two hosts also serves the other.
    """

    def __init__(self, folder: SchemaFolder, own: str, written: str) -> None:
        self._folder, self._own, self._written = folder, own.encode(), written.encode()
        self.missing = ""

    def text(self, path: Path) -> bytes:
        data = path.read_bytes()
        return data if self._own == self._written else data.replace(self._own, self._written)

    def resolve(self, system_url: str, public_id: str, context: Any) -> Any:  # type: ignore[override]  # as it is called
        """Return the schema or raise SchemaError. For None, libxml2 would search for the schema anywhere."""
        path = self._folder.locate(system_url)
        if path is None:
            self.missing = self.missing or f"{system_url} is not in the folder"
            raise SchemaError(self.missing)
        return self.resolve_string(self.text(path), context, base_url=str(path))


def _parser(resolver: _Resolver | None = None) -> etree.XMLParser:
    parser = etree.XMLParser(**PARSER_OPTIONS)
    if resolver is not None:
        parser.resolvers.add(resolver)
    return parser


def _read_file(path: Path) -> SchemaFile | None:
    try:
        root = etree.fromstring(path.read_bytes(), _parser())
    except (etree.XMLSyntaxError, OSError):
        return None
    if root.tag != f"{_XS}schema":
        return None
    roots = frozenset(element.get("name", "") for element in root.iterchildren(f"{_XS}element"))
    return SchemaFile(path, root.get("targetNamespace", ""), roots)
