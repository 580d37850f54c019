"""Identifiers in one form, whatever the record wrote, with the page that they lead to."""

import pytest

from aggregator.browse.authorities import authority, page_of


@pytest.mark.parametrize(
    ("scheme", "value", "form"),
    [
        ("", "http://id.ndl.go.jp/auth/entity/00054222", "NDLNA 00054222"),
        ("", "https://id.ndl.go.jp/auth/ndlna/00054222", "NDLNA 00054222"),
        ("VIAF", "98268072", "VIAF 98268072"),
        ("", "http://viaf.org/viaf/98268072/", "VIAF 98268072"),
        ("ISNI", "0000 0001 2134 3007", "ISNI 0000000121343007"),
        ("ORCID", "0000-0002-1825-0097", "ORCID 0000-0002-1825-0097"),
        ("", "https://orcid.org/0000-0002-1825-0097", "ORCID 0000-0002-1825-0097"),
        ("NRID", "1000000000001", "NRID 1000000000001"),
        ("", "https://nrid.nii.ac.jp/ja/nrid/1000000000001/", "NRID 1000000000001"),
        ("", "98268072", ""),
        ("VIAF", "javascript:alert(1)", ""),
        ("e-Rad_Researcher", "12345678", ""),
        ("", "", ""),
    ],
)
def test_an_identifier_has_one_form(scheme, value, form):
    assert authority(scheme, value) == form


def test_it_leads_to_the_page_of_the_authority():
    assert page_of("NDLNA 00054222") == "https://id.ndl.go.jp/auth/ndlna/00054222"
    assert page_of("VIAF 98268072") == "https://viaf.org/viaf/98268072"
