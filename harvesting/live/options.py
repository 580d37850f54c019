"""What is declared about a live source: its options, as they are stored with its feed in JSON. No network access."""

from collections.abc import Mapping
from typing import Any

import msgspec

MAX_SIZE = 32 * 1024  # characters of the JSON


class Options(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The options of one source. Which of them are used depends on its kind.

    name: as the source names itself. known_item: words that find at least one record there. rate: questions per second.
    page_size: records to ask for. search_page: the template of its page where readers can continue the search.

    SRU: version; schemas: metadataPrefix of a format → its name there; schema: the name to ask for; indexes: field →
    CQL index ("" = a term without an index); relations: field → declared CQL relations, none = unknown.
    Templates: template: the one in use; templates: media type → template, all that the description offers; encoding: a
    key of `metadata.links.ENCODINGS`; index_offset, page_offset: the number of the first record and page.
    JSON: items: path of the list of records; total: path of their number; link: path or template of a record's page;
    fields: path in a record → column of `metadata.formats.json.columns`.
    """

    name: str = ""
    known_item: str = ""
    rate: float = 1.0
    page_size: int = 50
    search_page: str = ""

    version: str = ""
    schemas: dict[str, str] = {}
    schema: str = ""
    indexes: dict[str, str] = {}
    relations: dict[str, list[str]] = {}

    template: str = ""
    templates: dict[str, str] = {}
    encoding: str = "utf-8"
    index_offset: int = 1
    page_offset: int = 1

    items: str = ""
    total: str = ""
    link: str = ""
    fields: dict[str, str] = {}


def read_options(stored: Mapping[str, object]) -> Options:
    """Return the stored options of a feed. Raises ValueError if they do not have the form of `Options`."""
    if not isinstance(stored, Mapping):  # the column may have been changed in the database by hand
        raise ValueError("no object")
    return msgspec.convert(dict(stored), Options)


def stored_form(options: Options) -> dict[str, Any]:
    """Return the options for a JSON column, without those that have their default value."""
    values: dict[str, Any] = msgspec.to_builtins(options)
    return values
