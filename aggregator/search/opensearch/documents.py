"""Convert a Document to the JSON that OpenSearch indexes."""

import json
from typing import Any

from aggregator.search.analysis.documents import analysed_all, facet_values, rank_factor
from aggregator.search.analysis.fields import PART_FIELDS, SUGGEST, TEXT_FIELDS, value_field
from aggregator.search.base import Document
from aggregator.search.opensearch.mapping import FACTOR, SUGGEST_KEY

_TYPED = 200  # characters of a suggestion's key at most; readers type fewer
_CHARACTERS = (*TEXT_FIELDS.values(), *PART_FIELDS.values())


def lines(document: Document, version: int) -> tuple[bytes, bytes]:
    """The two lines of a bulk request for a document. version: a larger one replaces a smaller one."""
    action = {"index": {"_id": str(document.id), "version": version, "version_type": "external_gte"}}
    return _line(action), _line(source(document))


def deletion(number: int, version: int) -> bytes:
    """The line of a bulk request that deletes a document."""
    return _line({"delete": {"_id": str(number), "version": version, "version_type": "external_gte"}})


def source(document: Document) -> dict[str, Any]:
    """The fields of a document."""
    values = analysed_all([document])[0]
    values |= {field: " ".join(values[field]) for field in _CHARACTERS}
    values["exact"] = list(map(exact, values["exact"]))
    values[SUGGEST_KEY] = list(dict.fromkeys([term.partition("\t")[0][:_TYPED] for term in values[SUGGEST]]))
    values[FACTOR] = rank_factor(document.holdings, document.year)
    values |= {value_field(facet): list(of_facet) for facet, of_facet in facet_values(document).items()}
    return values


def exact(term: int) -> str:
    """The number that stands for a whole title, as a term."""
    return f"{term:016x}"


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "ignore")
