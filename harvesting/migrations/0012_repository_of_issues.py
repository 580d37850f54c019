from django.db import migrations

# The repository of each finding beside it, where it was stored before there was a column for it.
FILL = """
UPDATE harvesting_recordissue SET repository_id = (
    SELECT repository_id FROM harvesting_sourcerecord WHERE harvesting_sourcerecord.id = source_record_id
) WHERE repository_id IS NULL
"""


class Migration(migrations.Migration):
    dependencies = [("harvesting", "0011_faults")]
    operations = [migrations.RunSQL(FILL, migrations.RunSQL.noop)]
