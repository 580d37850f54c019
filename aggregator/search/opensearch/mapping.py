"""Settings and mapping of an index in OpenSearch. No plugin is needed: our own segmentation makes the terms."""

from typing import Any

from aggregator.search.analysis.fields import (
    DIGITS,
    HEADED,
    NO_TERM,
    PART_FIELDS,
    PLACED,
    SCHEMA_VERSION,
    SOUND_FIELDS,
    SUGGEST,
    TEXT_FIELDS,
    WORDED,
    printed_column,
    value_field,
)
from aggregator.search.base import MAX_WINDOW

REVISION = 2  # increase with every change of this module, of `documents` or of `plan`
SHAPE = f"{SCHEMA_VERSION}-{REVISION}"
WINDOW = MAX_WINDOW + 10_000  # hits that can be reached by their number
# Facets with few values, each in one field for searching and counting.
COUNTED = (
    *("repository", "type", "language", "online", "accessible", "fulltext", "kind", "access", "licence"),
    *DIGITS,
)
SUGGEST_KEY = "suggest_key"  # the typed texts of suggestions, without what is shown
FACTOR = "factor"
_BEGINNING = 4  # characters typed up to which the books with a suggestion are one term, not thousands
_LONGEST = 8_000  # characters of a term: Lucene takes 32,766 bytes


def settings(refresh: str, replicas: str) -> dict[str, Any]:
    return {
        "number_of_shards": 1,
        "auto_expand_replicas": replicas,
        "refresh_interval": refresh,
        "max_result_window": WINDOW,
        "analysis": {
            "filter": {"gap": {"type": "stop", "stopwords": [NO_TERM]}},
            "analyzer": {"adjacent": {"type": "custom", "tokenizer": "whitespace", "filter": ["gap"]}},
        },
    }


def mapping() -> dict[str, Any]:
    words = {"type": "text", "analyzer": "whitespace"}
    characters = {**words, "index_options": "docs"}
    term = {"type": "keyword", "doc_values": False, "ignore_above": _LONGEST}
    value = {"type": "keyword", "ignore_above": _LONGEST}
    column = {"type": "keyword", "index": False, "ignore_above": _LONGEST}
    number = {"type": "long"}
    fields = {
        **dict.fromkeys((*TEXT_FIELDS, *PART_FIELDS), words),
        **dict.fromkeys((*TEXT_FIELDS.values(), *PART_FIELDS.values(), *SOUND_FIELDS.values()), characters),
        **dict.fromkeys(("exact", "code", "start", "classes"), term),
        **dict.fromkeys(map(value_field, (*WORDED, *HEADED, "region", "library")), term),
        **dict.fromkeys(map(value_field, COUNTED), value),
        **dict.fromkeys(map(printed_column, (*WORDED, *PLACED)), column),
        **dict.fromkeys(("id", "year", "issued_first", "issued_last", "changed"), number),
        **dict.fromkeys(("newest", "oldest", "most_held", "latest"), number),
        **dict.fromkeys(("by_title", "by_creator"), value),
        SUGGEST: value,
        SUGGEST_KEY: {**characters, "analyzer": "keyword", "index_prefixes": {"min_chars": 1, "max_chars": _BEGINNING}},
        FACTOR: {"type": "double", "index": False},
    }
    return {"dynamic": "strict", "_source": {"enabled": False}, "_meta": {"shape": SHAPE}, "properties": fields}
