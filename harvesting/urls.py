"""The addresses of harvesting outside the admin. Who may use them: `aggregator.permissions`."""

from django.urls import path

from harvesting.harvest_urls import HARVESTS
from harvesting.views import invitation, people, trace, websub

urlpatterns = [
    path("websub/<str:callback>", websub.websub_callback, name="websub"),
    *HARVESTS,
    path("invitation/<str:token>", invitation.invitation, name="invitation"),
    path("manage/people/", people.people, name="people"),
    path("manage/people/invite", people.invitation_new, name="invitation_new"),
    path("manage/people/invitations/<int:pk>", people.invitation_change, name="invitation_change"),
    path("manage/people/<int:pk>", people.person, name="person"),
    path("manage/trace/", trace.trace, name="trace"),
    path("manage/trace.csv", trace.trace_file, name="trace_file"),
]
