"""What the <about> containers of an OAI-PMH record say of the description itself: its licence, and where it comes from.

Rights as in the OAI specification "Conveying rights expressions" (a reference or a definition), or as dc:rights alone;
origins as in the OAI guideline on provenance, whose originDescription elements nest. Pure. All that is kept is bounded,
whatever a provider sends.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec
from lxml import etree

from metadata.links import safe_href
from metadata.record import Value
from metadata.vocabularies.licences import CREATIVE_COMMONS, conditions_of, licence_of
from metadata.xml.parsing import children, text

MOST_CONTAINERS = 10  # that are read of one record
MOST_STATEMENTS = 5  # of rights that are kept
MOST_ORIGINS = 10  # nested descriptions of origins that are kept
LONGEST_STATEMENT = 500  # characters of a licence that is given in words
LONGEST_VALUE = 500  # characters of an address, identifier or date
_NO_REDISTRIBUTION = re.compile(
    r"all rights reserved|\bno (?:re-?)?distribution|\bnot? (?:be )?(?:for )?re-?distribut|\bre-?distribution (?:is )?"
    r"(?:prohibited|forbidden|not)|\binternal use only"
    r"|無断転載|(?:再配布|転載|再頒布)(?:は|を|等)*(?:禁|不可|認め|でき)",
    re.IGNORECASE,
)


class Origin(Value, frozen=True, kw_only=True, gc=False):
    """Where a provider took a record from, as it says. harvested: when; altered: whether it changed the record."""

    base_url: str = ""
    identifier: str = ""
    datestamp: str = ""
    namespace: str = ""
    harvested: str = ""
    altered: bool = False


class About(Value, frozen=True, kw_only=True, gc=False):
    """rights: licences, each an address or words. origins: the nearest first."""

    rights: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()


NOTHING = About()


def read_about(containers: Sequence[etree._Element]) -> About:
    """Return what the <about> elements of a record say, as far as it is understood; NOTHING if there are none."""
    if not containers:
        return NOTHING
    read = containers[:MOST_CONTAINERS]
    rights = [statement for container in read for element in children(container) for statement in _rights(element)]
    origins = [origin for container in read for origin in _origins(container)]
    about = About(
        rights=tuple(dict.fromkeys(filter(None, rights)))[:MOST_STATEMENTS], origins=tuple(origins[:MOST_ORIGINS])
    )
    return about if about != NOTHING else NOTHING


def about_of_licences(addresses: Iterable[str]) -> About:
    """Return what links to licences say, as ResourceSync and feeds have them; NOTHING if none can be used."""
    usable = (address.strip() for address in islice(addresses, MOST_STATEMENTS))
    rights = tuple(dict.fromkeys(url for url in usable if len(url) <= LONGEST_VALUE and safe_href(url)))
    return About(rights=rights) if rights else NOTHING


def forbids_derivatives(statement: str) -> bool:
    """Whether a licence allows only unchanged copies (Creative Commons' ND, or words)."""
    return "nd" in conditions_of(statement)


def forbids_redistribution(statements: Iterable[str]) -> bool:
    """Whether the licences of one description forbid its redistribution: one says so, and there is no Creative Commons
    licence beside it, which would allow it.
    """
    stated = tuple(statements)
    is_open = any(CREATIVE_COMMONS.fullmatch(text.strip()) for text in stated)
    return not is_open and any(map(_NO_REDISTRIBUTION.search, stated))


def licence_label(statement: str) -> str:
    """Return the name of a licence ("CC BY-ND 4.0", "CC0 1.0"); other statements unchanged."""
    licence = licence_of(statement)
    return licence.name if licence else statement


def encode_about(about: About) -> bytes:
    """Encode for storage; b"" for NOTHING."""
    return b"" if about == NOTHING else _encoder.encode(about)


def decode_about(data: bytes) -> About:
    """Decode the output of `encode_about`."""
    return _decoder.decode(data) if data else NOTHING


def _rights(element: etree._Element) -> Iterator[str]:
    """Yield the statements of one child of a container: <rights>, or Dublin Core with <dc:rights>."""
    if _local(element) != "rights":
        yield from (_words(child) for child in children(element) if _local(child) == "rights")
        return
    parts = list(children(element))
    if not parts:
        yield _words(element)
    for part in parts:
        address = part.get("ref", "").strip()
        if len(address) <= LONGEST_VALUE and safe_href(address):
            yield address
        elif _local(part) == "rightsDefinition":
            stated = [child for child in part.iter(etree.Element) if _local(child) == "rights"]
            yield from map(_words, stated or [part])


def _words(element: etree._Element) -> str:
    """Return the text of an element and its children on one line, cut to its bound."""
    return " ".join("".join(map(str, element.itertext())).split())[:LONGEST_STATEMENT]


def _origins(container: etree._Element) -> Iterator[Origin]:
    """Yield the origins of <provenance>, from the outermost description inwards. A loop: depth costs nothing."""
    provenance = next((child for child in children(container) if _local(child) == "provenance"), None)
    current = _origin_description(provenance) if provenance is not None else None
    for _depth in range(MOST_ORIGINS):
        if current is None:
            return
        origin = _origin(current)
        if origin.base_url or origin.identifier:
            yield origin
        current = _origin_description(current)


def _origin(element: etree._Element) -> Origin:
    values = {_local(child): text(child)[:LONGEST_VALUE] for child in children(element)}
    return Origin(
        base_url=values.get("baseURL", ""),
        identifier=values.get("identifier", ""),
        datestamp=values.get("datestamp", ""),
        namespace=values.get("metadataNamespace", ""),
        harvested=element.get("harvestDate", "").strip()[:LONGEST_VALUE],
        altered=element.get("altered", "").strip() in {"true", "1"},
    )


def _origin_description(element: etree._Element) -> etree._Element | None:
    return next((child for child in children(element) if _local(child) == "originDescription"), None)


def _local(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(About)
