"""The URLs of harvesting outside the admin. `aggregator.access.permissions` says who may use them."""

from django.urls import path, re_path

from harvesting.models import REPOSITORY_NUMBER
from harvesting.views import audit_trail, notifications, people, theses, websub
from harvesting.views.doi import actions as doi_actions
from harvesting.views.doi import files as doi_files
from harvesting.views.doi import pages as doi_pages
from harvesting.views.enrichment import changes as enrichment_changes
from harvesting.views.enrichment import pages as enrichment_pages
from harvesting.views.harvests import actions as harvest_actions
from harvesting.views.harvests import files as harvest_files
from harvesting.views.harvests import list, page
from harvesting.views.issues import actions as issue_actions
from harvesting.views.issues import files as issue_files
from harvesting.views.issues import letter, pages

_RUN = "manage/harvests/(?P<pk>[0-9]{1,18})"
_PROVIDER = f"manage/harvests/(?P<number>{REPOSITORY_NUMBER})"
_FILE_ENDINGS = "csv|jsonl"

HARVESTS = [
    path("manage/harvests/", list.harvest_list, name="harvests"),
    path("manage/harvests/<int:pk>/", page.harvest_page, name="harvest"),
    path("manage/harvests/<int:pk>/progress", page.harvest_progress, name="harvest_progress"),
    path("manage/harvests/<int:pk>/steer", harvest_actions.harvest_steer, name="harvest_steer"),
    path("manage/harvests/<int:pk>/decide", harvest_actions.harvest_decide, name="harvest_decide"),
    path("manage/harvests/<int:pk>/pages/<int:page>", harvest_files.harvest_broken_page, name="harvest_broken_page"),
    re_path(rf"^{_RUN}/log\.(?P<ending>{_FILE_ENDINGS})\Z", harvest_files.harvest_log, name="harvest_log"),
    re_path(rf"^{_RUN}/issues\.(?P<ending>{_FILE_ENDINGS})\Z", harvest_files.harvest_issues, name="harvest_issues"),
    path("manage/harvests/gaps/<int:pk>", harvest_actions.harvest_gap, name="harvest_gap"),
    re_path(rf"^{_PROVIDER}/\Z", list.harvests_of, name="harvests_of"),
    re_path(rf"^{_PROVIDER}/start\Z", harvest_actions.harvest_start, name="harvest_start"),
]

_PROVIDER_ISSUES = rf"^manage/issues/(?P<number>{REPOSITORY_NUMBER})/"

ISSUES = [
    path("manage/issues/", pages.issues, name="issues"),
    path("manage/issues/list", pages.issue_list, name="issue_list"),
    re_path(r"^manage/issues/list\.(?P<suffix>csv|json|xlsx)\Z", issue_files.issue_file, name="issue_file"),
    path("manage/issues/checks/<int:run>", issue_actions.check, name="issue_check"),
    re_path(rf"{_PROVIDER_ISSUES}\Z", pages.provider_issues, name="provider_issues"),
    re_path(rf"{_PROVIDER_ISSUES}ignore\Z", issue_actions.ignore, name="issue_ignore"),
    re_path(rf"{_PROVIDER_ISSUES}count\Z", issue_actions.stop_ignoring, name="issue_count"),
    re_path(rf"{_PROVIDER_ISSUES}letter\Z", letter.issue_letter, name="issue_letter"),
    re_path(rf"{_PROVIDER_ISSUES}letter\.(?P<suffix>txt)\Z", letter.issue_letter, name="issue_letter_text"),
]

DOIS = [
    path("manage/doi/", doi_pages.dois, name="dois"),
    path("manage/doi/list", doi_pages.doi_list, name="doi_list"),
    path("manage/doi/list.csv", doi_files.doi_file, name="doi_file"),
    re_path(r"^manage/doi/(?P<pk>[0-9]{1,18})\.xml\Z", doi_files.doi_xml, name="doi_xml"),
    re_path(r"^manage/doi/deliveries/(?P<pk>[0-9]{1,18})\.xml\Z", doi_files.doi_delivery, name="doi_delivery"),
    re_path(rf"^manage/doi/(?P<number>{REPOSITORY_NUMBER})/\Z", doi_pages.provider_dois, name="provider_dois"),
    re_path(rf"^manage/doi/(?P<number>{REPOSITORY_NUMBER})/ready\.zip\Z", doi_files.doi_zip, name="doi_zip"),
    re_path(rf"^manage/doi/(?P<number>{REPOSITORY_NUMBER})/act\Z", doi_actions.doi_act, name="doi_act"),
]

_RULES = rf"^manage/providers/(?P<number>{REPOSITORY_NUMBER})/rules"

ENRICHMENT = [
    re_path(rf"{_RULES}/\Z", enrichment_pages.enrichment, name="enrichment"),
    re_path(rf"{_RULES}\.json\Z", enrichment_pages.enrichment_file, name="enrichment_file"),
    re_path(rf"{_RULES}/rule\Z", enrichment_changes.enrichment_rule, name="enrichment_rule"),
    re_path(rf"{_RULES}/change\Z", enrichment_changes.enrichment_change, name="enrichment_change"),
    re_path(rf"{_RULES}/use\Z", enrichment_changes.enrichment_use, name="enrichment_use"),
]

THESES = [
    path("manage/theses/", theses.theses, name="theses"),
    path("manage/theses/list", theses.thesis_list, name="thesis_list"),
    path("manage/theses/list.csv", theses.thesis_file, name="thesis_file"),
    re_path(r"^manage/theses/(?P<pk>[0-9]{1,18})\.xml\Z", theses.thesis_xml, name="thesis_xml"),
    re_path(rf"^manage/theses/(?P<number>{REPOSITORY_NUMBER})/ready\.zip\Z", theses.thesis_zip, name="thesis_zip"),
    re_path(rf"^manage/theses/(?P<number>{REPOSITORY_NUMBER})/act\Z", theses.thesis_act, name="thesis_act"),
]

urlpatterns = [
    path("websub/<str:callback>", websub.websub_callback, name="websub"),
    *HARVESTS,
    *ISSUES,
    *DOIS,
    *ENRICHMENT,
    *THESES,
    path("manage/people/", people.people, name="people"),
    path("manage/people/invite", people.invitation_new, name="invitation_new"),
    path("manage/people/invitations/<int:pk>", people.invitation_change, name="invitation_change"),
    path("manage/people/<int:pk>", people.person, name="person"),
    path("notices/confirm/<str:token>", notifications.notices_confirm, name="notices_confirm"),
    path("notices/stop/<str:token>", notifications.notices_stop, name="notices_stop"),
    path("manage/notices/", notifications.notices, name="notices"),
    path("manage/notices/settings", notifications.notification_settings, name="notification_settings"),
    path("manage/notices/settings/<int:pk>", notifications.notification_address, name="notification_address"),
    path("manage/notices/<int:pk>", notifications.notice_letter, name="notice_letter"),
    path("manage/trace/", audit_trail.trace, name="trace"),
    path("manage/trace.csv", audit_trail.trace_file, name="trace_file"),
]
