"""The explain record (ZeeRex), made from the same tables that the search uses."""

from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import override

from aggregator.provision.description import ABOUT, NAME
from aggregator.provision.sru.envelope import element
from aggregator.provision.sru.indexes import ORDER_BY_NAME, SETS, TABLE, Index, printed_name
from aggregator.provision.sru.request import CURSOR, DEFAULT_RECORDS, MAX_RECORDS, VERSIONS
from aggregator.provision.sru.schemas import default_schema, schemas

ZEEREX = "http://explain.z3950.org/dtd/2.0/"
OWN_SET = "urn:library-aggregator:cql"


def explain_record(path: str) -> str:
    """Return the ZeeRex record of the service at this path."""
    parts = (_server(path), _database(), _indexes(), _schemas(), _config())
    return f'<explain xmlns="{ZEEREX}">{"".join(parts)}</explain>'


def _server(path: str) -> str:
    address = urlsplit(settings.PUBLIC_URL)
    port = address.port or (443 if address.scheme == "https" else 80)
    inner = element("host", address.hostname or "") + element("port", port) + element("database", path.strip("/"))
    return (
        f'<serverInfo protocol="SRU" version="{VERSIONS[-1]}" transport="{address.scheme}" method="GET POST">'
        f"{inner}</serverInfo>"
    )


def _database() -> str:
    inner = _in_languages("title", NAME) + _in_languages("description", ABOUT)
    inner += element("author", settings.SITE_OPERATOR) + element("contact", settings.SITE_CONTACT)
    return f"<databaseInfo>{inner}</databaseInfo>"


def _in_languages(name: str, text: object) -> str:
    elements = ""
    for number, (code, _label) in enumerate(settings.LANGUAGES):
        with override(code):
            elements += element(name, text, lang=code, **({"primary": "true"} if not number else {}))
    return elements


def _indexes() -> str:
    sets = "".join(f'<set name="{name}" identifier="{uri}"/>' for name, uri in SETS.items())
    sets += f'<set name="agg" identifier="{OWN_SET}">{element("title", "Names without a prefix")}</set>'
    return f"<indexInfo>{sets}{''.join(map(_index, TABLE))}{_sort_keys()}</indexInfo>"


def _index(index: Index) -> str:
    names = "".join(f"<map>{_name(name)}</map>" for name in index.names)
    relations = "".join(f'<supports type="relation">{_escaped(name)}</supports>' for name in index.kind.relations)
    return (
        f'<index search="true" scan="false" sort="{str(bool(set(index.names) & set(ORDER_BY_NAME))).lower()}">'
        f"{_in_languages('title', index.label)}{names}<configInfo>{relations}</configInfo></index>"
    )


def _name(name: str) -> str:
    prefix, dot, local = printed_name(name).rpartition(".")
    return element("name", local, set=prefix if dot else "agg")


def _sort_keys() -> str:
    """Return the sort keys that are not indexes."""
    other_names = [name for name in ORDER_BY_NAME if not any(name in index.names for index in TABLE)]
    return "".join(
        f'<index search="false" scan="false" sort="true">{element("title", name, lang="en")}<map>{_name(name)}</map>'
        "</index>"
        for name in other_names
    )


def _schemas() -> str:
    elements = "".join(
        f'<schema identifier="{_escaped(schema.identifier)}" name="{schema.name}" '
        f'location="{_escaped(schema.location)}" retrieve="true" sort="false">'
        f"{element('title', schema.title, lang='en')}</schema>"
        for schema in schemas()
    )
    return f"<schemaInfo>{elements}</schemaInfo>"


def _config() -> str:
    defaults = {"numberOfRecords": DEFAULT_RECORDS, "retrieveSchema": default_schema().name, "recordPacking": "xml"}
    defaults |= {"contextSet": "agg", "index": "anywhere", "relation": "all"}
    elements = "".join(element("default", value, type=name) for name, value in defaults.items())
    elements += element("setting", MAX_RECORDS, type="maximumRecords")
    elements += "".join(element("supports", name, type="booleanOperator") for name in ("and", "or", "not"))
    # "?" is understood in words with letters only, not in Japanese text, so clients must not count on it.
    elements += element("supports", "*", type="maskingCharacter")
    elements += element("supports", "sort", type="sort") + element("supports", CURSOR, type="extraSearchData")
    return f"<configInfo>{elements}</configInfo>"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
