"""The fields and subfields of MARC 21 that are read, to find those that are not. Reading does not use this table."""

from lxml import etree

from metadata.formats.marc.texts import NOTES

_LINKS = "760 762 765 767 770 772 774 775 776 777 780 785 786 787".split()
_HEADINGS = "600 610 611 630 647 648 650 651 689".split()
_ADDED_TITLES = "130 210 222 240 242 246 247".split()
USED: dict[str, str] = {
    "010": "az",
    "015": "a2z",
    "020": "aczq",
    "022": "almyz",
    "024": "a2z",
    "035": "a",
    "040": "e",
    "041": "adh2",
    "044": "ac",
    "050": "ab",
    "080": "a",
    "082": "a",
    "084": "a2",
    "090": "a",
    **dict.fromkeys(("100", "700", "720"), "abcdeq014tnp"),
    **dict.fromkeys(("110", "710"), "abcden014tp"),
    **dict.fromkeys(("111", "711"), "acdegjnq014t"),
    **dict.fromkeys(_ADDED_TITLES, "abnp"),
    "245": "abcnp",
    "250": "ab",
    **dict.fromkeys(("260", "264"), "abc"),
    "300": "abcef",
    "310": "a",
    "362": "a",
    "440": "avx",
    "490": "avx",
    **dict.fromkeys(NOTES, "3abcdefghijklmnopqrstuvwxyz"),
    "505": "atr",
    "506": "a",
    "520": "ab",
    "521": "a",
    "522": "a",
    "540": "au",
    "542": "dnu",
    **dict.fromkeys(_HEADINGS, "abcdnptqvxyz012"),
    "653": "a",
    "655": "abcdnptqvxyz012",
    "740": "abnp",
    "773": "tsgxzqia",
    **dict.fromkeys(_LINKS, "tsaixzwou1"),
    **dict.fromkeys(("800", "810", "811", "830"), "atvx"),
    "850": "a",
    "852": "abckhijmzu8",
    "856": "u3yzq",
    "866": "a8",
}


def unmapped(root: etree._Element) -> list[str]:
    """Return the fields and subfields that no reader handles, as "245$h", without repetition.

    $6 and all of 880 are left out, because they belong to other fields.
    """
    names: dict[str, None] = {}
    for field in root:
        tag = field.get("tag") or ""
        if not field.tag.endswith("datafield") or tag == "880":
            continue
        for child in field:
            code = child.get("code") or ""
            if code != "6" and code not in USED.get(tag, "") and "".join(map(str, child.itertext())).strip():
                names[f"{tag}${code}"] = None
    return list(names)
