"""The files in deploy/ for backups, the database and the alarms fit the program."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from tests.paths import ROOT
from tests.test_deploy import DEPLOY, OURS, arguments_of, unit

ALARMS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"][0]["rules"]


def test_a_backup_is_made_every_night_with_the_documented_retention():
    timer = unit(DEPLOY / "systemd" / "aggregator-backup.timer")["Timer"]
    assert timer["OnCalendar"].startswith("*-*-* ")
    assert timer["Persistent"] == "true"
    service = DEPLOY / "systemd" / "aggregator-backup.service"
    folder = "/var/backups/aggregator"
    assert arguments_of(service) == ["manage.py", "backup", "--folder", folder, "--keep", "7,4,12"]
    assert folder in unit(service)["Service"]["ReadWritePaths"].split()
    assert OURS["backup"]["command"][2:] == ["backup", "--folder", "/backups", "--keep", "7,4,12", "--repeat"]
    assert "backups:/backups" in OURS["backup"]["volumes"]
    assert folder in (ROOT / "docs" / "how-to" / "run-in-production.md").read_text()


def test_the_image_has_the_tools_of_the_server_for_backups():
    assert "postgresql-client" in (DEPLOY / "Dockerfile").read_text()


def test_every_connection_to_the_database_of_the_containers_needs_a_password_from_a_file():
    document = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    database = document["services"]["database"]
    assert "trust" not in (DEPLOY / "compose.yaml").read_text()
    assert database["environment"]["POSTGRES_PASSWORD_FILE"] == "/run/secrets/database_password"
    assert database["environment"]["POSTGRES_INITDB_ARGS"] == "--auth=scram-sha-256"
    assert "ports" not in database
    for service in (database, *OURS.values()):
        assert service["secrets"] == ["database_password"]
    for service in OURS.values():
        assert service["environment"]["DATABASE_PASSWORD_FILE"] == "/run/secrets/database_password"
        assert "@" in service["environment"]["DATABASE_URL"]
        assert ":" not in service["environment"]["DATABASE_URL"].partition("//")[2].partition("@")[0]
    assert document["secrets"]["database_password"]["file"] == "./database_password"


def test_the_password_of_the_database_is_read_from_its_file(tmp_path):
    (tmp_path / "password").write_text("s3cret word\n")
    code = "from aggregator import settings; print(settings.DATABASES['default']['PASSWORD'])"
    own = {"AGGREGATOR_DATA": str(tmp_path), "DATABASE_URL": "postgres://aggregator@database/aggregator"}
    environment = {**os.environ, **own, "DATABASE_PASSWORD_FILE": str(tmp_path / "password")}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout == "s3cret word\n"


def test_each_alarm_is_documented_and_uses_metrics_that_exist(client, db):
    known = set(re.findall(r"^(aggregator_\w+)", client.get("/metrics").text, re.MULTILINE))
    # Metrics that are missing here, because there is no feed, no backup and no queue.
    known |= {"aggregator_harvest_lag_seconds", "aggregator_backup_age_seconds"}
    known |= {"aggregator_backup_copies", "aggregator_backup_copy_age_seconds"}
    known |= {"aggregator_queue_workers", "aggregator_queue_oldest_seconds"}
    client.get("/metrics")
    known |= set(re.findall(r"^(aggregator_\w+)", client.get("/metrics").text, re.MULTILINE))
    documented = (ROOT / "docs" / "reference" / "alarms.md").read_text()
    for alarm in ALARMS:
        assert set(re.findall(r"aggregator_\w+", alarm["expr"])) <= known, alarm["alert"]
        assert alarm["alert"] in documented


def test_each_alarm_says_how_urgent_it_is_and_what_happened():
    for alarm in ALARMS:
        name = alarm["alert"]
        assert alarm["labels"]["severity"] in ("critical", "warning"), name
        assert alarm["annotations"].keys() == {"summary", "description", "runbook"}, name
        assert (ROOT / alarm["annotations"]["runbook"]).exists(), name
        assert re.fullmatch(r"\d+[mhd]", alarm["for"]), name
        assert are_balanced(alarm["expr"]), name
        for text in alarm["annotations"].values():
            assert text.count("{{") == text.count("}}"), name
        labels = set(re.findall(r"\$labels\.(\w+)", alarm["annotations"]["description"]))
        assert labels <= {"group", "queue"}, name


def are_balanced(expression: str) -> bool:
    """Whether brackets and quotation marks are closed, in order."""
    plain, open_brackets = re.sub(r'"[^"]*"', "", expression), []
    for character in plain:
        if character in "([{":
            open_brackets.append(")]}"["([{".index(character)])
        elif character in ")]}" and (not open_brackets or open_brackets.pop() != character):
            return False
    return not open_brackets and '"' not in plain


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")
def test_prometheus_understands_the_alarms():
    done = subprocess.run(["promtool", "check", "rules", str(DEPLOY / "alerts.yaml")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
