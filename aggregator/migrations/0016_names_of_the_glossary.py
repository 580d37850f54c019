"""Models under the names of the glossary. Tables and columns keep theirs: no data are moved."""

from django.db import migrations

MODELS = {
    "matchdecision": "matchruling",
    "bookreport": "errorreport",
}


def rename_permissions(apps, schema_editor):
    """Permissions that people were given go on under the new names."""
    permissions = apps.get_model("auth", "Permission").objects.using(schema_editor.connection.alias)
    for old, new in MODELS.items():
        for permission in permissions.filter(content_type__app_label="aggregator", codename__endswith=f"_{old}"):
            permission.codename = permission.codename.removesuffix(old) + new
            permission.save()


class Migration(migrations.Migration):
    dependencies = [
        ("aggregator", "0015_keys_of_persons"),
        ("harvesting", "0018_names_of_the_glossary"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AlterModelTable("MatchDecision", "aggregator_matchdecision"),
        migrations.RenameModel("MatchDecision", "MatchRuling"),
        migrations.AlterModelTable("BookReport", "aggregator_bookreport"),
        migrations.RenameModel("BookReport", "ErrorReport"),
        migrations.RunPython(rename_permissions, migrations.RunPython.noop, elidable=True),
    ]
