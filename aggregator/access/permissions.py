"""The table of permissions: for every URL name of the site, the methods allowed and the lowest role for each.

An address that is not in the table is denied to everybody (`aggregator.access.middleware`) and reported by a system
check. The views of librarians and staff check the role again, and whether the user may see the requested row.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from harvesting.accounts.ranks import Role

type Methods = Mapping[str, Role]
PUBLIC, LIBRARIAN, STAFF, ADMINISTRATOR = Role.PUBLIC, Role.LIBRARIAN, Role.STAFF, Role.ADMINISTRATOR


def read(least: Role) -> Methods:
    """GET only. HEAD is always treated as GET."""
    return {"GET": least}


def form(least: Role) -> Methods:
    """GET and POST for the same role."""
    return {"GET": least, "POST": least}


def act(least: Role) -> Methods:
    """POST only: a button on another page."""
    return {"POST": least}


# The public pages and interfaces.
SITE: dict[str, Methods] = {
    name: read(PUBLIC)
    for name in (
        *("search_live", "api_live"),
        *("home", "search", "search_values", "search_advanced", "suggest", "help", "about", "accessibility", "contact"),
        *("availability", "availability_json"),
        *("cover", "book_images", "book_image", "book_image_file"),
        *("book", "book_as", "book_copy", "book_holdings", "book_records", "slip", "openurl", "list", "own_libraries"),
        *("libraries", "libraries_json", "library", "library_json", "holders_json"),
        *("repositories", "repositories_csv", "repositories_json", "repository", "link_trial", "rules", "rule", "data"),
        *("terms", "privacy", "search_export", "search_history"),
        *("statistics", "statistics_json", "statistics_csv", "statistics_crossed_csv", "statistics_crossed_json"),
        *("browse", "browse_new", "browse_classes", "browse_class", "browse_list", "browse_heading", "identity"),
        *("api_search", "api_record", "api_repositories", "api_repository", "api_usage", "api_openapi", "api_docs"),
        *("ndl_opensearch", "ndl_sru", "ndl_openurl", "ndl_description", "thumbnail"),
        *("api_unknown", "search_atom", "opensearch", "opensearch_description"),
        *("guide", "validation", "validation_json", "validation_state", "validation_record"),
        *("resourcesync_description", "resourcesync", "resourcesync_resource", "resourcesync_package"),
        *("resourcesync_document", "resourcesync_channel"),
        *(
            "healthz",
            "metrics",  # the view requires a token or a local client
            "favicon",
            "robots",
            "dumps",
            "dump_manifest",
            "dump_file",
            "sitemap",
            "sitemap_pages",
            "sitemap_books",
            "sitemap_libraries",
        ),
    )
} | {
    r"^rules/(?P<code>[a-z][a-z0-9_]*\.[A-Z][0-9]{3})/\Z": read(PUBLIC),  # redirects to "rule"
    "resourcesync_hub": act(PUBLIC),  # the hub verifies the subscriber's intent
    "sru": form(PUBLIC),  # a long query may be posted; nothing is changed
    "oai": form(PUBLIC),
    "ndl_oaipmh": form(PUBLIC),
    "search_ask": form(PUBLIC),
    "search_live_ask": form(PUBLIC),
    "report": form(PUBLIC),
    "why": form(PUBLIC),  # readers say whether two records are the same book
    "list_records": act(PUBLIC),  # the request carries the ids of the reader's own list
    "list_export": act(PUBLIC),
    "alert_new": form(PUBLIC),
    "alert_confirm": form(PUBLIC),  # needs the token from the mail
    "alert_stop": form(PUBLIC),  # needs the token from the mail
    "validate": form(PUBLIC),
    "admin/login/": read(PUBLIC),  # redirects to "login"
    "statistics_followed": act(PUBLIC),  # counts that a link was followed; no CSRF token, nothing stored of the reader
    "websub": form(PUBLIC),  # called by hubs, whose messages are signed
    "push": form(PUBLIC),  # this and the following need a token of the provider
    "push_report": read(PUBLIC),
    "push_removals": act(PUBLIC),
    "push_record": {"PUT": PUBLIC, "DELETE": PUBLIC},
}

# Login, logout and the user's own account.
ACCOUNTS: dict[str, Methods] = {
    "login": form(PUBLIC),
    "oidc": read(PUBLIC),
    "oidc_back": read(PUBLIC),
    "logout": act(PUBLIC),
    "password": form(PUBLIC),  # the view requires a login; members of a library have no rank
    "password_forgotten": form(PUBLIC),
    "password_forgotten_sent": read(PUBLIC),
    "password_new": form(PUBLIC),  # needs the token from the mail
    "password_set": read(PUBLIC),
    "invitation": form(PUBLIC),  # needs the token from the mail
    "notices_confirm": form(PUBLIC),  # needs the token from the mail
    "notices_stop": form(PUBLIC),  # needs the token from the mail
}

# Interlibrary loan. A member of a library has no rank (see `harvesting.accounts.ranks`), so the table admits everybody;
# the views (`aggregator.views.loans.guard`) require a membership, or staff.
LOANS: dict[str, Methods] = {
    **dict.fromkeys(("loans", "loans_received", "loans_csv", "loan_figures", "loan", "loan_print"), read(PUBLIC)),
    **dict.fromkeys(("loan_terms", "loan_new", "loan_edit"), form(PUBLIC)),
    **dict.fromkeys(("loan_act", "loan_revoke"), act(PUBLIC)),
    "iso18626": act(PUBLIC),  # needs the secret of a registered library
    "loan_answer": form(PUBLIC),  # needs the token from the mail
    "person_libraries": form(STAFF),
    "member_invitation": form(STAFF),
}

# The pages of librarians and staff.
MANAGE: dict[str, Methods] = {
    "manage": read(LIBRARIAN),
    "notices": read(LIBRARIAN),
    "notice_letter": form(LIBRARIAN),
    "notification_settings": form(LIBRARIAN),
    "notification_address": act(LIBRARIAN),
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
    "live_trial": act(LIBRARIAN),
    "provider_push": form(LIBRARIAN),
    "provider_push_revoke": act(LIBRARIAN),
    "provider_answer": act(STAFF),
    "provider_erase": form(ADMINISTRATOR),
    "providers_bulk": form(STAFF),
    "providers_export": read(STAFF),
    "manage_libraries": read(LIBRARIAN),
    "manage_library": form(LIBRARIAN),
    "manage_library_new": form(STAFF),
    "manage_live": read(LIBRARIAN),
    "manage_library_merge": form(STAFF),
    "manage_library_unmerge": act(STAFF),
    "manage_libraries_questions": form(STAFF),
    "manage_libraries_answers": form(STAFF),
    "manage_libraries_import": form(STAFF),
    "manage_libraries_export": read(STAFF),
    "manage_availability": read(STAFF),
    "manage_library_availability": form(STAFF),
    **dict.fromkeys(("dois", "provider_dois", "doi_list"), read(LIBRARIAN)),
    **dict.fromkeys(("doi_file", "doi_xml", "doi_delivery", "doi_zip"), read(LIBRARIAN)),
    "doi_act": act(STAFF),
    "enrichment": read(LIBRARIAN),
    "enrichment_file": read(LIBRARIAN),
    "enrichment_rule": form(LIBRARIAN),
    "enrichment_change": act(LIBRARIAN),
    "enrichment_use": act(LIBRARIAN),
    **dict.fromkeys(("theses", "thesis_list", "thesis_file", "thesis_xml", "thesis_zip"), read(LIBRARIAN)),
    "thesis_act": act(STAFF),
    "issues": read(LIBRARIAN),
    "issue_list": read(LIBRARIAN),
    "issue_file": read(LIBRARIAN),
    "issue_check": read(LIBRARIAN),
    "provider_issues": read(LIBRARIAN),
    "issue_ignore": act(LIBRARIAN),
    "issue_count": act(LIBRARIAN),
    "issue_letter": read(LIBRARIAN),
    "issue_letter_text": read(LIBRARIAN),
    "bulk_list": read(LIBRARIAN),
    "bulk_new": act(LIBRARIAN),
    "bulk": read(LIBRARIAN),
    "bulk_act": act(LIBRARIAN),
    "records": read(LIBRARIAN),
    "record_list": read(LIBRARIAN),
    "record": read(LIBRARIAN),
    "record_act": act(LIBRARIAN),
    "record_duplicates": read(LIBRARIAN),
    "record_isbns": read(LIBRARIAN),
    "links": read(LIBRARIAN),
    "links_file": read(LIBRARIAN),
    "matches": read(STAFF),
    "match_review": form(STAFF),
    "match_pair": read(STAFF),
    "match_group": form(STAFF),
    "match_undo": act(STAFF),
    "queue": read(STAFF),
    "queue_act": act(ADMINISTRATOR),
    "manage_keys": form(STAFF),
    "manage_key": read(STAFF),
    "manage_key_revoke": act(STAFF),
}

# Django's admin, whose many URL names come from another package: by prefix of the name, the longest matching prefix
# wins. Inside it the permissions of the groups (`harvesting.accounts.roles`) apply as well.
PREFIXES: dict[str, Methods] = {
    "admin:login": form(PUBLIC),
    "admin:logout": act(PUBLIC),
    "admin:": form(LIBRARIAN),
    "admin/": read(LIBRARIAN),  # routes without a name: redirects, and the admin's 404 page
    "admin:aggregator_": form(STAFF),
    "admin:aggregator_duplicates": read(LIBRARIAN),
    "admin:auth_": form(ADMINISTRATOR),
    "admin:harvesting_externallogin": form(STAFF),
}

TABLE: dict[str, Methods] = SITE | ACCOUNTS | LOANS | MANAGE


def declared(name: str) -> Methods | None:
    """Return the methods and roles declared for a name (see `name_of`), or None if it is not declared."""
    if name in TABLE:
        return TABLE[name]
    longest = max((prefix for prefix in PREFIXES if name.startswith(prefix)), key=len, default="")
    return PREFIXES[longest] if longest else None


def name_of(spaces: Sequence[str], name: str | None, route: str) -> str:
    """Return the key of an address in the table: its name with its namespaces, or its route if it has no name."""
    return ":".join([*spaces, name]) if name else route


def addresses(resolver: URLResolver | None = None) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield every address of the site: its key in the table, its route, and the converters of its parameters."""
    yield from _walk(resolver or get_resolver(), (), "", {})


def _walk(
    resolver: URLResolver, spaces: tuple[str, ...], before: str, parts: Mapping[str, Any]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for entry in resolver.url_patterns:
        route, converters = before + str(entry.pattern), {**parts, **entry.pattern.converters}
        if isinstance(entry, URLPattern):
            yield name_of(spaces, entry.name, route), route, converters
        else:
            yield from _walk(entry, (*spaces, entry.namespace) if entry.namespace else spaces, route, converters)
