from django.db import migrations

# Fill the column repository of issues that were stored before the column existed.
FILL = """
UPDATE harvesting_recordissue SET repository_id = (
    SELECT repository_id FROM harvesting_sourcerecord WHERE harvesting_sourcerecord.id = source_record_id
) WHERE repository_id IS NULL
"""


class Migration(migrations.Migration):
    dependencies = [("harvesting", "0011_faults")]
    operations = [migrations.RunSQL(FILL, migrations.RunSQL.noop)]
