"""Identifiers of persons, bodies and subjects: one form for all spellings, and the page that they lead to. Pure."""

import re

# Scheme -> its numbers within an address or alone, and the address of the page. In the order in which pages list them.
_SCHEMES = {
    "NDLNA": (r"id\.ndl\.go\.jp/auth/(?:entity|ndlna)/([0-9]{8,9})\Z", "https://id.ndl.go.jp/auth/ndlna/{}"),
    "NDLSH": (r"id\.ndl\.go\.jp/auth/ndlsh/([0-9]{8,9})\Z", "https://id.ndl.go.jp/auth/ndlsh/{}"),
    "VIAF": (r"viaf\.org/viaf/([0-9]{1,22})/?\Z", "https://viaf.org/viaf/{}"),
    "ISNI": (r"isni\.org/(?:isni/)?([0-9]{15}[0-9X])/?\Z", "https://isni.org/isni/{}"),
    "ORCID": (r"orcid\.org/([0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X])/?\Z", "https://orcid.org/{}"),
    "NRID": (r"nrid\.nii\.ac\.jp/(?:ja/|en/)?nrid/([0-9]{13})/?\Z", "https://nrid.nii.ac.jp/nrid/{}"),
}
_BARE = {
    "NDLNA": "[0-9]{8,9}",
    "NDLSH": "[0-9]{8,9}",
    "VIAF": "[0-9]{1,22}",
    "ISNI": "[0-9]{15}[0-9X]",
    "ORCID": "[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]",
    "NRID": "[0-9]{13}",
}
NAMES = {"NDLNA": "Web NDL Authorities", "NDLSH": "Web NDL Authorities"}  # shown instead of the scheme's name


def authority(scheme: str, value: str) -> str:
    """Return an identifier in one form, scheme and number ("VIAF 98268072"); "" for one that no page is known of."""
    text = value.strip()
    for known, (pattern, _page) in _SCHEMES.items():
        if match := re.search(pattern, text):
            return f"{known} {match[1]}"
    if scheme not in _BARE:
        return ""
    number = re.sub(r"[\s-]", "", text) if scheme == "ISNI" else text
    return f"{scheme} {number}" if re.fullmatch(_BARE[scheme], number) else ""


def order(identifier: str) -> int:
    """Return the place of an identifier among others."""
    return list(_SCHEMES).index(identifier.partition(" ")[0])


def page_of(identifier: str) -> str:
    """Return the address of the page about an identifier in the form of `authority`."""
    scheme, _blank, number = identifier.partition(" ")
    return _SCHEMES[scheme][1].format(number)


def name_of(identifier: str) -> str:
    """Return the words for a link to that page: "Web NDL Authorities 00054222", "VIAF 98268072"."""
    scheme, _blank, number = identifier.partition(" ")
    return f"{NAMES.get(scheme, scheme)} {number}"
