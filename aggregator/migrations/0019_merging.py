from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """Merging is a stage of its own; a book waits for the search index only once it is merged."""

    dependencies = [("aggregator", "0018_last_notified")]
    operations = [
        migrations.AddField(
            "manifestation",
            "merge_since",
            models.DateTimeField(null=True, verbose_name="waiting for merging since"),
        ),
        migrations.RemoveIndex("manifestation", "manifestation_unindexed"),
        migrations.AddIndex(
            "manifestation",
            models.Index(
                fields=["merge_since", "id"], condition=Q(merge_since__isnull=False), name="manifestation_unmerged"
            ),
        ),
        migrations.AddIndex(
            "manifestation",
            models.Index(
                fields=["changed_at", "id"],
                condition=Q(index_pending=True, merge_since=None),
                name="manifestation_to_index",
            ),
        ),
    ]
