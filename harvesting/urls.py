"""The addresses of harvesting outside the admin. Who may use them: `aggregator.access.permissions`."""

from django.urls import path

from harvesting.harvest_urls import HARVESTS
from harvesting.issue_urls import ISSUES
from harvesting.views import audit_trail as trace
from harvesting.views import invitation, notices, people, websub

urlpatterns = [
    path("websub/<str:callback>", websub.websub_callback, name="websub"),
    *HARVESTS,
    *ISSUES,
    path("invitation/<str:token>", invitation.invitation, name="invitation"),
    path("manage/people/", people.people, name="people"),
    path("manage/people/invite", people.invitation_new, name="invitation_new"),
    path("manage/people/invitations/<int:pk>", people.invitation_change, name="invitation_change"),
    path("manage/people/<int:pk>", people.person, name="person"),
    path("notices/confirm/<str:token>", notices.notices_confirm, name="notices_confirm"),
    path("notices/stop/<str:token>", notices.notices_stop, name="notices_stop"),
    path("manage/notices/", notices.notices, name="notices"),
    path("manage/notices/settings", notices.notice_wishes, name="notice_wishes"),
    path("manage/notices/settings/<int:pk>", notices.notice_wish, name="notice_wish"),
    path("manage/notices/<int:pk>", notices.notice_letter, name="notice_letter"),
    path("manage/trace/", trace.trace, name="trace"),
    path("manage/trace.csv", trace.trace_file, name="trace_file"),
]
