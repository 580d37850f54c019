"""The kinds of live sources. To add one, write a module beside this one and add a line here."""

from harvesting.live.kinds import json_service, link_only, opensearch, sru
from harvesting.live.types import LiveProtocol

SRU, OPENSEARCH, JSON, LINK = "live-sru", "live-opensearch", "live-json", "live-link"
# By the name of the transport.
PROTOCOLS: dict[str, LiveProtocol] = {
    SRU: sru.PROTOCOL,
    OPENSEARCH: opensearch.PROTOCOL,
    JSON: json_service.PROTOCOL,
    LINK: link_only.PROTOCOL,
}
