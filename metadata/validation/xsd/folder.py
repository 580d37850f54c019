"""The folder where an operator has placed official schemas: which file is which, and compiling one. No network.

Files lie in any order below the folder; one that came from http://host/path may lie at host/path. What a schema
includes or imports is looked for here too, never outside the folder; no file is changed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

from metadata.vocabularies.namespaces import DC, JPCOAR_VERSIONS, RDF, XLINK, XML, expand
from metadata.xml.parsing import PARSER_OPTIONS

# The formats that official schemas exist for -> the element that their records begin with.
FORMATS = {
    "oai_dc": expand("oai_dc:dc"),
    **{f"jpcoar {version}": f"{{{name}}}jpcoar" for name, version in JPCOAR_VERSIONS.items()},
    "junii2": expand("junii2:junii2"),
    "marcxml": expand("marc:record"),
    "mods": expand("mods:mods"),
    "dcndl": expand("rdf:RDF"),
}
MOST_FILES = 1000
LARGEST_FILE = 2 * 1024 * 1024  # bytes; the largest official schema has 80 kB
_XS = "{http://www.w3.org/2001/XMLSchema}"
_NUMBER = re.compile(r"(\d+)[-._](\d+)")
# The addresses that official schemas import from elsewhere -> their namespace. Those of XML and XLink exist in
# several editions that are all alike for our purpose, so that any will do.
IMPORTED = {
    "www.w3.org/2001/xml.xsd": XML,
    "www.w3.org/2001/03/xml.xsd": XML,
    "www.w3.org/2009/01/xml.xsd": XML,
    "www.loc.gov/mods/xml.xsd": XML,
    "www.loc.gov/standards/xlink/xlink.xsd": XLINK,
    "dublincore.org/schemas/xmls/simpledc20021212.xsd": DC,
}
_ALL_ALIKE = frozenset({XML, XLINK})
_BY_NAME = {address.rpartition("/")[2]: namespace for address, namespace in IMPORTED.items()}


class SchemaError(Exception):
    """A schema that cannot be used; the words say why."""


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """One file: the namespace that it describes, and the elements that a document of it may begin with."""

    path: Path
    namespace: str
    roots: frozenset[str]

    @property
    def number(self) -> tuple[int, ...]:
        """The version as the name of the file tells it (mods-3-8.xsd), () where it does not."""
        found = _NUMBER.search(self.path.stem)
        return tuple(map(int, found.groups())) if found else ()

    @property
    def is_official(self) -> bool:
        return not any(word in str(self.path).lower() for word in ("unofficial", "reconstructed"))


class SchemaFolder:
    """The schemas of one folder, read when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    @cached_property
    def files(self) -> tuple[SchemaFile, ...]:
        """What is there and can be read, in the order of the names. Links that lead outside are left out."""
        return tuple(filter(None, map(_described, self._paths())))

    def _paths(self) -> Iterator[Path]:
        for number, path in enumerate(sorted(self.folder.rglob("*.xsd"))):
            if number == MOST_FILES:
                return
            if self.holds(path) and path.is_file() and path.stat().st_size <= LARGEST_FILE:
                yield path

    def holds(self, path: Path) -> bool:
        """Whether the path really lies inside the folder."""
        return path.resolve().is_relative_to(self.folder)

    def main(self, tag: str, version: str = "") -> SchemaFile | None:
        """The schema for documents with this root element; of several versions the record's own, or the next."""
        namespace, _brace, name = tag[1:].partition("}")
        wanted = JPCOAR_VERSIONS.get(namespace, namespace)
        found = [
            each
            for each in self.files
            if JPCOAR_VERSIONS.get(each.namespace, each.namespace) == wanted
            and name in each.roots
            and (namespace != RDF or self._is_dcndl(each))
        ]
        found = [each for each in found if each.is_official] or found
        number = tuple(map(int, re.findall(r"\d+", version)[:2]))
        later = sorted((each for each in found if each.number >= number), key=lambda each: each.number)
        newest = max(found, key=lambda each: each.number, default=None)
        return later[0] if number and later else newest

    def _is_dcndl(self, file: SchemaFile) -> bool:
        """Of the schemas for rdf:RDF only one that was made for DC-NDL: RDF itself says nothing of what is inside."""
        return "dcndl" in file.path.relative_to(self.folder).parts[:-1]

    def fault(self, tag: str) -> str | None:
        """Why documents with this root element cannot be checked: None = there is no schema; "" = they can be."""
        file = self.main(tag)
        if file is None:
            return None
        try:
            self.compiled(file, tag[1:].partition("}")[0])
        except SchemaError as error:
            return f"{file.path.relative_to(self.folder)}: {error}"
        return ""

    def locate(self, address: str) -> Path | None:
        """The file for an address or a path that a schema names; None where the folder has none."""
        place = unquote(re.sub(r"^(https?|file):/*", lambda each: "/" if each[1] == "file" else "", address))
        path = self.folder / place  # an absolute path stays what it is
        if self.holds(path) and path.is_file():
            return path
        name = place.rpartition("/")[2]
        namespace = IMPORTED.get(place) or _BY_NAME.get(name)
        found = [each.path for each in self.files if each.namespace == namespace]
        same = [path for path in found if path.name == name]
        return next(iter(same or (found if namespace in _ALL_ALIKE else [])), None)

    def compiled(self, file: SchemaFile, namespace: str) -> etree.XMLSchema:
        """The schema, for documents that write its namespace like this. Raises SchemaError."""
        resolver = _Resolver(self, file.namespace, namespace)
        try:
            document = etree.fromstring(resolver.text(file.path), _parser(resolver), base_url=str(file.path))
            return etree.XMLSchema(document)
        except (etree.LxmlError, OSError, SchemaError) as error:
            raise SchemaError(resolver.missing or str(error)) from error


class _Resolver(etree.Resolver):
    """Finds what a schema includes or imports, in the folder only.

    written: the namespace as the documents have it, in place of the schema's own. JPCOAR's two hosts are one.
    """

    def __init__(self, folder: SchemaFolder, own: str, written: str) -> None:
        self._folder, self._own, self._written = folder, own.encode(), written.encode()
        self.missing = ""

    def text(self, path: Path) -> bytes:
        data = path.read_bytes()
        return data if self._own == self._written else data.replace(self._own, self._written)

    def resolve(self, system_url: str, public_id: str, context: Any) -> Any:  # type: ignore[override]  # as it is called
        """Never None: then libxml2 would look for it by itself, anywhere."""
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


def _described(path: Path) -> SchemaFile | None:
    try:
        root = etree.fromstring(path.read_bytes(), _parser())
    except (etree.XMLSyntaxError, OSError):
        return None
    if root.tag != f"{_XS}schema":
        return None
    roots = frozenset(each.get("name", "") for each in root.iterchildren(f"{_XS}element"))
    return SchemaFile(path, root.get("targetNamespace", ""), roots)
