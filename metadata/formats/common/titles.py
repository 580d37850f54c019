"""Titles in formats that have no elements for volume and edition. Pure."""

from msgspec import structs

from metadata.display_title import take_apart
from metadata.formats.common.base import Draft
from metadata.record import Title

ISBD_TITLE = "titles volumes volume_titles editions display_title"  # the fields that `take_title_apart` fills


def take_title_apart(draft: Draft) -> None:
    """Take apart a main title in the punctuation of ISBD, as writing makes it."""
    fields = draft.fields
    if not fields["titles"]:
        return
    main: Title = fields["titles"][0]
    parts = take_apart(main.value)
    draft.single["display_title"] = main.value
    fields["titles"][0] = structs.replace(main, value=parts.title)
    for name, part in (("volumes", parts.volume), ("volume_titles", parts.volume_title)):
        if part and not fields[name]:
            fields[name].append(Title(value=part))
    if parts.edition and not fields["editions"]:
        fields["editions"].append(parts.edition)
