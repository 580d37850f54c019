"""Compares records before and after a format that gives texts a language where the record states none."""

from typing import Any

import msgspec

# Records of JPCOAR that its schema does not allow, so that they cannot be written as they came: a URI that is none, a
# date without a type, a funder without a name, an unknown kind of number, "7th"; and a reading without the language of
# the text before it. And one of junii2 with an ISSN that has not the form of one.
MENDED = (
    "weko_test_oai_repository.dl.itc.u-tokyo.ac.jp_02005680_571a8f.xml",
    "weko_test_oai_weko3.example.org_00000026_7f1e44.xml",
    "23_fundingReference__funder_name_not_available.xml",
    "24_sourceIdentifier__01_departmental_bulletin_paper_oa.xml",
    "2_alternative__xmllang_not_found.xml",
    "35_conference__conference_sequence_positive_integer.xml",
    "37_volumeTitle__xmllang_not_found.xml",
    "constructed_negative_junii2.xml",
)


def with_stated_languages(after: Any, before: Any) -> Any:
    """Return the value `after`, without the languages that `before` does not state."""
    if isinstance(after, tuple) and isinstance(before, tuple):
        if len(after) != len(before):
            return after
        return tuple(with_stated_languages(one, other) for one, other in zip(after, before, strict=True))
    if not isinstance(after, msgspec.Struct) or type(after) is not type(before):
        return after
    names = after.__struct_fields__
    fields = {name: with_stated_languages(getattr(after, name), getattr(before, name)) for name in names}
    if "language" in fields and not before.language:
        fields["language"] = ""
    return type(after)(**fields)
