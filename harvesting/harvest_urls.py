"""The addresses of the pages about harvests."""

from django.urls import path, re_path

from harvesting.models import REPOSITORY_NUMBER
from harvesting.views.harvests import acts as harvest_acts
from harvesting.views.harvests import files as harvest_files
from harvesting.views.harvests import list as harvest_list
from harvesting.views.harvests import page as harvest_page

_RUN = "manage/harvests/(?P<pk>[0-9]{1,18})"
_PROVIDER = f"manage/harvests/(?P<number>{REPOSITORY_NUMBER})"
_FILES = "csv|jsonl"

HARVESTS = [
    path("manage/harvests/", harvest_list.harvest_list, name="harvests"),
    path("manage/harvests/<int:pk>/", harvest_page.harvest_page, name="harvest"),
    path("manage/harvests/<int:pk>/progress", harvest_page.harvest_progress, name="harvest_progress"),
    path("manage/harvests/<int:pk>/steer", harvest_acts.harvest_steer, name="harvest_steer"),
    path("manage/harvests/<int:pk>/decide", harvest_acts.harvest_decide, name="harvest_decide"),
    path("manage/harvests/<int:pk>/pages/<int:page>", harvest_files.harvest_broken_page, name="harvest_broken_page"),
    re_path(rf"^{_RUN}/log\.(?P<ending>{_FILES})\Z", harvest_files.harvest_log, name="harvest_log"),
    re_path(rf"^{_RUN}/issues\.(?P<ending>{_FILES})\Z", harvest_files.harvest_issues, name="harvest_issues"),
    path("manage/harvests/gaps/<int:pk>", harvest_acts.harvest_gap, name="harvest_gap"),
    re_path(rf"^{_PROVIDER}/\Z", harvest_list.harvests_of, name="harvests_of"),
    re_path(rf"^{_PROVIDER}/start\Z", harvest_acts.harvest_start, name="harvest_start"),
]
