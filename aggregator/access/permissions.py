"""The one table of who may use which address of the site: its name, the methods, the least role for each.

What is not in it is open to nobody (`aggregator.access.middleware`), and a system check names it. Views of harvesting
and of staff check the role again, and whether the row that is asked for is the person's own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from harvesting.accounts.ranks import Role

type Methods = Mapping[str, Role]
PUBLIC, LIBRARIAN, STAFF, ADMINISTRATOR = Role.PUBLIC, Role.LIBRARIAN, Role.STAFF, Role.ADMINISTRATOR


def read(least: Role) -> Methods:
    """Looked at only. HEAD is always as GET."""
    return {"GET": least}


def form(least: Role) -> Methods:
    """Looked at and sent by the same people."""
    return {"GET": least, "POST": least}


def act(least: Role) -> Methods:
    """A button of another page."""
    return {"POST": least}


# The public pages, for people and for machines.
SITE: dict[str, Methods] = {
    name: read(PUBLIC)
    for name in (
        *("home", "search", "search_values", "search_advanced", "suggest", "help", "about", "accessibility", "contact"),
        *("book", "why", "book_as", "openurl", "list"),
        *("repositories", "repositories_csv", "repositories_json", "repository", "link_trial", "rules", "rule", "data"),
        *("api_search", "api_record", "api_repositories", "api_repository", "api_usage", "api_openapi", "api_docs"),
        *("api_unknown", "search_atom", "opensearch", "opensearch_description"),
        *("guide", "validation", "validation_json", "validation_state", "validation_record"),
        *("resourcesync_description", "resourcesync", "resourcesync_resource", "resourcesync_package"),
        *("resourcesync_document", "resourcesync_channel"),
        *(
            "healthz",
            "metrics",  # the view asks for a token, or looks where the request comes from
            "favicon",
            "robots",
            "dumps",
            "dump_manifest",
            "dump_file",
            "sitemap",
            "sitemap_pages",
            "sitemap_books",
        ),
    )
} | {
    r"^rules/(?P<code>[a-z][a-z0-9_]*\.[A-Z][0-9]{3})/\Z": read(PUBLIC),  # leads to "rule"
    "resourcesync_hub": act(PUBLIC),  # who asked is verified
    "sru": form(PUBLIC),  # a long query may be posted; nothing is changed
    "oai": form(PUBLIC),
    "search_ask": form(PUBLIC),
    "report": form(PUBLIC),
    "list_records": act(PUBLIC),  # the ids of the reader's own list are sent along
    "list_export": act(PUBLIC),
    "validate": form(PUBLIC),
    "admin/login/": read(PUBLIC),  # leads to "login"
    "websub": form(PUBLIC),  # hubs; what they send is signed
}

# Logging in and out, and one's own account.
ACCOUNTS: dict[str, Methods] = {
    "login": form(PUBLIC),
    "oidc": read(PUBLIC),
    "oidc_back": read(PUBLIC),
    "logout": act(PUBLIC),
    "password": form(LIBRARIAN),
    "password_forgotten": form(PUBLIC),
    "password_forgotten_sent": read(PUBLIC),
    "password_new": form(PUBLIC),  # with the token of the mail
    "password_set": read(PUBLIC),
    "invitation": form(PUBLIC),  # with the token of the mail
    "notices_confirm": form(PUBLIC),  # the same
    "notices_stop": form(PUBLIC),  # the same
}

# The pages of librarians and staff, by noun.
MANAGE: dict[str, Methods] = {
    "manage": read(LIBRARIAN),
    "notices": read(LIBRARIAN),
    "notice_letter": form(LIBRARIAN),
    "notice_wishes": form(LIBRARIAN),
    "notice_wish": act(LIBRARIAN),
    "people": read(STAFF),
    "person": form(STAFF),
    "invitation_new": form(STAFF),
    "invitation_change": act(STAFF),
    **dict.fromkeys(("harvests", "harvests_of", "harvest", "harvest_progress"), read(LIBRARIAN)),
    **dict.fromkeys(("harvest_log", "harvest_issues", "harvest_broken_page"), read(LIBRARIAN)),
    **dict.fromkeys(("harvest_steer", "harvest_decide", "harvest_gap"), act(LIBRARIAN)),
    "harvest_start": form(LIBRARIAN),
    "trace": read(LIBRARIAN),
    "trace_file": read(LIBRARIAN),
    "join": form(LIBRARIAN),
    "join_step": form(LIBRARIAN),
    "join_discard": act(LIBRARIAN),
    "providers": read(LIBRARIAN),
    "provider": form(LIBRARIAN),
    "provider_feed": form(LIBRARIAN),
    "provider_feed_new": form(LIBRARIAN),
    "provider_answer": act(STAFF),
    "provider_erase": form(ADMINISTRATOR),
    "providers_bulk": form(STAFF),
    "providers_export": read(STAFF),
    "issues": read(LIBRARIAN),
    "issue_list": read(LIBRARIAN),
    "issue_file": read(LIBRARIAN),
    "issues_again": act(LIBRARIAN),
    "issue_check": read(LIBRARIAN),
    "provider_issues": read(LIBRARIAN),
    "issue_ignore": act(LIBRARIAN),
    "issue_count": act(LIBRARIAN),
    "issue_letter": read(LIBRARIAN),
    "issue_letter_text": read(LIBRARIAN),
    "records": read(LIBRARIAN),
    "record": read(LIBRARIAN),
    "record_act": act(LIBRARIAN),
    "record_duplicates": read(LIBRARIAN),
    "record_isbns": read(LIBRARIAN),
    "matches": form(STAFF),
    "match_pair": read(STAFF),
    "match_group": form(STAFF),
    "match_undo": act(STAFF),
    "manage_keys": form(STAFF),
    "manage_key": read(STAFF),
    "manage_key_revoke": act(STAFF),
}

# Django's admin and the dashboard of the queue, whose many addresses are made by others: by how their names begin,
# the longest beginning first. Inside, the permissions of the groups (`harvesting.accounts.roles`) say more.
FAMILIES: dict[str, Methods] = {
    "admin:login": form(PUBLIC),
    "admin:logout": act(PUBLIC),
    "admin:": form(LIBRARIAN),
    "admin/": read(LIBRARIAN),  # those without a name lead elsewhere or nowhere
    "admin:aggregator_": form(STAFF),
    "admin:aggregator_duplicates": read(LIBRARIAN),
    "admin:auth_": form(ADMINISTRATOR),
    "admin:django_rq_": form(ADMINISTRATOR),
    "django_rq:": form(ADMINISTRATOR),
}

TABLE: dict[str, Methods] = SITE | ACCOUNTS | MANAGE


def declared(name: str) -> Methods | None:
    """Who may use the address of this name (see `name_of`), None if nobody has said."""
    if name in TABLE:
        return TABLE[name]
    family = max((each for each in FAMILIES if name.startswith(each)), key=len, default="")
    return FAMILIES[family] if family else None


def name_of(spaces: Sequence[str], name: str | None, route: str) -> str:
    """What an address is called in the table: its name with its namespaces, or its route where it has none."""
    return ":".join([*spaces, name]) if name else route


def addresses(resolver: URLResolver | None = None) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Every address of the site: name, route, converters of its parts."""
    yield from _walk(resolver or get_resolver(), (), "", {})


def _walk(
    resolver: URLResolver, spaces: tuple[str, ...], before: str, parts: Mapping[str, Any]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for each in resolver.url_patterns:
        route, found = before + str(each.pattern), {**parts, **each.pattern.converters}
        if isinstance(each, URLPattern):
            yield name_of(spaces, each.name, route), route, found
        else:
            yield from _walk(each, (*spaces, each.namespace) if each.namespace else spaces, route, found)
