"""Checks the DOI that a JPCOAR record asks an agency to register, as far as only the XML shows it. Notes issues.

What the agencies need is checked in the record that was read: metadata.deposits.needs.
"""

from collections import Counter

from lxml import etree

from metadata.formats.common.base import Draft
from metadata.formats.jpcoar.checks.base import short_name
from metadata.issue import where
from metadata.vocabularies.namespaces import XML_LANG
from metadata.xml.parsing import children, text

_AGENCY = "JaLC"  # which was once stopped by two abstracts in one language


def check_registration(root: etree._Element, draft: Draft) -> None:
    """Check that there is one jpcoar:identifierRegistration, and one abstract in each language for it."""
    elements = [(short_name(child.tag), child) for child in children(root)]
    registrations = [element for name, element in elements if name == "jpcoar:identifierRegistration"]
    if len(registrations) > 1:
        draft.note("jpcoar.W212", "jpcoar:identifierRegistration", ", ".join(map(text, registrations[:3])))
    if not any(element.get("identifierType") == _AGENCY for element in registrations[:1]):
        return
    languages = Counter(
        element.get(XML_LANG, "")
        for name, element in elements
        if name == "datacite:description" and element.get("descriptionType") == "Abstract" and text(element)
    )
    for language, count in languages.items():
        if language and count > 1:
            draft.note("doi.E016", where("datacite:description", "descriptionType", "Abstract"), language)
