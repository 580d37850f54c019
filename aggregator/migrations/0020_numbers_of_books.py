import django.db.models.deletion
from django.db import migrations, models

# A number that is out of use led to the book of the record with the same number.
NOTE_OWN_RECORDS = """
    INSERT INTO aggregator_formermember (source_record_id, manifestation_id)
    SELECT book.id, book.id FROM aggregator_manifestation book
    WHERE EXISTS (SELECT 1 FROM harvesting_sourcerecord record WHERE record.id = book.id)
    AND NOT EXISTS (SELECT 1 FROM aggregator_member member WHERE member.manifestation_id = book.id)
"""


class Migration(migrations.Migration):
    """Books have numbers of their own. Existing books keep theirs, which are numbers of source records."""

    dependencies = [
        ("aggregator", "0019_merging"),
        ("harvesting", "0020_audit_rulings"),
    ]
    operations = [
        migrations.CreateModel(
            "FormerMember",
            [
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "source_record", "manifestation", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "manifestation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_members",
                        to="aggregator.manifestation",
                    ),
                ),
                (
                    "source_record",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="harvesting.sourcerecord",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            "NumberCounter",
            [
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("last", models.PositiveBigIntegerField()),
            ],
        ),
        migrations.RunSQL(NOTE_OWN_RECORDS, migrations.RunSQL.noop),
    ]
