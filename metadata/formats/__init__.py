"""The registry of record formats. A format is a folder with one FORMAT; every other place asks here.

To add a format, add its FORMAT to the list below; a form that is only written needs a WRITER.
"""

from metadata.citations import bibtex, csl, ris
from metadata.formats import (
    dcndl,
    dcndl_simple,
    jpcoar,
    json,
    junii2,
    marc,
    mods,
    oai_dc,
    rss,
    schema_org,
)
from metadata.formats.common.base import Conversion
from metadata.formats.common.format import UNRANKED, Format, UnreadableRecord
from metadata.validation.registry import RULES
from metadata.writer import Writer

__all__ = [
    "BY_NAME",
    "CITATIONS",
    "CROSSWALKS",
    "FEED_ITEM",
    "FORMATS",
    "OAI_REQUIRED",
    "READABLE",
    "RULES",
    "TARGET",
    "WRITERS",
    "Conversion",
    "Format",
    "UnreadableRecord",
    "Writer",
    "crosswalk_of",
    "data_format_of",
    "format_named",
    "rank_of",
    "register",
    "xsd_roots",
]

FORMATS: dict[str, Format] = {}  # by the prefix of the format
CROSSWALKS: dict[str, Format] = {}  # those of XML, by their prefix
READABLE: dict[str, Format] = {}  # by every metadataPrefix that a feed can be registered with
BY_NAME: dict[str, Format] = {}  # by every metadataPrefix that providers use
WRITERS: dict[str, Writer] = {}  # every form that a record can be written in, by its name
_BY_ROOT: dict[str, Format] = {}
_RANKS: dict[str, int] = {}


def register(added: Format) -> None:
    """Add a format. Raises LookupError for a rule without texts."""
    codes = {code for rules in added.rules for code in rules.codes}
    if missing := codes - added.texts.keys():
        raise LookupError(f"no message for {', '.join(sorted(missing))}")
    RULES.update(added.texts)
    FORMATS[added.prefix] = added
    prefixes = added.prefixes or (added.prefix,)
    READABLE.update(dict.fromkeys(prefixes, added))
    BY_NAME.update(dict.fromkeys((*prefixes, *added.aliases), added))
    _RANKS.update({name: added.rank + number for number, name in enumerate((*prefixes, *added.aliases))})
    WRITERS.update({writer.name: writer for writer in added.writers})
    if added.roots:
        CROSSWALKS[added.prefix] = added
        _BY_ROOT.update(dict.fromkeys(added.roots, added))


def crosswalk_of(root_tag: str) -> Format | None:
    """Return the format for the root element of a payload, or None for an unknown format.

    The payload decides, because providers sometimes send another format than the metadataPrefix that was requested.
    """
    return _BY_ROOT.get(root_tag)


def data_format_of(payload: bytes) -> Format | None:
    """Return the format of a payload that is not XML, or None for any other payload."""
    return next((known for known in FORMATS.values() if not known.roots and known.is_data(payload)), None)


def format_named(prefix: str) -> Format | None:
    """Return the format of a metadataPrefix; for an unknown version of a format ("jpcoar_9") that format."""
    return BY_NAME.get(prefix) or BY_NAME.get(prefix.partition("_")[0])


def rank_of(prefix: str) -> int:
    """Return the rank of a metadataPrefix: of two descriptions of a record, the one with the lower rank is richer."""
    return _RANKS.get(prefix, UNRANKED)


def xsd_roots() -> dict[str, str]:
    """Return what official schemas describe: name → root element of the records."""
    return {name: root for known in FORMATS.values() for name, root in known.xsd.items()}


TARGET = dcndl.FORMAT  # in which this program stores, harvests and gives records unless another format is asked for
OAI_REQUIRED = oai_dc.FORMAT
FEED_ITEM = rss.FORMAT  # the format of the items of every feed
for known in (
    dcndl.FORMAT,
    dcndl_simple.FORMAT,
    jpcoar.FORMAT,
    junii2.FORMAT,
    oai_dc.FORMAT,
    marc.FORMAT,
    mods.FORMAT,
    rss.FORMAT,
    json.FORMAT,
):
    register(known)
# Forms that are written but not read: for reference managers, citation processors and search engines.
CITATIONS: dict[str, Writer] = {
    writer.name: writer for writer in (schema_org.WRITER, ris.WRITER, bibtex.WRITER, csl.WRITER)
}
WRITERS.update(CITATIONS)
