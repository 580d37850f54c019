"""The addresses of the pages about findings. Who may use them: `aggregator.access.permissions`."""

from django.urls import path, re_path

from harvesting.models import REPOSITORY_NUMBER
from harvesting.views.issues import acts as issue_acts
from harvesting.views.issues import files as issue_files
from harvesting.views.issues import letter as issue_letter
from harvesting.views.issues import pages as issues

_OF_ONE = rf"^manage/issues/(?P<number>{REPOSITORY_NUMBER})/"

ISSUES = [
    path("manage/issues/", issues.issues, name="issues"),
    path("manage/issues/list", issues.issue_list, name="issue_list"),
    re_path(r"^manage/issues/list\.(?P<suffix>csv|json|xlsx)\Z", issue_files.issue_file, name="issue_file"),
    path("manage/issues/again", issue_acts.again, name="issues_again"),
    path("manage/issues/checks/<int:run>", issue_acts.check, name="issue_check"),
    re_path(rf"{_OF_ONE}\Z", issues.provider_issues, name="provider_issues"),
    re_path(rf"{_OF_ONE}ignore\Z", issue_acts.ignore, name="issue_ignore"),
    re_path(rf"{_OF_ONE}count\Z", issue_acts.stop_ignoring, name="issue_count"),
    re_path(rf"{_OF_ONE}letter\Z", issue_letter.issue_letter, name="issue_letter"),
    re_path(rf"{_OF_ONE}letter\.(?P<suffix>txt)\Z", issue_letter.issue_letter, name="issue_letter_text"),
]
