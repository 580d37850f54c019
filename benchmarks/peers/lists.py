"""Requests the whole list of an OAI-PMH provider, as a harvester does."""

import re
from collections.abc import Callable, Mapping

_TOKEN = re.compile(rb"<resumptionToken[^>]*>([^<]+)<")


def count_listed(ask: Callable[[Mapping[str, str]], bytes]) -> int:
    """Request all records as oai_dc, page after page. Return their number."""
    records = 0
    asked = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}
    while asked:
        page = ask(asked)
        records += len(re.findall(rb"<(?:oai:)?record[ >]", page))
        token = _TOKEN.search(page)
        asked = {"verb": "ListRecords", "resumptionToken": token[1].decode()} if token else {}
    return records
