"""Classes of the Nippon Decimal Classification, 10th edition: the first three digits, with names.

The names also suit the 8th and the 9th edition, whose first three digits hardly differ.
"""

from metadata.vocabularies.dcndl import Label
from metadata.vocabularies.labels import read_labels

CLASSES = read_labels("ndc")
MAIN = tuple("0123456789")


def ndc_class(number: str) -> Label | None:
    """Return the name of a class or, if it has none here, of the narrowest class around it: 913.6 is in 913."""
    digits = number[:3].rstrip(".")
    return next((CLASSES[digits[:length]] for length in (3, 2, 1) if digits[:length] in CLASSES), None)
