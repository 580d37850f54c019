"""Names of the kinds of dates, relations, files and versions on pages. Only tables of words."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Labels = dict[str, str | Promise]

DATES: Labels = {
    "issued": _("Also issued"),
    "created": _("Date created"),
    "available": _("Made available"),
    "dateAccepted": _("Accepted"),
    "dateSubmitted": _("Submitted"),
    "dateCopyrighted": _("Copyright date"),
    "dateCollected": _("Collected"),
    "dateCaptured": _("Captured"),
    "dateDigitized": _("Digitised"),
    "dateGranted": _("Degree granted"),
    "modified": _("Date updated"),
    "valid": _("Valid"),
}
RELATIONS: Labels = {
    "relation": _("Related"),
    "source": _("Source"),
    "isPartOf": _("Part of"),
    "hasPart": _("Has part"),
    "isVersionOf": _("Version of"),
    "hasVersion": _("Has version"),
    "isFormatOf": _("Other format of"),
    "hasFormat": _("Other format"),
    "replaces": _("Replaces"),
    "isReplacedBy": _("Replaced by"),
    "references": _("References"),
    "isReferencedBy": _("Referenced by"),
    "requires": _("Requires"),
    "isRequiredBy": _("Required by"),
    "conformsTo": _("Conforms to"),
    # further terms of JPCOAR
    "isSupplementTo": _("Supplement to"),
    "isSupplementedBy": _("Has supplement"),
    "isIdenticalTo": _("Identical to"),
    "isDerivedFrom": _("Derived from"),
    "isSourceOf": _("Source of"),
    "inSeries": _("In series"),
    "isCitedBy": _("Cited by"),
    "Cites": _("Cites"),
    "isTranslationOf": _("Translation of"),
    "hasTranslation": _("Has translation"),
}
FILES: Labels = {
    "fulltext": _("Full text"),
    "abstract": _("Abstract"),
    "summary": _("Summary"),
    "thumbnail": _("Thumbnail"),
    "dataset": _("Dataset"),
    "software": _("Software"),
    "iiif": "IIIF",
}
# Terms of the COAR Version Types vocabulary.
VERSIONS: Labels = {
    "AO": _("Author’s original"),
    "SMUR": _("Submitted manuscript"),
    "AM": _("Accepted manuscript"),
    "P": _("Proof"),
    "VoR": _("Published version"),
    "CVoR": _("Corrected version"),
    "EVoR": _("Enhanced version"),
    "NA": _("Version not known"),
}


def label(labels: Labels, word: str) -> str:
    """Return the label, or the word itself if the table does not have it."""
    return str(labels.get(word, word))
