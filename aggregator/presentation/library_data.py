"""A library as JSON-LD (schema.org Library) for its page."""

from typing import Any

import msgspec
from django.utils.safestring import SafeString

from aggregator.catalogue.found_library import LibraryFacts
from aggregator.libraries.addresses import library_url
from aggregator.libraries.regions import MUNICIPALITIES, PREFECTURES
from aggregator.models import Library
from aggregator.presentation.representations import script_json
from metadata.links import safe_href


def structured_library(facts: LibraryFacts) -> SafeString:
    """Return the library for a <script> block; what is not known is left out."""
    library = facts.library
    names = [name for name in (library.name_en, library.reading, library.short_name) if name and name != library.name]
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Library",
        "@id": library_url(library.pk),
        "url": library_url(library.pk),
        "name": library.name,
        "alternateName": names,
        "identifier": [
            {"@type": "PropertyValue", "propertyID": code.scheme, "value": code.value} for code in facts.codes
        ],
        "address": _address(library),
        "geo": _geo(library),
        "telephone": library.telephone,
        "sameAs": safe_href(library.page),
        "parentOrganization": _other(library.parent) if library.parent else None,
        "subOrganization": [_other(branch) for branch in facts.branches],
        "dissolutionDate": library.closed_on.isoformat() if library.closed_on else "",
    }
    return script_json(msgspec.json.encode({name: value for name, value in data.items() if value}))


def _address(library: Library) -> dict[str, str]:
    prefecture, municipality = PREFECTURES.get(library.prefecture), MUNICIPALITIES.get(library.municipality)
    parts = {
        "addressRegion": prefecture.ja if prefecture else "",
        "addressLocality": municipality.ja if municipality else "",
        "streetAddress": library.address,
    }
    known = {name: value for name, value in parts.items() if value}
    return {"@type": "PostalAddress", "addressCountry": "JP", **known} if known else {}


def _geo(library: Library) -> dict[str, object]:
    if library.latitude is None or library.longitude is None:
        return {}
    return {"@type": "GeoCoordinates", "latitude": library.latitude, "longitude": library.longitude}


def _other(library: Library) -> dict[str, str]:
    return {"@type": "Library", "@id": library_url(library.pk), "name": library.name}
