"""The URLs of the site; those of harvesting are in `harvesting.urls`."""

import re

from django.contrib import admin
from django.urls import include, path, re_path, register_converter
from django.views.generic import RedirectView, TemplateView

from aggregator.browse.kinds import FIELDS, KINDS, PATHS
from aggregator.middleware import facet_guard
from aggregator.models import BOOK_ID
from aggregator.presentation.representations import ENDINGS
from aggregator.provision.api import views as api
from aggregator.provision.dumps import FILE_NAME as DUMP_FILE_NAME
from aggregator.provision.dumps import NAME as DUMP_NAME
from aggregator.provision.resourcesync.naming import SET
from aggregator.provision.sru.endpoint import sru
from aggregator.search.base import CHOSEN_WITH
from aggregator.views import covers, images, ndl
from aggregator.views.browse import heading as headings
from aggregator.views.browse import pages as browse
from aggregator.views.bulk import pages as bulk_pages
from aggregator.views.keeping import alerts, export, saved
from aggregator.views.libraries import (
    adapter,
    availability,
    holders,
    importing,
    library_page,
    listing,
    merging,
    questions,
    slip,
)
from aggregator.views.libraries import data as library_data
from aggregator.views.libraries import pages as library_pages
from aggregator.views.live import api as live_api
from aggregator.views.live import page as live
from aggregator.views.loans import answer as loan_answers
from aggregator.views.loans import iso as loan_iso
from aggregator.views.loans import lists as loan_lists
from aggregator.views.loans import pages as loan_pages
from aggregator.views.loans import people as loan_people
from aggregator.views.loans import request_form as loan_form
from aggregator.views.loans import terms as loan_terms
from aggregator.views.manage import api_keys, bulk, duplicates, erase, match_group, matches, queue, record_actions
from aggregator.views.manage import dashboard as manage_dashboard
from aggregator.views.manage import join as manage_join
from aggregator.views.manage import links as manage_links
from aggregator.views.manage import live as manage_live
from aggregator.views.manage import providers as manage_providers
from aggregator.views.manage import records as manage_records
from aggregator.views.public import (
    api_docs,
    books,
    data_page,
    dumps,
    error_report,
    feeds,
    help_page,
    links,
    oai_pmh,
    openurl,
    repositories,
    resourcesync,
    rules,
    search,
    self_test,
    sitemaps,
    why_grouped,
)
from aggregator.views.public.suggest import suggest
from aggregator.views.pushing import interface as pushing
from aggregator.views.pushing import pages as push_pages
from aggregator.views.site import external, health, login, privacy, terms
from aggregator.views.statistics import crossed as statistics_crossed
from aggregator.views.statistics import files as statistics_files
from aggregator.views.statistics import followed, page
from harvesting.joining.application import STEPS
from harvesting.models import PUBLIC_ID, REPOSITORY_NUMBER


class StringConverter:
    """Base of the path converters: a part of an address that is passed on unchanged."""

    regex = ""

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class PublicId(StringConverter):
    """The permanent id of a record in an address: R123456789-I…"""

    regex = PUBLIC_ID


class BookId(StringConverter):
    """The permanent id of a book in an address, M and its number, or of one of its records."""

    regex = f"(?:{BOOK_ID}|{PUBLIC_ID})"


class Facet(StringConverter):
    """The name of a facet whose values can be listed."""

    regex = "|".join(CHOSEN_WITH)


class Token(StringConverter):
    """The token of a self-test."""

    regex = "[A-Za-z0-9_-]{32}"


class Number(StringConverter):
    """A repository number."""

    regex = REPOSITORY_NUMBER


class LibraryNumber(StringConverter):
    """The number of a library."""

    regex = "L[0-9]{1,18}"


class JoinStep(StringConverter):
    """A step of joining as a provider."""

    regex = "|".join(STEPS)


register_converter(PublicId, "public_id")
register_converter(BookId, "book_id")
register_converter(Facet, "facet")
register_converter(Token, "validation")
register_converter(Number, "number")
register_converter(LibraryNumber, "library_number")
register_converter(JoinStep, "join_step")
_ENDINGS = "|".join(map(re.escape, ENDINGS))
_LISTED = "|".join(KINDS)
_BROWSED = "|".join(PATHS[kind] for kind in FIELDS)

RESOURCESYNC = [
    re_path(r"^(?P<name>(?:M|R)[A-Za-z0-9_\-]+)\.xml\Z", resourcesync.resource, name="resourcesync_resource"),
    re_path(r"^(?P<name>\w+dump-[\w\-]+(?:\.zip|-manifest\.xml))\Z", resourcesync.package, name="resourcesync_package"),
    path("changes", resourcesync.channel, name="resourcesync_channel"),
    path("<str:name>", resourcesync.document, name="resourcesync_document"),
]

_PUSH = rf"^api/push/(?P<number>{REPOSITORY_NUMBER})"
PUSHES = [
    re_path(rf"{_PUSH}/?\Z", pushing.pushes, name="push"),
    re_path(rf"{_PUSH}/(?P<push>[0-9]{{1,18}})\Z", pushing.push, name="push_report"),
    re_path(rf"{_PUSH}/deletions\Z", pushing.removals, name="push_removals"),
    re_path(rf"{_PUSH}/records/(?P<identifier>[\s\S]{{1,4000}})\Z", pushing.record, name="push_record"),
]

LOANS = [
    path("iso18626", loan_iso.iso18626, name="iso18626"),
    path("loans/", loan_lists.loans_made, name="loans"),
    path("loans/received", loan_lists.loans_received, name="loans_received"),
    re_path(r"^loans/(?P<which>made|received)\.csv\Z", loan_lists.loans_csv, name="loans_csv"),
    path("loans/figures", loan_lists.loan_figures, name="loan_figures"),
    path("loans/terms", loan_terms.loan_terms, name="loan_terms"),
    path("loans/new", loan_form.loan_new, name="loan_new"),
    path("loans/answer/<str:token>", loan_answers.loan_answer, name="loan_answer"),
    path("loans/<int:number>/", loan_pages.loan_page, name="loan"),
    path("loans/<int:number>/edit", loan_form.loan_edit, name="loan_edit"),
    path("loans/<int:number>/print", loan_pages.loan_print, name="loan_print"),
    path("loans/<int:number>/act", loan_pages.loan_act, name="loan_act"),
    path("loans/<int:number>/revoke", loan_pages.loan_revoke, name="loan_revoke"),
    path("invitation/<str:token>", loan_people.invitation, name="invitation"),
    path("manage/people/invite-member", loan_people.member_invitation, name="member_invitation"),
    path("manage/people/<int:pk>/libraries", loan_people.person_libraries, name="person_libraries"),
]

handler500 = "aggregator.views.site.server_error.server_error"
urlpatterns = [
    path("", search.home, name="home"),
    path("search", search.results, name="search"),
    path("search/continue", facet_guard.ask, name="search_ask"),
    path("search/live", live.live, name="search_live"),
    path("search/live/continue", facet_guard.ask, name="search_live_ask"),
    path("search/export", export.export, name="search_export"),
    path("search/history", TemplateView.as_view(template_name="saved/history.html"), name="search_history"),
    path("search/values/<facet:facet>", search.values, name="search_values"),
    path("search/advanced", search.advanced, name="search_advanced"),
    path("books/<book_id:public_id>", books.book, name="book"),
    re_path(rf"^books/(?P<public_id>{BOOK_ID})-L[1-9][0-9]{{0,17}}-[1-9][0-9]{{0,8}}\Z", books.copy, name="book_copy"),
    path("books/<book_id:public_id>/cover", covers.cover, name="cover"),
    path("books/<book_id:public_id>/images", images.images, name="book_images"),
    re_path(rf"^books/(?P<public_id>{BOOK_ID})/images/(?P<place>[1-9][0-9]{{0,3}})\Z", images.image, name="book_image"),
    re_path(
        rf"^books/(?P<public_id>{BOOK_ID})/images/(?P<place>[1-9][0-9]{{0,3}})-(?P<width>[1-9][0-9]{{2,3}})\.jpg\Z",
        images.image_file,
        name="book_image_file",
    ),
    path("books/<book_id:public_id>/why", why_grouped.why, name="why"),
    path("books/<book_id:public_id>/holdings", holders.holdings, name="book_holdings"),
    re_path(rf"^books/(?P<public_id>{BOOK_ID})/holders\.json\Z", holders.holders_json, name="holders_json"),
    path("books/<book_id:public_id>/records", holders.records, name="book_records"),
    path("books/<public_id:public_id>/report", error_report.report, name="report"),
    re_path(rf"^books/(?P<public_id>{BookId.regex})\.(?P<suffix>{_ENDINGS})\Z", books.book_as, name="book_as"),
    re_path(rf"^books/(?P<public_id>{BOOK_ID})/availability\Z", availability.availability, name="availability"),
    re_path(
        rf"^books/(?P<public_id>{BOOK_ID})/availability\.json\Z",
        availability.availability_json,
        name="availability_json",
    ),
    path("books/<book_id:public_id>/slip", slip.slip, name="slip"),
    path("libraries/", library_pages.libraries, name="libraries"),
    path("libraries.json", library_data.libraries_json, name="libraries_json"),
    re_path(r"^libraries/(?P<code>[\s\S]{1,200})\.json\Z", library_data.library_json, name="library_json"),
    re_path(r"^libraries/(?P<code>[\s\S]{1,200})\Z", library_pages.library, name="library"),
    path("browse/", browse.ways, name="browse"),
    path("browse/new", browse.new, name="browse_new"),
    path("browse/ndc/", browse.classes, name="browse_classes"),
    re_path(r"^browse/ndc/(?P<number>[0-9]{1,2})\Z", browse.classes, name="browse_class"),
    re_path(rf"^browse/(?P<path>{_LISTED})/\Z", browse.headings, name="browse_list"),
    re_path(rf"^browse/(?P<path>{_BROWSED})/(?P<name>[\s\S]{{1,200}})\Z", headings.heading, name="browse_heading"),
    path("people/<str:scheme>/<str:number>", headings.person, name="identity"),
    path("repositories/", repositories.repository_list, name="repositories"),
    path("repositories.csv", repositories.repository_csv, name="repositories_csv"),
    path("repositories.json", repositories.repository_json, name="repositories_json"),
    re_path(r"^repositories/(?P<number>R[0-9]{9})\Z", repositories.repository, name="repository"),
    re_path(r"^repositories/(?P<number>R[0-9]{9})/links\Z", links.link_trial, name="link_trial"),
    path("rules/", rules.rule_list, name="rules"),
    re_path(r"^rules/(?P<code>[a-z][a-z0-9_]*\.[A-Z][0-9]{3})\Z", rules.rule, name="rule"),
    re_path(r"^rules/(?P<code>[a-z][a-z0-9_]*\.[A-Z][0-9]{3})/\Z", RedirectView.as_view(pattern_name="rule")),
    path("guide", TemplateView.as_view(template_name="pages/guide.html"), name="guide"),
    path("validate/", self_test.validate, name="validate"),
    path("validate/<validation:token>", self_test.validation, name="validation"),
    path("validate/<validation:token>.json", self_test.validation_json, name="validation_json"),
    path("validate/<validation:token>/state", self_test.validation_state, name="validation_state"),
    path("validate/<validation:token>/<int:number>", self_test.validation_record, name="validation_record"),
    path("suggest", suggest, name="suggest"),
    path("api/search", api.search, name="api_search"),
    path("api/records/<book_id:public_id>", api.record, name="api_record"),
    path("api/repositories", api.repositories, name="api_repositories"),
    re_path(r"^api/repositories/(?P<number>R[0-9]{9})\Z", api.repository, name="api_repository"),
    path("api/live", live_api.live, name="api_live"),
    path("api/usage", api.usage, name="api_usage"),
    path("api/openapi.json", api.openapi, name="api_openapi"),
    path("api/docs", api_docs.api_docs, name="api_docs"),
    path("api/oaipmh", oai_pmh.ndl_oaipmh, name="ndl_oaipmh"),
    path("api/opensearch", ndl.opensearch, name="ndl_opensearch"),
    path("api/sru", ndl.sru, name="ndl_sru"),
    path("api/openurl", ndl.openurl, name="ndl_openurl"),
    path("api/opensearch_description", ndl.description, name="ndl_description"),
    re_path(r"^thumbnail/(?P<code>[^/]{0,200})\.jpg\Z", covers.thumbnail, name="thumbnail"),
    *PUSHES,
    path("api/<path:rest>", api.unknown, name="api_unknown"),
    path("openurl", openurl.openurl, name="openurl"),
    path("feeds/search.atom", feeds.search_atom, name="search_atom"),
    path("sru", sru, name="sru"),
    path("opensearch", feeds.opensearch, name="opensearch"),
    path("opensearch.xml", feeds.description, name="opensearch_description"),
    path("alerts/new", alerts.new, name="alert_new"),
    path("alerts/confirm/<str:token>", alerts.confirm, name="alert_confirm"),
    path("alerts/stop/<str:token>", alerts.stop, name="alert_stop"),
    path("own-libraries", saved.own_libraries, name="own_libraries"),
    path("list", saved.page, name="list"),
    path("list/records", saved.records, name="list_records"),
    path("list/export", saved.export, name="list_export"),
    path(".well-known/resourcesync", resourcesync.description, name="resourcesync_description"),
    path("resourcesync/", RedirectView.as_view(pattern_name="resourcesync_description"), name="resourcesync"),
    path("resourcesync/hub", resourcesync.subscribe, name="resourcesync_hub"),
    re_path(rf"^resourcesync/(?P<set_name>{SET})/", include(RESOURCESYNC)),
    path("oai", oai_pmh.oai, name="oai"),
    path("dumps/", dumps.page, name="dumps"),
    path("dumps/manifest.json", dumps.manifest, name="dump_manifest"),
    re_path(rf"^dumps/(?P<dump>{DUMP_NAME})/(?P<name>{DUMP_FILE_NAME})\Z", dumps.file, name="dump_file"),
    path("healthz", health.healthz, name="healthz"),
    path("metrics", health.metrics, name="metrics"),
    path("favicon.ico", health.favicon, name="favicon"),
    path("robots.txt", sitemaps.robots, name="robots"),
    path("sitemap.xml", sitemaps.index, name="sitemap"),
    path("sitemaps/pages.xml", sitemaps.pages, name="sitemap_pages"),
    path("sitemaps/books-<int:number>.xml", sitemaps.books, name="sitemap_books"),
    path("sitemaps/libraries.xml", sitemaps.libraries, name="sitemap_libraries"),
    path("statistics/", page.statistics, name="statistics"),
    path("statistics/followed", followed.followed, name="statistics_followed"),
    path("statistics/crossed.csv", statistics_crossed.csv_file, name="statistics_crossed_csv"),
    path("statistics/crossed.json", statistics_crossed.json_file, name="statistics_crossed_json"),
    path("statistics.json", statistics_files.json_file, name="statistics_json"),
    re_path(r"^statistics/(?P<name>[a-z-]{1,40})\.csv\Z", statistics_files.csv_file, name="statistics_csv"),
    path("data", data_page.data, name="data"),
    path("terms", terms.terms, name="terms"),
    path("privacy", privacy.privacy, name="privacy"),
    path("help", help_page.search_help, name="help"),
    *[path(name, TemplateView.as_view(template_name=f"pages/{name}.html"), name=name) for name in sitemaps.TEXTS],
    path("manage/", manage_dashboard.dashboard, name="manage"),
    path("manage/join/", manage_join.join, name="join"),
    path("manage/join/<int:draft>/discard", manage_join.discard, name="join_discard"),
    path("manage/join/<int:draft>/<join_step:name>", manage_join.step, name="join_step"),
    path("manage/providers/", manage_providers.providers, name="providers"),
    path("manage/providers/bulk", bulk.providers_bulk, name="providers_bulk"),
    re_path(r"^manage/providers/export\.(?P<form>csv|json)\Z", bulk.providers_export, name="providers_export"),
    path("manage/providers/<number:number>/", manage_providers.provider, name="provider"),
    path("manage/providers/<number:number>/feeds/new", manage_providers.provider_feed, name="provider_feed_new"),
    path("manage/providers/<number:number>/feeds/<int:feed>", manage_providers.provider_feed, name="provider_feed"),
    path("manage/providers/<number:number>/feeds/<int:feed>/try", manage_providers.live_trial, name="live_trial"),
    path(
        "manage/providers/<number:number>/answer/<int:application>",
        manage_providers.provider_answer,
        name="provider_answer",
    ),
    path("manage/providers/<number:number>/push", push_pages.provider_push, name="provider_push"),
    path("manage/providers/<number:number>/push/<int:token>/revoke", push_pages.revoke, name="provider_push_revoke"),
    path("manage/providers/<number:number>/erase", erase.provider_erase, name="provider_erase"),
    path("manage/libraries/", listing.libraries, name="manage_libraries"),
    path("manage/libraries/new", library_page.library_new, name="manage_library_new"),
    path("manage/libraries/answers", questions.past_answers, name="manage_libraries_answers"),
    path("manage/libraries/questions", questions.questions, name="manage_libraries_questions"),
    path("manage/libraries/<library_number:library_number>/", library_page.library, name="manage_library"),
    path("manage/libraries/<library_number:library_number>/merge", merging.merge_page, name="manage_library_merge"),
    path("manage/libraries/<library_number:library_number>/unmerge", merging.unmerge, name="manage_library_unmerge"),
    path("manage/libraries/import", importing.libraries_import, name="manage_libraries_import"),
    path("manage/libraries/availability", adapter.adapters, name="manage_availability"),
    path(
        "manage/libraries/<library_number:library_number>/availability",
        adapter.adapter,
        name="manage_library_availability",
    ),
    path("manage/libraries/export.csv", importing.libraries_export, name="manage_libraries_export"),
    path("manage/records/", manage_records.find, name="records"),
    path("manage/links/", manage_links.links, name="links"),
    path("manage/links/links.csv", manage_links.links_file, name="links_file"),
    path("manage/live/", manage_live.live, name="manage_live"),
    path("manage/bulk/", bulk_pages.bulk_list, name="bulk_list"),
    path("manage/bulk/new", bulk_pages.bulk_new, name="bulk_new"),
    path("manage/bulk/<int:pk>", bulk_pages.bulk, name="bulk"),
    path("manage/bulk/<int:pk>/act", bulk_pages.bulk_act, name="bulk_act"),
    path("manage/records/list", manage_records.record_list, name="record_list"),
    path("manage/records/duplicates/", duplicates.same_books, name="record_duplicates"),
    path("manage/records/isbns/", duplicates.isbns, name="record_isbns"),
    path("manage/records/<public_id:public_id>/", manage_records.record, name="record"),
    path("manage/records/<public_id:public_id>/act", record_actions.act, name="record_act"),
    path("manage/matches/", matches.matches, name="matches"),
    path("manage/matches/review", matches.review, name="match_review"),
    path("manage/matches/pair", matches.pair_page, name="match_pair"),
    path("manage/matches/group", match_group.group, name="match_group"),
    path("manage/matches/undo", matches.undo_ruling, name="match_undo"),
    path("login", login.Login.as_view(), name="login"),
    path("login/oidc", external.oidc_login, name="oidc"),
    path("login/oidc/back", external.oidc_callback, name="oidc_back"),
    path("logout", login.Logout.as_view(), name="logout"),
    path("password", login.Password.as_view(), name="password"),
    path("password/forgotten", login.Forgotten.as_view(), name="password_forgotten"),
    path("password/forgotten/sent", login.ForgottenSent.as_view(), name="password_forgotten_sent"),
    path("password/new/<str:uidb64>/<str:token>", login.NewPassword.as_view(), name="password_new"),
    path("password/set", login.PasswordSet.as_view(), name="password_set"),
    path("manage/queue/", queue.queue, name="queue"),
    path("manage/queue/act", queue.act, name="queue_act"),
    path("manage/keys/", api_keys.keys, name="manage_keys"),
    path("manage/keys/<int:key_number>", api_keys.key, name="manage_key"),
    path("manage/keys/<int:key_number>/revoke", api_keys.revoke, name="manage_key_revoke"),
    *LOANS,
    path("", include("harvesting.urls")),
    path("admin/login/", login.admin_login),
    path("admin/r/<path:row>", login.admin_view_on_site),
    path("admin/rq/", RedirectView.as_view(url="/manage/queue/")),  # where it was in earlier versions
    path("admin/rq/<path:page>", RedirectView.as_view(url="/manage/queue/")),
    path("admin/", admin.site.urls),
]
