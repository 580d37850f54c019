"""Renames models to the names of the glossary. Tables and columns keep their names, so no data is moved."""

from django.db import migrations, models

MODELS = {
    "loginbrake": "loginthrottle",
    "ignoring": "ignoredissue",
    "issuestock": "issuecount",
    "standing": "healthstatus",
    "dayfigures": "dailycount",
    "noticeevent": "notificationevent",
    "noticeitem": "notificationitem",
    "noticemark": "notificationmark",
    "letter": "outgoingmessage",
    "window": "datewindow",
    "validation": "selftest",
}


def rename_permissions(apps, schema_editor):
    """Rename the permissions with the models, so that people keep the permissions they were given."""
    permissions = apps.get_model("auth", "Permission").objects.using(schema_editor.connection.alias)
    for old, new in MODELS.items():
        for permission in permissions.filter(content_type__app_label="harvesting", codename__endswith=f"_{old}"):
            permission.codename = permission.codename.removesuffix(old) + new
            permission.save()


class Migration(migrations.Migration):
    dependencies = [
        ("harvesting", "0017_fewer_indexes"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AlterModelTable("LoginBrake", "harvesting_loginbrake"),
        migrations.RenameModel("LoginBrake", "LoginThrottle"),
        migrations.AlterModelTable("Ignoring", "harvesting_ignoring"),
        migrations.RenameModel("Ignoring", "IgnoredIssue"),
        migrations.AlterModelTable("IssueStock", "harvesting_issuestock"),
        migrations.RenameModel("IssueStock", "IssueCount"),
        migrations.AlterModelTable("Standing", "harvesting_standing"),
        migrations.RenameModel("Standing", "HealthStatus"),
        migrations.AlterModelTable("DayFigures", "harvesting_dayfigures"),
        migrations.RenameModel("DayFigures", "DailyCount"),
        migrations.AlterModelTable("NoticeEvent", "harvesting_noticeevent"),
        migrations.RenameModel("NoticeEvent", "NotificationEvent"),
        migrations.AlterModelTable("NoticeItem", "harvesting_noticeitem"),
        migrations.RenameModel("NoticeItem", "NotificationItem"),
        migrations.AlterModelTable("NoticeMark", "harvesting_noticemark"),
        migrations.RenameModel("NoticeMark", "NotificationMark"),
        migrations.AlterModelTable("Letter", "harvesting_letter"),
        migrations.RenameModel("Letter", "OutgoingMessage"),
        migrations.AlterModelTable("Window", "harvesting_window"),
        migrations.RenameModel("Window", "DateWindow"),
        migrations.AlterModelTable("Validation", "harvesting_validation"),
        migrations.RenameModel("Validation", "SelfTest"),
        migrations.AlterField("Harvest", "notices", models.JSONField(db_column="notices", default=dict, verbose_name="notices")),
        migrations.RenameField("Harvest", "notices", "observations"),
        migrations.AlterField(
            "Harvest",
            "wish",
            models.CharField(
                blank=True,
                choices=[("", ""), ("pause", "to be paused"), ("cancel", "to be cancelled")],
                db_column="wish",
                default="",
                max_length=8,
                verbose_name="asked for",
            ),
        ),
        migrations.RenameField("Harvest", "wish", "stop_request"),
        migrations.RunPython(rename_permissions, migrations.RunPython.noop, elidable=True),
    ]
