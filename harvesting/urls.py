"""The addresses of harvesting outside the admin. Who may use them: `aggregator.permissions`."""

from django.urls import path

from harvesting.views import dashboard, trace, websub

urlpatterns = [
    path("websub/<str:callback>", websub.websub_callback, name="websub"),
    path("manage/", dashboard.dashboard, name="manage"),
    path("manage/trace/", trace.trace, name="trace"),
    path("manage/trace.csv", trace.trace_file, name="trace_file"),
]
