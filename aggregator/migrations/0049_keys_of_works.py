from django.db import migrations


def match_again(apps, schema_editor):
    """The keys of works begin with a hash of the title. Only books whose keys are made anew meet in a work."""
    members = apps.get_model('aggregator', 'Member').objects.values('source_record')
    apps.get_model('harvesting', 'SourceRecord').objects.filter(pk__in=members).update(aggregated_at=None)


class Migration(migrations.Migration):

    dependencies = [
        ('aggregator', '0048_kept_counts'),
    ]

    operations = [
        migrations.RunPython(match_again, migrations.RunPython.noop),
    ]
